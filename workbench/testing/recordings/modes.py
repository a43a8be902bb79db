"""Modes of an application's calls: they are recorded, or answered from a recording.

The mode depends on the context (``contextvars``) and never on a global: a replay in one thread or
task does not change the others, and ends with its block. It includes tasks, ``asyncio.to_thread``,
and threads of the application that run in a copy of the context
(``contextvars.copy_context().run``).
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.recordings.exchanges import CheckpointMark, Exchange, Outcome, Parsed, Record
from workbench.core.recordings.replay import MissingReplyError, RecordedReplies, Taken
from workbench.io.recordings.journal import JournalWriter
from workbench.testing.recordings.values import NotAValueError, encode

__tracebackhide__ = True  # failed tests show their own frames


@dataclass(frozen=True, slots=True)
class Request:
    """The input of a node: the arguments of a call, or the payload of an LLM call."""

    node: str
    value: Any
    digest: str | None = None
    stream: bool = False


@dataclass(frozen=True, slots=True)
class RecordingPosition:
    """Where in a recording a checkpoint is saved; by default in none.

    Attributes:
        position: position of the last exchange before the checkpoint; 0 for none.
        parent: the id of the checkpoint before it, if it is known.
    """

    run: str = ""
    journal: Path | None = None
    position: int = 0
    parent: str = ""


class Mode:
    """Answers each call with a recorded reply, in a replay. A call without one is made and appended
    to a recording, if there is one to append to. Safe for threads.

    Args:
        replies: the recorded exchanges of a replay; None outside of one.
        run: the id of the recording that calls are appended to.
        writer: of its journal; None where no call is made.
        last: the position of its last exchange.
        calls: how many calls each node has made in it.
        position: position of the last exchange before the replay.
        parent: the id of the checkpoint that the replay starts from.
        marks: the checkpoints that the recording has already.

    Attributes:
        notes: calls that were not as recorded, in order.
        missing: the error for the first call without a reply; an application may have caught it.
    """

    def __init__(
        self,
        replies: Iterable[Exchange] | None = None,
        run: str = "",
        writer: JournalWriter | None = None,
        *,
        last: int = 0,
        calls: Mapping[str, int] | None = None,
        position: int = 0,
        parent: str = "",
        marks: Iterable[CheckpointMark] = (),
    ) -> None:
        self.is_replay = replies is not None
        self.notes: list[Taken] = []
        self.missing: MissingReplyError | None = None
        self._replies = RecordedReplies(replies or ())
        self._run = run
        self._writer = writer
        self._started = time.perf_counter()
        self._lock = threading.Lock()
        self._last = last
        self._calls = Counter(calls or {})
        self._position = position
        self._parent = parent
        self._marks = {(mark.after, mark.iteration): mark.checkpoint for mark in marks}

    def recorded(self, request: Request) -> Exchange | None:
        """The recorded exchange; None: the call is to be made. Raises MissingReplyError."""
        if not self.is_replay:
            return None
        with self._lock:
            try:
                taken = self._replies.take(request.node, request.value, request.digest)
            except MissingReplyError as error:
                if self._writer is not None:
                    return None
                self.missing = self.missing or error
                # Without the frames below, which do not help the author of a test.
                raise error.with_traceback(None) from error.__cause__
            _last_recorded.set(0)
            self._position = max(self._position, taken.exchange.position)
            if str(taken):
                self.notes.append(taken)
            return taken.exchange

    def made(self, request: Request, outcome: Outcome, started: float) -> None:
        """Record a call that was made, since ``started`` of ``time.perf_counter``."""
        now = time.perf_counter()
        with self._lock:
            self._calls[request.node] += 1
            exchange = Exchange(
                position=self._last + 1,
                node=request.node,
                call=self._calls[request.node],
                request=request.value,
                outcome=outcome,
                digest=request.digest,
                source="recorded" if request.digest else "call",
                stream=request.stream,
                at_ms=round(max(started - self._started, 0) * 1000, 3),
                ms=round((now - started) * 1000, 3),
            )
            self._append(exchange)
            self._last = self._position = exchange.position
            _last_recorded.set(self._last)

    def parsed(self, value: Any) -> None:
        """Record what the application made of the last reply."""
        if position := _last_recorded.get():
            try:
                kept = encode(value)
            except NotAValueError:
                kept = repr(value)
            self._append(Parsed(position, kept))

    def place(self, iteration: int) -> RecordingPosition | None:
        """Where a checkpoint of ``iteration`` is saved; None: it is not saved, since no call is
        made, or the recording has it already.
        """
        if self._writer is None:
            return None
        with self._lock:
            checkpoint = self._marks.get((self._position, iteration))
            if checkpoint is not None:
                self._parent = checkpoint
                return None
            return RecordingPosition(self._run, self._writer.path, self._position, self._parent)

    def mark(self, mark: CheckpointMark) -> None:
        """Record that a checkpoint was saved."""
        self._append(mark)
        if self.is_replay:
            self._parent = mark.checkpoint

    def _append(self, record: Record) -> None:
        if self._writer is not None:
            self._writer.append(record)

    def unused(self) -> list[Exchange]:
        """The recorded exchanges whose replies were not used."""
        return self._replies.unused()


_mode: ContextVar[Mode | None] = ContextVar("workbench_mode", default=None)
# The position of the exchange recorded last in this context; 0 if the last call was replayed.
_last_recorded: ContextVar[int] = ContextVar("workbench_last_recorded", default=0)


def current_mode() -> Mode | None:
    return _mode.get()


@contextmanager
def within(mode: Mode) -> Iterator[None]:
    """Calls in this block, in this context, go through ``mode``."""
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)
