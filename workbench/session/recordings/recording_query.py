"""The list of recordings: the facts about each, and what it can be filtered and sorted by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, get_args

from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import Parent
from workbench.io.recordings.recording_file import Recording
from workbench.session.lists.filters import FilterLanguage, FilterStates
from workbench.session.lists.list_query import ListQuery, Order

RecordingState = Literal["complete", "died", "was cut", "no end yet"]
# The word for the state of a recording that cannot be read.
NOT_OPENED: Final = "not opened"


class RecordingFacts(NamedTuple):
    """The facts about a recording that a list shows.

    Attributes:
        calls, checkpoints: how many, including those a fork shares with its parent.
        ended: how it ended, in words: ``died at planner, call 4: …``.
    """

    name: str
    started: str
    calls: int
    checkpoints: int
    state: RecordingState
    ended: str
    parent: Parent | None
    problems: Sequence[str]


def facts_of(recording: Recording) -> RecordingFacts:
    state, ended = _ended(recording)
    header = recording.header
    return RecordingFacts(
        header.name,
        header.started,
        len(recording),
        len(recording.marks),
        state,
        ended,
        header.parent,
        tuple(recording.problems),
    )


def _ended(recording: Recording) -> tuple[RecordingState, str]:
    if recording.end is None:
        return ("was cut", "was cut in the middle") if recording.torn else ("no end yet",) * 2
    if not recording.end.problem:
        return "complete", "complete"
    where = ""
    if len(recording):
        try:
            last = recording.exchange(len(recording))
            where = f" at {last.node or 'a call'}, call {last.call}"
        except FormatError:
            where = f" at exchange {len(recording)}"
    return "died", f"died{where}: {recording.end.problem}"


class RecordingRow(NamedTuple):
    """One recording of the list.

    Attributes:
        id: its file's name without the ending.
        lineage: the recordings it is a fork of, from the first on, and itself: each by
            its id, with its facts. Empty where the recording cannot be read.
        problem: why it cannot be read.
    """

    id: str
    lineage: tuple[tuple[str, RecordingFacts], ...] = ()
    problem: str = ""

    @property
    def facts(self) -> RecordingFacts | None:
        return self.lineage[-1][1] if self.lineage else None

    @property
    def state(self) -> str:
        """The word that the list shows for it."""
        return self.facts.state if self.facts else NOT_OPENED

    @property
    def depth(self) -> int:
        """0 for a recording, 1 for a fork of one, and so on."""
        return max(len(self.lineage) - 1, 0)

    @property
    def text(self) -> str:
        """The text in which a filter searches words."""
        about = f"{self.facts.name} {self.facts.ended}" if self.facts else self.problem
        return f"{self.id} {about}".casefold()


_STATES: Final = FilterStates[RecordingRow](
    (*get_args(RecordingState), NOT_OPENED), lambda row: [row.state]
)

LANGUAGE: Final = FilterLanguage[RecordingRow](lambda word: lambda row: word in row.text, _STATES)


def recording_query() -> ListQuery[RecordingRow]:
    """An empty list of recordings; forks are listed below their parents."""
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


def _order(name: str, rank: Callable[[RecordingFacts], tuple[Any, ...]]) -> Order[RecordingRow]:
    """An order in which equal ones are newest first, and unreadable ones last."""

    def whole_rank(row: RecordingRow) -> tuple[Any, ...]:
        # A fork's begins with its parent's. With the id: two may begin in the same second.
        path = [
            (*rank(facts), -_time(facts.started), recording) for recording, facts in row.lineage
        ]
        return row.facts is None, path, row.id

    return Order(name, whole_rank)


def _time(started: str) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0
