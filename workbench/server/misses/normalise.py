"""Answering a request from a stale fixture, if the setting ``normalise`` allows it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from workbench.core.digest import RequestError
from workbench.core.fixtures.variants import for_request
from workbench.core.log.lines import served_line
from workbench.core.replies.answer import Answer
from workbench.core.replies.answer import answer as find_answer
from workbench.core.requests.view import RequestView
from workbench.core.requests.volatile import Kind
from workbench.io.fixtures.store import FixtureStore

if TYPE_CHECKING:
    from workbench.core.requests.nearest import Nearest
    from workbench.session.misses.nearest import NearestIndex


class Normalise:
    """Finds the one fixture whose request is the same after these kinds of text are masked."""

    def __init__(self, store: FixtureStore, kinds: Collection[Kind]) -> None:
        self._store = store
        self._kinds = kinds
        self._book: NearestIndex | None = None

    async def answer(self, request: RequestView, miss: Answer) -> tuple[Answer, str] | None:
        """The answer to a miss and what the log says of it, if there is such a fixture."""
        nearest = await asyncio.to_thread(self._find, request)
        if nearest is None:
            return None
        lookup = for_request(request, lambda _: self._store.load(nearest.digest))
        answer = find_answer(request, miss.digest, lookup)
        if answer.source != "fixture":
            return None
        kinds = ", ".join(nearest.kinds)
        line = (
            f"[workbench] served fixture {nearest.digest} for {miss.digest} after masking {kinds}"
        )
        return answer, f"{served_line(nearest.digest)}{line}\n"

    def _find(self, request: RequestView) -> Nearest | None:
        from workbench.session.misses.nearest import NearestIndex

        book = self._book = self._book or NearestIndex(self._store)
        try:
            book.refresh()
            return book.same_but_for(request.digest, request, self._kinds)
        except (OSError, RequestError):
            return None
