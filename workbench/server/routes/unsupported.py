"""Handles requests that the server does not support: an error reply, a log line, and a row in the
control API.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from workbench.core.apis.unsupported import UnsupportedRequest, unsupported_reply
from workbench.core.control import MissRow
from workbench.core.log.lines import asked_line, unsupported_line
from workbench.core.replies.http_reply import HTTPReply
from workbench.server.exchanges import Sightings
from workbench.server.log import add_lines
from workbench.server.wire.incoming import is_verification
from workbench.server.wire.responses import RenderedResponse

# Any client may ask for any path; of more than that the oldest are forgotten.
MAX_ROWS: Final = 1000


class _Row(NamedTuple):
    """Requests of one method to one path."""

    asked: UnsupportedRequest
    seen: Sightings

    def row(self, *, ignored: bool = False) -> MissRow:
        return MissRow.of_unsupported(self.asked, ignored=ignored, **self.seen.record())


class UnsupportedRequests:
    """Answers unsupported requests, sends an event for each, and lists them in the order first
    seen.
    """

    def __init__(self, publish: Callable[[str, dict[str, Any]], None]) -> None:
        self._publish = publish
        self._rows: dict[str, _Row] = {}

    def rows(self, ignored: Collection[str]) -> list[MissRow]:
        """One for each method and path; those on the ignore list are ``POST /v1/moderations`` or
        the like.
        """
        rows = self._rows.values()
        return [row.row(ignored=row.asked.line in ignored) for row in rows]

    def answer(
        self, request: Request, asked: UnsupportedRequest, reply: HTTPReply | None = None
    ) -> Response:
        """The error that is sent: the usual one, or ``reply``."""
        if not is_verification(request.headers):
            test = request.state.test
            self._keep(asked, test)
            add_lines(request, unsupported_line(asked) + asked_line(test, str(asked)))
        return RenderedResponse(request, reply or unsupported_reply(asked))

    def _keep(self, asked: UnsupportedRequest, test: str) -> None:
        row = self._rows.setdefault(str(asked), _Row(asked, Sightings()))
        row.seen.add(test)
        if len(self._rows) > MAX_ROWS:
            del self._rows[next(iter(self._rows))]
        self._publish("unsupported", row.row().record())
