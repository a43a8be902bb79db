"""The list of runs: the facts about each, and what it can be filtered and sorted by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, get_args

from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import Parent
from workbench.io.recordings.recording_file import RecordedRun
from workbench.session.lists.filters import FilterLanguage, FilterStates, state_field
from workbench.session.lists.list_query import ListQuery, Order

RunState = Literal["complete", "died", "was cut", "no end yet"]
# The word for the state of a run that cannot be read.
NOT_OPENED: Final = "not opened"


class RunFacts(NamedTuple):
    """The facts about a run that a list shows.

    Attributes:
        calls, checkpoints: how many, including those a fork shares with its parent.
        ended: how it ended, in words: ``died at planner, call 4: …``.
    """

    name: str
    started: str
    calls: int
    checkpoints: int
    state: RunState
    ended: str
    parent: Parent | None
    problems: Sequence[str]


def facts_of(run: RecordedRun) -> RunFacts:
    state, ended = _ended(run)
    header = run.header
    return RunFacts(
        header.name,
        header.started,
        len(run),
        len(run.marks),
        state,
        ended,
        header.parent,
        tuple(run.problems),
    )


def _ended(run: RecordedRun) -> tuple[RunState, str]:
    if run.end is None:
        return ("was cut", "was cut in the middle") if run.torn else ("no end yet",) * 2
    if not run.end.problem:
        return "complete", "complete"
    where = ""
    if len(run):
        try:
            last = run.exchange(len(run))
            where = f" at {last.node or 'a call'}, call {last.call}"
        except FormatError:
            where = f" at exchange {len(run)}"
    return "died", f"died{where}: {run.end.problem}"


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
    def state(self) -> str:
        """The word that the list shows for it."""
        return self.facts.state if self.facts else NOT_OPENED

    @property
    def depth(self) -> int:
        """0 for a run, 1 for a fork of one, and so on."""
        return max(len(self.lineage) - 1, 0)

    @property
    def text(self) -> str:
        """What a filter looks for words in."""
        said = f"{self.facts.name} {self.facts.ended}" if self.facts else self.problem
        return f"{self.id} {said}".casefold()


_STATES: Final = FilterStates[RunRow]((*get_args(RunState), NOT_OPENED), lambda row: [row.state])

LANGUAGE: Final = FilterLanguage[RunRow](
    lambda word: lambda row: word in row.text,
    {"is": state_field("is", _STATES), "state": state_field("state", _STATES)},
    _STATES,
)


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
