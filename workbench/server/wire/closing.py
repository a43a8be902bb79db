"""Closing a connection without a reply, or in the middle of one: what fixtures of failures ask for.

ASGI has no message for that; the state of a request has the transport of its connection.
"""

from __future__ import annotations

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from workbench.server.wire.connection import TRANSPORT


async def close_connection(scope: Scope, receive: Receive) -> None:
    """Close the connection of a request once what was sent is out; returns when it is closed."""
    scope["state"][TRANSPORT].close()
    while (await receive())["type"] != "http.disconnect":
        pass


class NoResponse(Response):
    """Closes the connection instead of replying."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        await close_connection(scope, receive)
