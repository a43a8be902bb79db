"""Calls of an application's nodes: made live, recorded, or answered from a recording.

Which of the three is said by the context (``contextvars``), never by a global: a replay in one
thread or task leaves the others alone, and ends with its block, whatever happens in it. Tasks and
``asyncio.to_thread`` take part in it; a thread that the application starts takes part when it runs
in a copy of the context (``contextvars.copy_context().run``).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from workbench.core.runs.exchanges import Mark, Outcome, Raised, Returned
from workbench.testing.runs.values import decode, encode

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


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a run a checkpoint is saved.

    Attributes:
        run: the id of the run.
        journal: the file of the run.
        position: the last exchange before the checkpoint; 0 for none.
        parent: the id of the checkpoint before it, where the mode knows it.
    """

    run: str
    journal: Path
    position: int
    parent: str = ""


class Mode(Protocol):
    """What happens to a call instead of its being made live and forgotten."""

    def outcome(self, request: Request) -> Outcome | None:
        """The recorded outcome; None where the call is to be made. Raises MissingReplyError."""

    def made(self, request: Request, outcome: Outcome, started: float) -> None:
        """Take note of a call that was made since ``started`` (of ``time.perf_counter``)."""

    def parsed(self, value: Any) -> None:
        """Take note of what the application made of the last reply."""

    def place(self, iteration: int) -> Place | None:
        """Where a checkpoint of ``iteration`` is saved; None where it is not to be saved."""

    def mark(self, mark: Mark) -> None:
        """Take note of a checkpoint that was saved."""


_mode: ContextVar[Mode | None] = ContextVar("workbench_mode", default=None)
_node: ContextVar[str] = ContextVar("workbench_node", default="")
# The position of the exchange recorded last in this context; 0 where the last call was replayed.
last_recorded: ContextVar[int] = ContextVar("workbench_last_recorded", default=0)


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
        NotAValueError: the result is neither a JSON value nor a date, or an argument is neither,
            nor a pydantic model or dataclass.
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
    mode.made(request, Returned(encode(result, f"the result of {name}", exact=True)), started)
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
    mode.made(request, Returned(encode(result, f"the result of {name}", exact=True)), started)
    return result


def parsed(value: _Result) -> _Result:
    """Note what the application made of the last reply; returns it. Outside of a recording nothing
    happens. What cannot be kept is noted as its ``repr``.
    """
    mode = _mode.get()
    if mode is not None:
        mode.parsed(value)
    return value


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
