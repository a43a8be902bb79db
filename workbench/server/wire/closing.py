"""Closing a connection without a reply, or in the middle of one: what fixtures of failures ask for.

ASGI has no message for that, and uvicorn no setting. This is all that is needed beside them: the
protocol gives the transport of its connection to the application, as a part of the request's state.
"""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.responses import Response
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# The key of the transport in the state of a request.
TRANSPORT: Final = "workbench.transport"


class TransportProtocol(HttpToolsProtocol):
    """uvicorn's own protocol; the state of each request holds its transport."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app_state = {**self.app_state, TRANSPORT: transport}


async def close_connection(scope: Scope, receive: Receive) -> None:
    """Close the connection of a request once what was sent is out; returns when it is closed."""
    scope["state"][TRANSPORT].close()
    while (await receive())["type"] != "http.disconnect":
        pass


class NoResponse(Response):
    """Closes the connection instead of replying."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await close_connection(scope, receive)
