"""Misses whose file answers one of their requests, and has no answer to another one."""

from __future__ import annotations

from workbench.core.apis.table import view
from workbench.core.fixture.variants import answers
from workbench.core.misses.index import MissIndex
from workbench.core.replies.response import FixtureError
from workbench.io.fixture.store import FixtureStore


class PartlyAnswered:
    """The digests of these misses, as of the last look at each."""

    def __init__(self, store: FixtureStore, misses: MissIndex) -> None:
        self._store = store
        self._misses = misses
        self._digests: set[str] = set()

    def __contains__(self, digest: str) -> bool:
        return digest in self._digests

    def look_at(self, digest: str) -> None:
        """Look at the file and the requests again."""
        self._digests.discard(digest)
        if self.first_open(digest) is not None:
            self._digests.add(digest)

    def first_open(self, digest: str) -> int | None:
        """The number of the first request, from 0, that the file has no answer to; None where there
        is no file, or only one request.
        """
        miss = self._misses.misses.get(digest)
        if miss is None or len(miss.dumps) < 2:
            return None
        try:
            if self._store.reply(digest) is None:
                return None
        except FixtureError:
            return None
        fixture = self._store.load(digest) or {}
        requests = enumerate(map(view, self._misses.payloads(digest)))
        return next((number for number, one in requests if not answers(fixture, one)), None)
