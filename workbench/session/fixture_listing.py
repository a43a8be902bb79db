"""Which fixtures a list shows, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, get_args

from workbench.session.fixture_book import EntryKind, FixtureBook, FixtureEntry
from workbench.session.fixture_filter import NO_FIXTURE_FILTER
from workbench.session.misses import Hits

FixtureSort = Literal["file", "findings", "last hit", "answers"]
FIXTURE_SORTS: Final[tuple[FixtureSort, ...]] = get_args(FixtureSort)
_KIND_ORDER: Final = {
    kind: number for number, kind in enumerate(("broken", "error", "warning", "bad name", "fine"))
}


class FixtureListing:
    """The names of a list of fixtures.

    Args:
        served: the digests a log tells were served.

    Attributes:
        only_unused: those that were served are left out.
    """

    def __init__(self, book: FixtureBook, served: Mapping[str, Hits]) -> None:
        self._book = book
        self._served = served
        self.filter = NO_FIXTURE_FILTER
        self.sort: FixtureSort = "file"
        self.only_unused = False

    def names(self) -> list[str]:
        """The names to show, in order."""
        entries = self._book.entries
        wanted = [name for name, entry in entries.items() if self._is_wanted(entry)]
        return sorted(wanted, key=lambda name: self._rank(entries[name]))

    @property
    def depends_on_findings(self) -> bool:
        """Whether more than the names decides what is shown, and where."""
        return bool(self.filter) or self.only_unused or self.sort != "file"

    def counts(self) -> dict[EntryKind, int]:
        """How many files there are of each kind, shown or not."""
        counts: dict[EntryKind, int] = dict.fromkeys(get_args(EntryKind), 0)
        for entry in self._book.entries.values():
            counts[entry.kind] += entry.is_read
        return counts

    def _is_wanted(self, entry: FixtureEntry) -> bool:
        if self.only_unused and (entry.digest is None or entry.digest in self._served):
            return False
        return self.filter.matches(entry)

    def _rank(self, entry: FixtureEntry) -> Any:
        """What decides a row's place; names that are no digest come last."""
        rank: Any = 0
        match self.sort:
            case "findings":
                rank = _KIND_ORDER[entry.kind], -len(entry.findings)
            case "last hit":
                # Those that were never served come first: somebody looks for them.
                hits = self._served.get(entry.digest or "")
                rank = (hits and hits.last) or ""
            case "answers":
                rank = entry.answers == "", entry.answers.casefold()
            case "file":
                pass
        return entry.digest is None, rank, entry.name
