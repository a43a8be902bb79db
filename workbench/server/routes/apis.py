"""The route of every path but those of the control API."""

from __future__ import annotations

from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.core.answering.routes import Conversation, find_route
from workbench.server.routes.plain import PlainRoute


class ConversationRoute(Protocol):
    """Answers requests of conversations with a model."""

    async def complete(self, request: Request, route: Conversation) -> Response: ...


class APIRoute:
    """An ASGI application: around a function, Starlette puts a second exception handler."""

    def __init__(self, conversations: ConversationRoute, plain: PlainRoute) -> None:
        self._conversations = conversations
        self._plain = plain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises NotRoutedError for what no API has, and as the two routes do."""
        request = Request(scope, receive)
        route = find_route(scope["method"], scope["path"], request.headers)
        if isinstance(route, Conversation):
            response = await self._conversations.complete(request, route)
        else:
            response = await self._plain.complete(request, route)
        await response(scope, receive, send)
