"""What happens to an application's calls: they are recorded, or answered from a recording."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.core.runs.exchanges import End, Exchange, Mark, Outcome, Parsed, Source
from workbench.core.runs.replay import MissingReplyError, ReplayBook, Taken
from workbench.io.journal import JournalWriter
from workbench.testing.runs.recording import Place, Request, last_recorded
from workbench.testing.runs.values import NotAValueError, encode


class Recorder:
    """Makes each call and appends it to a run. Safe to use from several threads.

    Args:
        run: the id of the run.
        writer: of its journal.
        last: the position of the exchange before.
        calls: how many calls each node has made before.
    """

    def __init__(
        self,
        run: str,
        writer: JournalWriter,
        *,
        last: int = 0,
        calls: Mapping[str, int] | None = None,
    ) -> None:
        self.run = run
        self.path = writer.path
        self._append = writer.append
        self._started = time.perf_counter()
        self._lock = threading.Lock()
        self._calls = Counter(calls or {})
        self.last = last

    def outcome(self, request: Request) -> None:  # noqa: ARG002  # nothing is recorded yet
        return None

    def made(
        self, request: Request, outcome: Outcome, started: float, source: Source | None = None
    ) -> None:
        now = time.perf_counter()
        with self._lock:
            self._calls[request.node] += 1
            exchange = Exchange(
                position=self.last + 1,
                node=request.node,
                call=self._calls[request.node],
                request=request.value,
                outcome=outcome,
                digest=request.digest,
                source=source or ("recorded" if request.digest else "call"),
                stream=request.stream,
                at_ms=round(max(started - self._started, 0) * 1000, 3),
                ms=round((now - started) * 1000, 3),
            )
            self._append(exchange)
            self.last += 1
            last_recorded.set(self.last)

    def parsed(self, value: Any) -> None:
        try:
            kept = encode(value)
        except NotAValueError:
            kept = repr(value)
        if position := last_recorded.get():
            self._append(Parsed(position, kept))

    def place(self, iteration: int) -> Place:  # noqa: ARG002  # each checkpoint is a new one
        return Place(self.run, self.path, self.last)

    def mark(self, mark: Mark) -> None:
        self._append(mark)

    def end(self, problem: str = "") -> None:
        self._append(End(problem))


class Replayer:
    """Answers each call from a recording; none is made, unless ``beyond`` takes those that the
    recording has no reply for. Safe to use from several threads.

    Args:
        start: the position of the exchange before the first one.
        parent: the id of the checkpoint that the replay starts from.
        marks: the checkpoints that the run of ``beyond`` has already.

    Attributes:
        notes: what was not as recorded, in the order of the calls.
        missing: of the first call that had no reply; an application may have swallowed it.
    """

    def __init__(
        self,
        exchanges: list[Exchange],
        beyond: Recorder | None = None,
        *,
        start: int = 0,
        parent: str = "",
        marks: Iterable[Mark] = (),
    ) -> None:
        self._book = ReplayBook(exchanges)
        self._lock = threading.Lock()
        self._beyond = beyond
        self._position = start
        self._parent = parent
        self._marks = {(mark.after, mark.iteration): mark.checkpoint for mark in marks}
        self.notes: list[Taken] = []
        self.missing: MissingReplyError | None = None

    def outcome(self, request: Request) -> Outcome | None:
        with self._lock:
            try:
                taken = self._book.take(request.node, request.value, request.digest)
            except MissingReplyError as error:
                if self._beyond is not None:
                    return None
                self.missing = self.missing or error
                raise
            last_recorded.set(0)
            self._position = max(self._position, taken.exchange.position)
            if str(taken):
                self.notes.append(taken)
            return taken.exchange.outcome

    def made(self, request: Request, outcome: Outcome, started: float) -> None:
        if self._beyond is not None:
            with self._lock:
                self._beyond.made(request, outcome, started)
                self._position = self._beyond.last

    def parsed(self, value: Any) -> None:
        if self._beyond is not None:
            self._beyond.parsed(value)

    def place(self, iteration: int) -> Place | None:
        """Where a live continuation saves a checkpoint; None where its run has that one already,
        and in a replay without live calls: what was recorded stays as it is.
        """
        if self._beyond is None:
            return None
        with self._lock:
            position, parent = self._position, self._parent
            known = self._marks.get((position, iteration))
            if known is not None:
                self._parent = known
                return None
        return Place(self._beyond.run, self._beyond.path, position, parent)

    def mark(self, mark: Mark) -> None:
        if self._beyond is not None:
            self._beyond.mark(mark)
            self._parent = mark.checkpoint

    def unused(self) -> list[Exchange]:
        """The recorded exchanges nobody asked for."""
        return self._book.unused()
