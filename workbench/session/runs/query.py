"""The list of runs: what it can be filtered and sorted by."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, NamedTuple

from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.runs.facts import RunFacts


class RunRow(NamedTuple):
    """One run of the list.

    Attributes:
        id: its file's name without the ending.
        lineage: the runs it is a fork of, from the first on, and the run itself: each by its id,
            with its facts. Empty where the run cannot be read.
        problem: why it cannot be read.
    """

    id: str
    lineage: tuple[tuple[str, RunFacts], ...] = ()
    problem: str = ""

    @property
    def facts(self) -> RunFacts | None:
        return self.lineage[-1][1] if self.lineage else None

    @property
    def depth(self) -> int:
        """0 for a run, 1 for a fork of one, and so on."""
        return max(len(self.lineage) - 1, 0)

    @property
    def text(self) -> str:
        """What a filter looks for words in."""
        said = f"{self.facts.name} {self.facts.ended}" if self.facts else self.problem
        return f"{self.id} {said}".casefold()


LANGUAGE: Final[FilterLanguage[RunRow]] = FilterLanguage(lambda word: lambda row: word in row.text)


def run_query() -> ListQuery[RunRow]:
    """A list of runs, without any yet; forks stand below their parents."""
    return ListQuery(
        {},
        LANGUAGE,
        [
            _order("newest first", lambda _: ()),
            _order("by name", lambda facts: (facts.name.casefold(),)),
            _order("most calls first", lambda facts: (-facts.calls,)),
            _order(
                "those that died first",
                lambda facts: (facts.state == "complete", facts.state == "no end yet"),
            ),
        ],
    )


def _order(name: str, rank: Callable[[RunFacts], tuple[Any, ...]]) -> Order[RunRow]:
    """An order in which equals stand newest first, and what cannot be read comes last."""

    def whole_rank(row: RunRow) -> tuple[Any, ...]:
        # A fork's begins with its parent's. With the id: two runs may begin in the same second.
        path = [(*rank(facts), -_time(facts.started), run) for run, facts in row.lineage]
        return row.facts is None, path, row.id

    return Order(name, whole_rank)


def _time(started: str) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
