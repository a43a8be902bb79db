"""The index of the requests that fixtures store, to find the one nearest to a miss."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Collection, Iterable
from typing import Any

from workbench.core.apis.table import view
from workbench.core.digest import RequestError, is_digest
from workbench.core.fixtures.document import read_value
from workbench.core.replies.response import FixtureError
from workbench.core.requests.differences import Difference, ReadRequest, differences
from workbench.core.requests.index import RequestIndex
from workbench.core.requests.nearest import Nearest, find_nearest, find_same
from workbench.core.requests.view import RequestView
from workbench.core.requests.volatile import Kind
from workbench.io.fixtures.store import FileStamp, FixtureStore

# Keys of a fixture that say what it is for.
_DESCRIPTIONS = ("description", "_comment")


class NearestIndex:
    """The requests that the fixtures of a folder answer. Thread-safe. Reading the folder and
    searching take long: call them from a thread.
    """

    def __init__(self, store: FixtureStore) -> None:
        self._store = store
        self._index = RequestIndex()
        self._stamps: dict[str, FileStamp] = {}
        self._lock = threading.Lock()
        self.is_read = False

    def __len__(self) -> int:
        return len(self._index)

    @property
    def without_request(self) -> int:
        """How many fixtures store no request, so that they cannot be compared."""
        return len(self._stamps) - len(self._index)

    def refresh(self) -> set[str]:
        """Read what changed in the folder; returns the masked digests whose fixtures changed.
        Raises OSError where the folder cannot be read.
        """
        concerned = self.take(self._store.digests() | self._stamps.keys())
        self.is_read = True
        return concerned

    def take(self, digests: Iterable[str]) -> set[str]:
        """Read those of these files that changed. Returns and raises as ``refresh``; names that are
        not digests are ignored.
        """
        concerned: set[str | None] = set()
        with self._lock:
            for digest in filter(is_digest, digests):
                stamp = self._store.stamp(digest)
                if stamp != self._stamps.get(digest):
                    concerned.add(self._index.masked_digest(digest))
                    self._take(digest, stamp)
                    concerned.add(self._index.masked_digest(digest))
        return {masked for masked in concerned if masked is not None}

    def _take(self, digest: str, stamp: FileStamp | None) -> None:
        self._index.remove(digest)
        if stamp is None:
            del self._stamps[digest]
            return
        self._stamps[digest] = stamp
        value = self.fixture(digest) or {}
        request = value.get("request")
        if isinstance(request, dict):
            with contextlib.suppress(RequestError):  # nested too deeply to compare
                self._index.add(digest, view(request))
            return
        descriptions = [text for key in _DESCRIPTIONS if isinstance(text := value.get(key), str)]
        self._index.add_description(digest, "\n".join(descriptions))

    def fixture(self, digest: str) -> dict[str, Any] | None:
        """The fixture as it is in the file now; None where it is gone or broken."""
        try:
            data = self._store.read(digest)
            return None if data is None else read_value(data)
        except (OSError, FixtureError):
            return None

    def _request(self, digest: str) -> RequestView | None:
        request = (self.fixture(digest) or {}).get("request")
        return view(request) if isinstance(request, dict) else None

    def nearest(
        self,
        digest: str,
        request: RequestView,
        *,
        is_beside: Callable[[str], bool] | None = None,
    ) -> Nearest | None:
        """The fixture nearest to a request, if any is like it.

        Args:
            is_beside: says whether a fixture was requested in the same suite run.

        Raises:
            RequestError: the request is nested too deeply.
        """
        with self._lock:
            return find_nearest(digest, request, self._index, self._request, is_beside=is_beside)

    def equivalent(self, digest: str, request: RequestView) -> Nearest:
        """The fixture of an equivalent request as the nearest one. Raises as ``nearest``."""
        count = len(request.messages)
        found = self.differences(digest, request)
        return Nearest(digest, False, 1.0, found, count, count, is_equivalent=True)

    def differences(self, digest: str, request: RequestView) -> tuple[Difference, ...]:
        """Where a request differs from the one a fixture stores; empty where it stores none.
        Raises as ``nearest``.
        """
        stored = self._request(digest)
        return () if stored is None else differences(ReadRequest(stored), ReadRequest(request))

    def same_but_for(
        self, digest: str, request: RequestView, kinds: Collection[Kind]
    ) -> Nearest | None:
        """The one fixture whose request differs in nothing but volatile spans of ``kinds``; None
        where none does or several do. Raises as ``nearest``.
        """
        with self._lock:
            same = find_same(digest, ReadRequest(request), self._index, self._request)
        found = [nearest for nearest in same if set(nearest.kinds) <= set(kinds)]
        return found[0] if len(found) == 1 else None

    def same_but_volatile(self, masked_digest: str) -> list[str]:
        """The fixtures whose requests have this masked digest."""
        return self._index.same_but_volatile(masked_digest)
