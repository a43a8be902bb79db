"""The recorded runs: which there are, what each holds, and what can be made of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, get_args

from workbench.core import branches
from workbench.core.branches import Parting
from workbench.core.collapse import NotAReplyError, collapse
from workbench.core.jsonspan import dumps
from workbench.core.recorded import fixture_of
from workbench.core.runs import Exchange, Parent, Raised, Returned, RunFormatError, Sent
from workbench.io.journal import SUFFIX
from workbench.io.recorded_run import RecordedRun
from workbench.io.run_writers import write_fork
from workbench.io.store import FixtureChangedError
from workbench.session.drafts import Draft
from workbench.session.session import Session

MOST_PARTINGS: Final = 200

RunState = Literal["complete", "died", "was cut", "no end yet"]
RunSort = Literal["newest first", "by name", "most calls first", "those that died first"]
RUN_SORTS: Final[tuple[RunSort, ...]] = get_args(RunSort)


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a list says of a run without looking into it again.

    Attributes:
        calls, checkpoints: how many; a fork's with those of its parent before it.
        ended: how it ended, in words: ``died at planner, call 4: …``.
        problems: what could not be read of it, one sentence each.
    """

    name: str
    started: str
    calls: int
    checkpoints: int
    state: RunState
    ended: str
    parent: Parent | None
    problems: Sequence[str]


@dataclass(frozen=True, slots=True)
class RunRow:
    """One line of the list of runs.

    Attributes:
        id: its file's name without the ending.
        depth: 0 for a run, 1 for a fork of one, and so on.
    """

    id: str
    depth: int


@dataclass(slots=True)
class RunNews:
    """What files of the folder turned out to be, by the ids of their runs."""

    read: dict[str, tuple[RecordedRun, RunFacts]] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


class ForkError(ValueError):
    """A reply a fork cannot begin with; the text says why, and where."""


class RunBook:
    """The runs of a folder. ``read`` is slow and for a thread; the rest is cheap unless it says
    otherwise.

    Attributes:
        unreadable: why the others cannot be opened, by their ids.
        marked: the runs marked to be compared.
        forks_begun: what was typed for forks that are not written yet, by run and exchange.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: dict[str, RecordedRun] = {}
        self.facts: dict[str, RunFacts] = {}
        self.unreadable: dict[str, str] = {}
        self.marked: list[str] = []
        self.forks_begun: dict[tuple[str, int], str] = {}

    def __len__(self) -> int:
        return len(self.runs) + len(self.unreadable)

    # What comes in

    def read(self, names: Iterable[str]) -> RunNews:
        """Read the files of ``names`` that are journals; those known are read on from where they
        were.
        """
        news, known = RunNews(), dict(self.runs)
        for path in (self.folder / name for name in names if name.endswith(SUFFIX)):
            try:
                run = _read(path, known)
                news.read[path.stem] = run, _facts(run)
            except FileNotFoundError:
                news.gone.add(path.stem)
            except (RunFormatError, OSError) as error:
                news.unreadable[path.stem] = str(error)
        return news

    def apply(self, news: RunNews) -> None:
        """Take in what ``read`` found."""
        for found in (*news.gone, *news.unreadable, *news.read):
            for known in (self.runs, self.facts, self.unreadable):
                known.pop(found, None)
        self.unreadable |= news.unreadable
        for found, (run, facts) in news.read.items():
            self.runs[found], self.facts[found] = run, facts
        self.marked = [run for run in self.marked if run in self.runs]

    # What there is

    def rows(self, sort: RunSort = "newest first", words: str = "") -> list[RunRow]:
        """The runs, each with its forks below it, and behind them what cannot be read.

        Args:
            words: each has to occur in what the row says.
        """
        forks: dict[str | None, list[str]] = {}
        for run in sorted(self.facts, key=lambda run: _order(self.facts[run], sort)):
            forks.setdefault(self.parent_of(run), []).append(run)
        rows = [*_tree(forks, None, 0), *(RunRow(run, 0) for run in sorted(self.unreadable))]
        wanted = words.casefold().split()
        return [row for row in rows if all(word in self._said(row.id) for word in wanted)]

    def _said(self, run: str) -> str:
        facts = self.facts.get(run)
        if facts is None:
            return f"{run} {self.unreadable[run]}".casefold()
        return f"{run} {facts.name} {facts.ended}".casefold()

    def parent_of(self, run: str) -> str | None:
        """The run that ``run`` is a fork of, if it is one of these."""
        parent = self.facts[run].parent
        return parent.run if parent is not None and parent.run in self.facts else None

    def forks_of(self, run: str) -> dict[int, list[str]]:
        """The forks of a run by the exchange whose reply they replace."""
        found: dict[int, list[str]] = {}
        for other, facts in self.facts.items():
            if facts.parent is not None and facts.parent.run == run:
                found.setdefault(facts.parent.at, []).append(other)
        return found

    # Stepping and comparing

    def stepped(self, run: str, position: int) -> str:
        """Where a step through a run has come: what is next, and of a fork whether it is still as
        its parent there.
        """
        recorded, facts = self.runs[run], self.facts[run]
        if position < len(recorded):
            node = recorded.exchange(position + 1).node
            ahead = f", next is {position + 1} ({node or 'no node'})."
        else:
            ahead = f": {facts.ended}."
        said = f"At {position} of {len(recorded)}{ahead}"
        return f"{said} {self._against_parent(run, position)}".rstrip()

    def _against_parent(self, run: str, position: int) -> str:
        above, parent = self.parent_of(run), self.facts[run].parent
        if above is None or parent is None:
            return ""
        name = f'"{self.facts[above].name}"'
        if position < parent.at:
            return f"Shared with {name}."
        before = self.runs[above]
        if position > len(before):
            return f"{name} has no such exchange."
        pair = [before.exchange(position)], [self.runs[run].exchange(position)]
        parted = next(branches.partings(*pair, position), None)
        return f"Not as in {name}: {parted}." if parted else f"As in {name}."

    def partings(self, before: str, after: str) -> list[Parting]:
        """Where two runs differ, what diverged first first; of very many the first ones. Slow: it
        reads both.
        """
        one, other = self.runs[before], self.runs[after]
        shared = other.shared if self.parent_of(after) == before else 0
        found = branches.partings(one.exchanges(shared), other.exchanges(shared), shared + 1)
        return list(islice(found, MOST_PARTINGS))

    # Forking

    def fork_text(self, run: str, at: int) -> str:
        """What the editor of a fork begins with: the reply as the ``response`` of a fixture, or
        the value that another call gave back.
        """
        begun = self.forks_begun.get((run, at))
        if begun is not None:
            return begun
        exchange = self.runs[run].exchange(at)
        value = _response_of(exchange.outcome) if exchange.is_chat else _value(exchange.outcome)
        return dumps(value, indent=2)

    def fork(self, run: str, at: int, text: str, name: str) -> str:
        """Write a child run in which the exchange at ``at`` has another reply; returns its id.

        Args:
            text: JSON, as ``fork_text`` gives it.

        Raises:
            ForkError: ``text`` is no JSON, or no reply.
            FixtureError: the server could not send it.
            OSError: the journal cannot be written.
        """
        value = _parsed(text)
        recorded = self.runs[run]
        exchange = recorded.exchange(at)
        if exchange.is_chat and not isinstance(value, dict):
            raise ForkError("The reply of an LLM call is an object, as response of a fixture.")
        response = value if exchange.is_chat else None
        path = write_fork(recorded, branches.replaced(exchange, response, value), name)
        self.forks_begun.pop((run, at), None)
        self.apply(self.read([path.name]))
        return path.stem


def _read(path: Path, known: dict[str, RecordedRun]) -> RecordedRun:
    """The run of a file, which is known then, as are its parents: none is read twice."""
    run = known.get(path.stem)
    if run is None or path.stat().st_size < run.journal.size:
        run = RecordedRun(path, known)
        above: RecordedRun | None = run
        while above is not None:
            known[above.path.stem] = above
            above = above.parent
    else:
        run.journal.refresh()
    return run


def _facts(run: RecordedRun) -> RunFacts:
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
        except RunFormatError:
            where = f" at exchange {len(run)}"
    return "died", f"died{where}: {run.end.problem}"


def _order(facts: RunFacts, sort: RunSort) -> tuple[Any, ...]:
    newest = -_time(facts.started)
    match sort:
        case "newest first":
            return (newest,)
        case "by name":
            return facts.name.casefold(), newest
        case "most calls first":
            return -facts.calls, newest
        case "those that died first":
            return facts.state == "complete", facts.state == "no end yet", newest


def _time(started: str) -> float:
    try:
        return datetime.fromisoformat(started).timestamp()
    except (ValueError, OverflowError, OSError):
        return 0.0


def _tree(
    forks: Mapping[str | None, Sequence[str]], above: str | None, depth: int
) -> Iterator[RunRow]:
    for run in forks.get(above, ()):
        yield RunRow(run, depth)
        yield from _tree(forks, run, depth + 1)


def _response_of(outcome: object) -> Any:
    """A reply over HTTP as the ``response`` of a fixture; an empty one where there was none."""
    if isinstance(outcome, Sent):
        if outcome.status >= 400:
            return {"error": _error_of(outcome)}
        try:
            return collapse(outcome.content_type, outcome.body)
        except NotAReplyError:
            pass
    return {"content": ""}


def _error_of(sent: Sent) -> dict[str, Any]:
    try:
        told = json.loads(sent.body)["error"]
        told = {key: told[key] for key in ("message", "type", "code") if told.get(key)}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        told = {"message": sent.body.decode("utf-8", "backslashreplace")}
    return {"status": sent.status, **told}


def _value(outcome: object) -> Any:
    return outcome.value if isinstance(outcome, Returned) else None


def _parsed(text: str) -> Any:
    def refuse(constant: str) -> None:
        raise ForkError(f"{constant} is no JSON value.")

    try:
        return json.loads(text, parse_constant=refuse)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ForkError(f"{place}: not JSON: {error.msg}.") from None
    except RecursionError:
        raise ForkError("It is nested too deeply.") from None


def promote(session: Session, exchange: Exchange, *, overwrite: bool = False) -> str:
    """Save the reply of an LLM call as the fixture of its request; returns what is to be said of
    it. ``session.undo`` takes it back.

    Args:
        overwrite: a fixture that is there already.

    Raises:
        NotAReplyError: it is no whole reply.
        SecretError: it holds what looks like a key.
        ValueError: there is no reply, or the request has a draft.
        FixtureChangedError: the request has a fixture already.
        OSError: the fixture cannot be written.
    """
    sent = exchange.outcome
    if exchange.digest is None or not isinstance(sent, Sent):
        failed = exchange.is_chat and isinstance(sent, Raised)
        raise ValueError("the call failed, there is no reply" if failed else "it is no LLM call")
    document, said = fixture_of(
        exchange.request,
        exchange.digest,
        sent.content_type,
        sent.body,
        source="recorded",
        store_request=session.store_request,
    )
    draft = session.drafts.get(exchange.digest)
    if draft is not None and draft.touched and draft.text != document.text:
        raise ValueError("its request has a draft, which is not written over")
    stamp = session.store.stamp(exchange.digest)
    if stamp is not None and not overwrite:
        raise FixtureChangedError(exchange.digest, stamp)
    draft = session.drafts.add(Draft(exchange.digest, document.text, base=stamp, touched=True))
    session.decisions.save(draft, [], overwrite=overwrite)
    return said
