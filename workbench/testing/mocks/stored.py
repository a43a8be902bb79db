"""Fixtures behind a mock, and what they say of a request that none of them answers."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.io.store import FixtureStore
from workbench.testing.mocks.calls import Call

if TYPE_CHECKING:
    from workbench.session.misses.nearest import NearestBook


class Stored:
    """The fixtures of a folder. Reading all of them takes its time: mocks of a session share one
    of these.
    """

    def __init__(self, store: FixtureStore | Path | str) -> None:
        self.store = store if isinstance(store, FixtureStore) else FixtureStore(Path(store))
        self._lock = threading.Lock()
        self._book: NearestBook | None = None

    def load(self, digest: str) -> Mapping[str, Any] | None:
        """The fixture of a digest, if there is one. Raises FixtureError for a broken one."""
        return self.store.load(digest)

    def nearest(self, call: Call) -> str:
        """The nearest fixture and the first difference, in a sentence."""
        from workbench.core.requests.nearest import sentence
        from workbench.session.misses.nearest import NearestBook

        with self._lock:
            if self._book is None:
                self._book = NearestBook(self.store)
        try:
            self._book.refresh()
        except OSError as error:
            return f"No fixture for {call.digest}; the others cannot be read: {error.strerror}."
        return sentence(call.digest, self._book.nearest(call.digest, call.payload))
