"""Finds misses for which the fixture of another request was written: an equivalent request, whose
fixture answers them, or one that differs only in volatile spans such as dates.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import TYPE_CHECKING

from workbench.core.apis.table import view
from workbench.core.fixture.names import digest_of, name_of
from workbench.core.misses.index import MissIndex
from workbench.core.request_body import RequestError
from workbench.io.fixture.equivalents import EquivalentFixtures

# Comparing begins after the first rows are listed.
if TYPE_CHECKING:
    from workbench.io.fixture.nearest_search import NearestIndex

# Maximum time of one step, after which results are shown and other work continues.
_BATCH_SECONDS = 0.05


class StaleNews:
    """The result of ``read``.

    Attributes:
        masked: the masked digests of misses; None for a request that has none.
        concerned: masked digests whose fixtures changed.
        forms: digests of canonical forms whose fixtures changed.
    """

    def __init__(self) -> None:
        self.masked: dict[str, str | None] = {}
        self.concerned: set[str] = set()
        self.forms: set[str] = set()


class StaleMisses:
    """Compares misses with the requests of fixtures, while both keep growing.

    ``read`` is slow, so call it in one thread at a time; the rest is fast.

    Args:
        nearest: returns the index of the fixtures' requests, which is made at its first use.
    """

    def __init__(
        self,
        nearest: Callable[[], NearestIndex],
        equivalents: EquivalentFixtures,
        misses: MissIndex,
    ) -> None:
        self._nearest = nearest
        self._equivalents = equivalents
        self._misses = misses
        self._by_form: defaultdict[str, dict[str, None]] = defaultdict(dict)
        # The fixture of an equivalent request that each miss had last.
        self._equivalent_of: dict[str, str | None] = {}
        self._masked: dict[str, str | None] = {}
        self._by_masked: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._waiting: dict[str, None] = {}
        self._changed_files: set[str] = set()
        # True if the folder was read, or is being read.
        self._is_begun = False
        self._matching: set[str] = set()

    @property
    def is_behind(self) -> bool:
        """True if ``read`` has work to do. Without fixtures, misses are not compared."""
        nearest = self._nearest()  # made here, before a thread reads
        if self._changed_files or not self._is_begun:
            return True
        return bool(self._waiting) and len(nearest) > 0

    def note_misses(self, digests: Iterable[str]) -> None:
        """Compare these misses at the next ``read``: they are new, or their dump is new."""
        for digest in digests:
            dumps = self._misses.misses[digest].dumps
            if digest not in self._masked and dumps:
                for form in dumps[0].forms:
                    self._by_form[form][digest] = None
                self._equivalent_of[digest] = self.equivalent(digest)
                self._waiting[digest] = None

    def note_files(self, files: Iterable[str]) -> None:
        """Compare these changed files at the next ``read``."""
        if self._is_begun:
            # In one step: a thread may be reading them.
            self._changed_files.update([name for file in files if (name := name_of(file))])

    def read(self) -> StaleNews:
        """Read the changed files and some of the new misses. Raises OSError."""
        from workbench.core.requests.differences import ReadRequest

        news = StaleNews()
        if not self._is_begun:
            self._is_begun = True  # changes are noted from now on
            try:
                news.forms |= self._equivalents.refresh()
                news.concerned |= self._nearest().refresh()
            except OSError:
                self._is_begun = False
                raise
        changed = set()
        while self._changed_files:  # more may be added meanwhile
            changed.add(self._changed_files.pop())
        news.forms |= self._equivalents.take(changed)
        news.concerned |= self._nearest().take(changed)
        until = monotonic() + _BATCH_SECONDS
        for digest in list(self._waiting):
            if news.masked and monotonic() > until:
                break
            payload = self._misses.payload(digest)
            try:
                masked = None if payload is None else ReadRequest(view(payload)).masked_digest
            except RequestError:
                masked = None
            news.masked[digest] = masked
        return news

    def take(self, news: StaleNews) -> set[str]:
        """Store what ``read`` returned; returns the misses whose state may have changed."""
        concerned = set(news.concerned)
        for digest, masked in news.masked.items():
            self._waiting.pop(digest, None)
            self._masked[digest] = masked
            if masked is not None:
                self._by_masked[masked][digest] = None
                concerned.add(masked)
        looked_at = {
            digest
            for masked in concerned & self._by_masked.keys()
            for digest in self._by_masked[masked]
        }
        matching = {digest for digest in looked_at if self.is_stale(digest)}
        changed = matching | (looked_at & self._matching)
        self._matching = self._matching - looked_at | matching
        for form in news.forms & self._by_form.keys():
            changed |= {digest for digest in self._by_form[form] if self._has_other(digest)}
        return changed

    def _has_other(self, digest: str) -> bool:
        """True if the equivalent fixture that answers a miss has changed, or is gone. Its own
        fixture does not count, so saving an answer affects only other misses.
        """
        before, now = self._equivalent_of.get(digest), self.equivalent(digest)
        self._equivalent_of[digest] = now
        return now != before

    def catch_up(self) -> set[str]:
        """Compare everything; returns the misses whose state may have changed. Raises OSError."""
        changed: set[str] = set()
        while self.is_behind:
            changed |= self.take(self.read())
        return changed

    def __len__(self) -> int:
        """How many misses are stale."""
        return len(self._matching)

    @property
    def matching(self) -> list[str]:
        """The stale misses, in the order first seen."""
        # From a copy, because a thread may call this while misses are added.
        return [digest for digest in list(self._misses.misses) if digest in self._matching]

    def fixtures(self, digest: str) -> list[str]:
        """The digests whose fixtures' request equals a miss but for volatile spans, without those
        that were requested in the same suite run as the miss.
        """
        return list(dict.fromkeys(self._fixtures(digest)))

    def is_stale(self, digest: str) -> bool:
        """True if there are such fixtures. There may be hundreds, so the search stops at
        the first.
        """
        return next(self._fixtures(digest), None) is not None

    def _fixtures(self, digest: str) -> Iterator[str]:
        masked = self._masked.get(digest)
        if masked is not None:
            for other in map(digest_of, self._nearest().same_but_volatile(masked)):
                if other != digest and not self._misses.in_one_run(other, digest):
                    yield other

    def equivalent(self, digest: str) -> str | None:
        """The fixture that answers a miss, since its request is equivalent."""
        miss = self._misses.misses.get(digest)
        if miss is None or not miss.dumps:
            return None
        dump = miss.dumps[0]
        return self._equivalents.find(dump.forms, but=digest, variant=lambda: dump.variant)

    def rivals(self, digest: str) -> list[str]:
        """The other misses that are the same but for volatile spans."""
        masked = self._masked.get(digest)
        return [other for other in list(self._by_masked.get(masked or "", ())) if other != digest]
