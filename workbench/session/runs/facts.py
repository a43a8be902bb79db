"""A recorded run in one line: its size, and how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from workbench.core.models import FormatError
from workbench.core.runs.exchanges import Parent
from workbench.io.runs.recorded_run import RecordedRun

RunState = Literal["complete", "died", "was cut", "no end yet"]


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
        return ("was cut", "was cut in the middle") if run.journal.torn else ("no end yet",) * 2
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
