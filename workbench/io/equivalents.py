"""The fixtures of a folder that answer requests equivalent to their own."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.core.apis.table import view
from workbench.core.digest import RequestError, is_digest
from workbench.core.fixtures.document import read_value
from workbench.core.replies.response import FixtureError, fixture_reply
from workbench.core.requests.equivalence import form_digest
from workbench.core.requests.equivalent_index import EquivalentIndex
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
        self._stamps: dict[str, FileStamp] = {}
        self._folder: FileStamp | None = None
        # Files that may change without the folder: just written, or not usable yet.
        self._unsettled: set[str] = set()
        self._lock = threading.Lock()

    def load(self, request: RequestView) -> tuple[str, Mapping[str, Any]] | None:
        """The fixture of an equivalent request, with its digest; None if there is none that can be
        used. Slow the first time.
        """
        try:
            return self.of_form(form_digest(request), but=request.digest)
        except RequestError:
            return None

    def of_form(self, form: str, *, but: str = "") -> tuple[str, Mapping[str, Any]] | None:
        """The same for any request of a canonical form.

        Args:
            form: its digest.
            but: the digest of a fixture that does not count.
        """
        try:
            self.refresh()
            self.take(self._index.find(form))
            digest = self.find(form, but)
            value = self._store.load(digest) if digest is not None else None
        except (OSError, FixtureError):
            return None
        return None if digest is None or value is None else (digest, value)

    def find(self, form: str, digest: str) -> str | None:
        """The fixture that answers a request, as of the last look at the folder.

        Args:
            form: the digest of its canonical form.
            digest: its own; the fixture of that name does not count.
        """
        return next((name for name in self._index.find(form) if name != digest), None)

    def refresh(self) -> set[str]:
        """Read what changed in the folder; returns the digests of the canonical forms whose
        fixtures changed. Raises OSError.
        """
        now = time.time_ns()
        try:
            folder = FileStamp.of(os.stat(self._store.folder))
        except (FileNotFoundError, NotADirectoryError):
            folder = None
        if folder is not None and folder == self._folder:
            return self.take(list(self._unsettled))
        changed = self.take(self._store.digests() | self._stamps.keys())
        self._folder = folder if folder is not None and folder.is_settled(now) else None
        return changed

    def take(self, digests: Iterable[str]) -> set[str]:
        """Read those of these files that changed. Returns as ``refresh``; names that are not
        digests are ignored.
        """
        changed: set[str] = set()
        with self._lock:
            for digest in filter(is_digest, digests):
                stamp = self._store.stamp(digest)
                if stamp != self._stamps.get(digest) or digest in self._unsettled:
                    changed.update(self._index.forms(digest))
                    self._take(digest, stamp)
                    changed.update(self._index.forms(digest))
        return changed

    def _take(self, digest: str, stamp: FileStamp | None) -> None:
        self._unsettled.discard(digest)
        self._index.remove(digest)
        if stamp is None:
            self._stamps.pop(digest, None)
            return
        self._stamps[digest] = stamp
        if not stamp.is_settled(time.time_ns()):
            self._unsettled.add(digest)
        try:
            # Not ``load``, which keeps what it reads.
            value = read_value(self._store.read(digest) or b"")
            fixture_reply(value)
        except (OSError, FixtureError):
            self._unsettled.add(digest)
            return
        request = value.get("request")
        self._index.add(digest, view(request) if isinstance(request, dict) else None)
