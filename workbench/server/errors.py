"""The error replies of the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from workbench.core.answering.errors import (
    NotRoutedError,
    RefusedError,
    Unsupported,
    UnsupportedError,
    failed,
    not_listed,
)
from workbench.core.apis.replies import UnknownIDError
from workbench.core.apis.unsupported import is_of_api
from workbench.core.log.lines import REFUSED, asked_line, note_line, unsupported_line
from workbench.core.request_body import RequestError
from workbench.io import manual
from workbench.server.state import ServerState
from workbench.server.wire.connection import NoResponse
from workbench.server.wire.guard import is_control_path
from workbench.server.wire.incoming import credentials_of, is_verification, path_of, request_line
from workbench.server.wire.request_state import state_of
from workbench.server.wire.responses import RenderedResponse

ANSWERED: Final = (RefusedError, RequestError, UnsupportedError, UnknownIDError, NotRoutedError)
"""What requests raise that are refused or unsupported, or that no route takes."""


class ErrorReplies:
    """Answers requests that are refused or unsupported, that no route takes, or that fail."""

    def __init__(self, server: ServerState, docs_url: str) -> None:
        self._server = server
        self._docs_url = docs_url

    @property
    def handlers(self) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
        """For an application of Starlette."""
        return {
            **dict.fromkeys(ANSWERED, self.reply),
            HTTPException: self._unrouted,
            ClientDisconnect: self.left,
            Exception: self.failed,
        }

    async def reply(self, request: Request, error: Exception) -> Response:
        """Handle an exception of ``ANSWERED``: list requests of a suite, and log the reason."""
        scope, state = request.scope, state_of(request.scope)
        path, host = path_of(scope), state.host
        if host and isinstance(error, NotRoutedError) and not is_of_api(path):
            error = not_listed()  # what else a program of the API's owner sends there
        notes = [f"workbench run --intercept answers requests to {host}."] if host else []
        if self._docs_url:
            notes.append(f"See {manual.address(self._docs_url, 'apis')}")
        outcome = failed(
            error,
            request.method,
            path,
            self._server.profile,
            masked=credentials_of(scope).masked,
            is_listed=not is_control_path(scope["path"]),
            note=" ".join(notes),
        )
        if not isinstance(outcome, Unsupported):
            state.log_lines += note_line(f"{REFUSED}{request_line(scope)}: {outcome.reason}")
        elif not is_verification(request.headers):
            test, unsupported = state.test.name, outcome.request
            self._server.traffic.unsupported(unsupported, test)
            state.log_lines += unsupported_line(unsupported) + asked_line(test, str(unsupported))
        return RenderedResponse(request, outcome.reply)

    async def _unrouted(self, request: Request, error: Exception) -> Response:
        """For Starlette's HTTPException: the control API has no such path, or not this method."""
        assert isinstance(error, HTTPException)
        allowed = (error.headers or {}).get("Allow", "")
        methods = tuple(sorted(allowed.split(", "))) if allowed else ()
        return await self.reply(request, NotRoutedError(methods))

    async def failed(self, request: Request, error: Exception) -> Response:
        """For any other exception, which uvicorn reports to the log."""
        outcome = failed(error, request.method, path_of(request.scope), self._server.profile)
        return RenderedResponse(request, outcome.reply)

    async def left(self, request: Request, error: Exception) -> Response:
        """For Starlette's ClientDisconnect: no reply can be sent; the reason is logged."""
        why = str(error) or "the client left before its reply"
        state_of(request.scope).log_lines += note_line(f"{request_line(request.scope)}: {why}")
        return NoResponse()
