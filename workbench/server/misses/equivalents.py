"""Answering misses from the fixtures of other requests: of those that say the same in other words
and, if the setting ``normalise`` allows it, of stale ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import TYPE_CHECKING

from workbench.core.digest import RequestError
from workbench.core.fixture.variants import for_request
from workbench.core.log.lines import served_line
from workbench.core.replies.answer import Answer, Lookup, find_answer
from workbench.core.requests.view import RequestView
from workbench.core.requests.volatile_kinds import Kind
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.store import FixtureStore
from workbench.server.wire.turns import Turns

if TYPE_CHECKING:
    from workbench.core.requests.nearest import Nearest
    from workbench.io.fixture.nearest import NearestIndex


class Equivalents:
    """Finds the fixture whose request is written differently."""

    def __init__(self, fixtures: EquivalentFixtures) -> None:
        self._fixtures = fixtures
        self._turns = Turns()

    @property
    def is_busy(self) -> bool:
        return self._fixtures.is_being_read

    async def answer(self, miss: Answer, form: str) -> tuple[Answer, str] | None:
        """The answer to a miss and its log line, if there is such a fixture.

        Args:
            form: the digest of the canonical form of its request.
        """
        # One thread at a time: while the folder is read, all that wait would need one each.
        return await self._turns.in_thread(self._answer, miss, form)

    def _answer(self, miss: Answer, form: str) -> tuple[Answer, str] | None:
        found = self._fixtures.of_form(form, but=miss.digest)
        if found is None:
            return None
        digest, fixture = found
        line = served_line(digest, equivalent_to=miss.digest)
        return _answered(miss, lambda _: fixture, line)


class Normalise:
    """Finds the one fixture whose request is the same after these kinds of text are masked."""

    def __init__(self, store: FixtureStore, nearest: NearestIndex, kinds: Collection[Kind]) -> None:
        self._store = store
        self._nearest = nearest
        self._kinds = kinds

    async def answer(self, miss: Answer) -> tuple[Answer, str] | None:
        """The answer to a miss and what the log says of it, if there is such a fixture."""
        return await asyncio.to_thread(self._answer, miss)

    def _answer(self, miss: Answer) -> tuple[Answer, str] | None:
        nearest = self._find(miss.request)
        if nearest is None:
            return None
        digest, kinds = nearest.digest, ", ".join(nearest.kinds)
        line = f"[workbench] served fixture {digest} for {miss.digest} after masking {kinds}\n"
        said = f"{served_line(digest)}{line}"
        return _answered(miss, lambda _: self._store.load(digest), said)

    def _find(self, request: RequestView) -> Nearest | None:
        try:
            self._nearest.refresh()
            return self._nearest.same_but_for(request.digest, request, self._kinds)
        except (OSError, RequestError):
            return None


def _answered(miss: Answer, load: Lookup, said: str) -> tuple[Answer, str] | None:
    """The answer of the fixture that ``load`` returns, if it can be used, and what to log."""
    found = find_answer(miss.request, miss.digest, for_request(miss.request, load))
    return (found, said) if found.source == "fixture" else None
