"""The fixtures of a folder that answer requests equivalent to their own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.core.apis.table import view
from workbench.core.digest import RequestError
from workbench.core.fixtures.document import read_value
from workbench.core.replies.response import FixtureError
from workbench.core.requests.equivalent_index import EquivalentIndex, form_digest
from workbench.core.requests.view import RequestView
from workbench.io.store import FileStamp, FixtureStore


class EquivalentFixtures:
    """Finds the fixture of a request that has none of its own. Thread-safe.

    The first search reads the whole folder. Later ones look for files that were added, replaced or
    removed since, which takes one look at the folder; a request that is changed within its file is
    seen when that file is found, or with the next change of the folder.
    """

    def __init__(self, store: FixtureStore) -> None:
        self._store = store
        self._index = EquivalentIndex()
        self._stamps: dict[str, FileStamp | None] = {}
        self._folder: FileStamp | None = None
        # Files that may change without the folder: just written, or not readable yet.
        self._unsettled: set[str] = set()
        self._lock = threading.Lock()

    def load(self, request: RequestView) -> tuple[str, Mapping[str, Any]] | None:
        """The fixture of an equivalent request, with its digest; None if there is none that can be
        used. Slow the first time.
        """
        try:
            form = form_digest(request)
            with self._lock:
                self._refresh()
                self._read(self._index.find(form))
                found = self._index.find(form)
        except (OSError, RequestError):
            return None
        for digest in found:
            if digest != request.digest and (value := self._loaded(digest)) is not None:
                return digest, value
        return None

    def _loaded(self, digest: str) -> Mapping[str, Any] | None:
        try:
            return self._store.load(digest)
        except FixtureError:
            return None

    def _refresh(self) -> None:
        """Read what changed in the folder. Raises OSError."""
        now = time.time_ns()
        try:
            folder = FileStamp.of(os.stat(self._store.folder))
        except FileNotFoundError:
            folder = None
        if folder is None or folder != self._folder:
            self._read(self._store.digests() | self._stamps.keys())
            self._folder = folder if folder is not None and folder.is_settled(now) else None
        else:
            self._read(list(self._unsettled))

    def _read(self, digests: Iterable[str]) -> None:
        for digest in digests:
            stamp = self._store.stamp(digest)
            if stamp != self._stamps.get(digest) or digest in self._unsettled:
                self._take(digest, stamp)

    def _take(self, digest: str, stamp: FileStamp | None) -> None:
        self._unsettled.discard(digest)
        self._index.remove(digest)
        if stamp is None:
            self._stamps.pop(digest, None)
            return
        self._stamps[digest] = stamp
        request: object = None
        try:
            # Not ``load``, which keeps what it reads.
            request = read_value(self._store.read(digest) or b"").get("request")
        except (OSError, FixtureError):
            self._unsettled.add(digest)
        self._index.add(digest, view(request) if isinstance(request, dict) else None)
        if not stamp.is_settled(time.time_ns()):
            self._unsettled.add(digest)
