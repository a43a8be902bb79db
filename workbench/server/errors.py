"""The error replies of the server, as exception handlers of its application."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from workbench.core.apis.api import UnknownIDError
from workbench.core.apis.table import api_at
from workbench.core.apis.unsupported import UnsupportedRequest, unsupported_reply
from workbench.core.digest import RequestError
from workbench.core.log.lines import asked_line, note_line, unsupported_line
from workbench.core.replies.http_reply import HTTPReply
from workbench.core.replies.profile_names import ProfileName
from workbench.core.replies.response import ErrorReply
from workbench.server.log import add_lines
from workbench.server.traffic import Traffic
from workbench.server.wire.closing import NoResponse
from workbench.server.wire.guard import is_control_path
from workbench.server.wire.incoming import (
    RefusedError,
    UnsupportedError,
    credentials_of,
    is_verification,
    path_of,
    request_line,
    target,
)
from workbench.server.wire.responses import RenderedResponse

Handler = Callable[[Request, Exception], Awaitable[Response]]

_WEBSOCKET: Final = "the WebSocket transport is not spoken by this server, HTTP is"


class ErrorReplies:
    """Answers requests that are refused or unsupported, that no route takes, or that fail.

    Attributes:
        handlers: for an application of Starlette.
    """

    def __init__(self, profile: ProfileName, traffic: Traffic) -> None:
        self._profile = profile
        self._traffic = traffic
        self.handlers: dict[Any, Handler] = {
            RefusedError: self.refused,
            RequestError: self._invalid,
            UnsupportedError: self._unsupported,
            UnknownIDError: self._unsupported,
            HTTPException: self._unrouted,
            ClientDisconnect: self._left,
            Exception: self._failed,
        }

    async def refused(self, request: Request, error: Exception) -> Response:
        """For RefusedError: an error in the shape of the API; the log says why. What a suite sent
        is listed, too. (An upstream's failure, with status 502, is that of a miss, which is.)
        """
        assert isinstance(error, RefusedError)
        path = request.scope["path"]
        said = credentials_of(request.scope).masked(str(error))
        if error.status < 500 and not is_control_path(path):
            asked = UnsupportedRequest.of(request.method, path_of(request.scope), said)
            if asked is not None:
                return self._listed(request, asked, self._reply(path, error))
        add_lines(request, note_line(f"refused {request_line(request.scope)}: {said}"))
        return RenderedResponse(request, self._reply(path, error))

    async def _invalid(self, request: Request, error: Exception) -> Response:
        """For RequestError: the body is not a request, or has no digest."""
        assert isinstance(error, RequestError)
        return await self.refused(request, RefusedError(400, error.code, str(error)))

    async def _unsupported(self, request: Request, error: Exception) -> Response:
        """For UnsupportedError: the route has this path, and no fixture can give what is asked for.
        For UnknownIDError: nor one that continues what is not known.
        """
        path, reason, reply = path_of(request.scope), str(error), None
        if isinstance(error, UnknownIDError):
            reason = error.reason
            reply = api_at(path).replies.writer(self._profile).error_reply(error.reply)
        reason = credentials_of(request.scope).masked(reason)
        asked = UnsupportedRequest.of_feature(request.method, path, reason)
        return self._listed(request, asked, reply)

    async def _unrouted(self, request: Request, error: Exception) -> Response:
        """For Starlette's HTTPException: no route has this path, or this method."""
        assert isinstance(error, HTTPException)
        path, method = path_of(request.scope), request.method
        if method == "OPTIONS" and not is_control_path(path):  # of a web page that is about to ask
            return Response(status_code=204)
        asked = None if is_control_path(path) else UnsupportedRequest.of(method, path)
        if asked and request.headers.get("upgrade", "").lower() == "websocket":
            return self._listed(request, asked._replace(reason=_WEBSOCKET))
        # The path of a model may be followed by what to do with it: ``:embedContent``.
        if error.status_code == 405 and not (asked and asked.api and asked.reason):
            allowed = ", ".join(sorted((error.headers or {})["Allow"].split(", ")))
            message = f"{target(request.scope)} takes {allowed}, not {method}"
            headers = (("Allow", allowed),)
            return await self.refused(
                request, RefusedError(405, "method_not_allowed", message, headers)
            )
        if asked is not None:
            return self._listed(request, asked)
        message = f"there is no {target(request.scope)}"
        return await self.refused(request, RefusedError(404, "not_found", message))

    async def _failed(self, request: Request, error: Exception) -> Response:
        """For any other exception, which uvicorn reports to the log."""
        message = f"{type(error).__name__}: {error}"
        refused = RefusedError(500, "internal_error", message)
        return RenderedResponse(request, self._reply(request.scope["path"], refused))

    async def _left(self, request: Request, error: Exception) -> Response:
        """For Starlette's ClientDisconnect: no reply can be sent; the log says why."""
        why = str(error) or "the client left before its reply"
        add_lines(request, note_line(f"{request_line(request.scope)}: {why}"))
        return NoResponse()

    def _listed(
        self, request: Request, asked: UnsupportedRequest, reply: HTTPReply | None = None
    ) -> Response:
        """Log and keep an unsupported request, and send the usual error, or ``reply``."""
        if not is_verification(request.headers):
            test = request.state.test.name
            self._traffic.unsupported(asked, test)
            add_lines(request, unsupported_line(asked) + asked_line(test, str(asked)))
        return RenderedResponse(request, reply or unsupported_reply(asked))

    def _reply(self, path: str, error: RefusedError) -> HTTPReply:
        kind = "server_error" if error.status >= 500 else "invalid_request_error"
        reply = ErrorReply(error.status, str(error), kind, error.code)
        return api_at(path).replies.writer(self._profile).error_reply(reply, error.headers)
