"""ASGI middleware around the application: the access log, and the restrictions for web pages.

The control API has neither access lines nor CORS headers: it is not part of the suite's traffic,
and not for web pages.
"""

from __future__ import annotations

import time

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from workbench.core.answering.errors import RefusedError
from workbench.server.errors import ErrorReplies
from workbench.server.log import LogSink, access_time
from workbench.server.wire.guard import is_control_path
from workbench.server.wire.incoming import access_line
from workbench.server.wire.responses import CORS


class ReplyHeads:
    """Gives each reply the CORS headers, and writes the lines of its request when it begins, the
    access line last, in one piece. ``log.add_lines`` adds to what else the log says of it.

    Starlette's own CORS middleware answers only requests that name an origin, and with other
    headers than the reference stub's.
    """

    def __init__(self, app: ASGIApp, log: LogSink) -> None:
        self._app = app
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        state = scope.setdefault("state", {})
        state["log_lines"] = ""

        async def send_logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                lines, state["log_lines"] = state["log_lines"], ""
                if not is_control_path(scope["path"]):
                    lines += access_line(scope, access_time(int(time.time())), message["status"])
                    message["headers"] = [*message["headers"], *CORS]
                self._log.write(lines)
            await send(message)

        try:
            await self._app(scope, receive, send_logged)
        finally:
            if state["log_lines"]:  # of a request without a reply
                self._log.write(state["log_lines"])


class NoWebPages:
    """Refuses requests of web pages: they would spend the key of a recording server."""

    def __init__(self, app: ASGIApp, errors: ErrorReplies) -> None:
        self._app = app
        self._errors = errors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        app = self._app
        if "origin" in request.headers and not is_control_path(scope["path"]):
            message = "a web page cannot spend the key of a recording server"
            app = await self._errors.reply(request, RefusedError(403, "origin_refused", message))
        await app(scope, receive, send)
