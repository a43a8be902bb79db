"""Calls of an application's nodes: made live, recorded, or answered from a recording.

Which of the three is said by the context (``contextvars``), never by a global: a replay in one
thread or task leaves the others alone, and ends with its block, whatever happens in it.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ParamSpec, Protocol, TypeVar

from workbench.core.replay import MissingReplyError, ReplayBook, Taken
from workbench.core.runs import (
    End,
    Exchange,
    Mark,
    Outcome,
    Parsed,
    Raised,
    Returned,
    Source,
)
from workbench.io.journal import JournalWriter
from workbench.testing.values import NotAValueError, decode, encode

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class RecordedError(Exception):
    """What a replay raises where the recorded call raised, unless that was a built-in exception."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


@dataclass(frozen=True, slots=True)
class Request:
    """What a node asks: the arguments of a call, or the payload of an LLM call."""

    node: str
    value: Any
    digest: str | None = None
    stream: bool = False


class Mode(Protocol):
    """What happens to a call instead of its being made live and forgotten."""

    def outcome(self, request: Request) -> Outcome | None:
        """The recorded outcome; None where the call is to be made. Raises MissingReplyError."""

    def made(self, request: Request, outcome: Outcome, started: float) -> None:
        """Take note of a call that was made since ``started`` (of ``time.perf_counter``)."""

    def parsed(self, value: Any) -> None:
        """Take note of what the application made of the last reply."""


_mode: ContextVar[Mode | None] = ContextVar("workbench_mode", default=None)
_node: ContextVar[str] = ContextVar("workbench_node", default="")
# Of the exchange recorded last in this context; 0 where the last call was none.
_position: ContextVar[int] = ContextVar("workbench_position", default=0)


def current_mode() -> Mode | None:
    return _mode.get()


def current_node() -> str:
    """The node whose block this is; "" outside of one."""
    return _node.get()


@contextmanager
def within(mode: Mode) -> Iterator[None]:
    """Calls in this block, in this context, go through ``mode``."""
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


@contextmanager
def node(name: str) -> Iterator[None]:
    """LLM calls in this block are the node ``name``'s."""
    token = _node.set(name)
    try:
        yield
    finally:
        _node.reset(token)


def call(
    name: str,
    function: Callable[_Arguments, _Result],
    /,
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result:
    """Call ``function`` as node ``name``: recorded while a run is, and not called in a replay,
    which gives what it returned or raises what it raised.

    Raises:
        NotAValueError: an argument or the result is neither a JSON value nor a date.
        MissingReplyError: in a replay, the run has no such call left.
        RecordedError: in a replay, the recorded call raised an exception that is not built in.
    """
    mode = _mode.get()
    if mode is None:
        return function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.outcome(request)
    if recorded is not None:
        result: _Result = _given(recorded)
        return result
    started = time.perf_counter()
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        mode.made(request, _raised(error), started)
        raise
    mode.made(request, Returned(encode(result, f"the result of {name}")), started)
    return result


async def acall(
    name: str,
    function: Callable[_Arguments, Awaitable[_Result]],
    /,
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result:
    """``call`` for a function that is awaited."""
    mode = _mode.get()
    if mode is None:
        return await function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.outcome(request)
    if recorded is not None:
        result: _Result = _given(recorded)
        return result
    started = time.perf_counter()
    try:
        result = await function(*args, **kwargs)
    except Exception as error:
        mode.made(request, _raised(error), started)
        raise
    mode.made(request, Returned(encode(result, f"the result of {name}")), started)
    return result


def parsed(value: _Result) -> _Result:
    """Note what the application made of the last reply; returns it. Outside of a recording nothing
    happens. What cannot be kept is noted as its ``repr``.
    """
    mode = _mode.get()
    if mode is not None:
        mode.parsed(value)
    return value


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
            _position.set(self.last)

    def parsed(self, value: Any) -> None:
        try:
            kept = encode(value)
        except NotAValueError:
            kept = repr(value)
        if position := _position.get():
            self._append(Parsed(position, kept))

    def mark(self, mark: Mark) -> None:
        self._append(mark)

    def end(self, problem: str = "") -> None:
        self._append(End(problem))


class Replayer:
    """Answers each call from a recording; none is made, unless ``beyond`` takes those that the
    recording has no reply for.

    Attributes:
        notes: what was not as recorded, in the order of the calls.
        missing: of the first call that had no reply; an application may have swallowed it.
    """

    def __init__(self, exchanges: list[Exchange], beyond: Recorder | None = None) -> None:
        self._book = ReplayBook(exchanges)
        self._lock = threading.Lock()
        self._beyond = beyond
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
            _position.set(0)
            if str(taken):
                self.notes.append(taken)
            return taken.exchange.outcome

    def made(self, request: Request, outcome: Outcome, started: float) -> None:
        if self._beyond is not None:
            self._beyond.made(request, outcome, started)

    def parsed(self, value: Any) -> None:
        if self._beyond is not None:
            self._beyond.parsed(value)

    def unused(self) -> list[Exchange]:
        """The recorded exchanges nobody asked for."""
        return self._book.unused()


def _arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call as one JSON object, those without a name by their place."""
    positional = {str(number): arg for number, arg in enumerate(args)}
    return encode({**positional, **kwargs}, f"the arguments of {name}")


def _raised(error: Exception) -> Raised:
    # Of a KeyError the string is the key's repr.
    is_text = len(error.args) == 1 and isinstance(error.args[0], str)
    return Raised(type(error).__name__, error.args[0] if is_text else str(error))


def _given(outcome: Outcome) -> Any:
    """What a call gives that is not made."""
    match outcome:
        case Returned(value):
            return decode(value)
        case Raised(kind, message):
            raise _exception(kind, message)
    raise RecordedError("TypeError", "the recorded call was an LLM call, this one is none")


def _exception(kind: str, message: str) -> Exception:
    import builtins

    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        try:
            return known(message)
        except TypeError:  # UnicodeDecodeError and its like take more
            pass
    return RecordedError(kind, message)
