"""Calls of an application's nodes: made live, recorded, or answered from a recording."""

from __future__ import annotations

import builtins
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from workbench.core.recordings.exchanges import Outcome, Raised, Returned
from workbench.core.secrets.bodies import named_in, without
from workbench.testing.recordings.modes import Request, current_mode
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_node: ContextVar[str] = ContextVar("workbench_node", default="")


class RecordedError(Exception):
    """Raised in a replay where the recorded call raised an exception that is not built in."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}")
        self.kind = kind
        self.message = message


def current_node() -> str:
    """The node of the enclosing block; "" outside of one."""
    return _node.get()


@contextmanager
def node(name: str) -> Iterator[None]:
    """LLM calls in this block belong to the node ``name``."""
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
    """Call ``function`` as node ``name``. In a recording, the call is recorded; in a replay it is
    not made, but returns what it returned or raises what it raised.

    Raises:
        NotAValueError: the result is neither a JSON value nor a date, or an argument is neither,
            nor a pydantic model or dataclass.
        MissingReplyError: in a replay, the recording has no such call left.
        RecordedError: in a replay, the recorded call raised an exception that is not built in.
    """
    mode = current_mode()
    if mode is None:
        return function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.recorded(request)
    if recorded is not None:
        result: _Result = _given(recorded.outcome)
        return result
    started = time.perf_counter()
    with noting_failure(lambda raised: mode.made(request, raised, started)):
        result = function(*args, **kwargs)
    mode.made(request, _returned(name, result), started)
    return result


async def acall(
    name: str,
    function: Callable[_Arguments, Awaitable[_Result]],
    /,
    *args: _Arguments.args,
    **kwargs: _Arguments.kwargs,
) -> _Result:
    """The same as ``call``, for an async function."""
    mode = current_mode()
    if mode is None:
        return await function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.recorded(request)
    if recorded is not None:
        result: _Result = _given(recorded.outcome)
        return result
    started = time.perf_counter()
    with noting_failure(lambda raised: mode.made(request, raised, started)):
        result = await function(*args, **kwargs)
    mode.made(request, _returned(name, result), started)
    return result


def parsed(value: _Result) -> _Result:
    """Record what the application made of the last reply; returns it. A value that cannot be kept
    is recorded as its ``repr``. Without a recording this does nothing.
    """
    mode = current_mode()
    if mode is not None:
        mode.parsed(value)
    return value


@contextmanager
def noting_failure(
    note: Callable[[Raised], None], masked: Callable[[str], str] = str
) -> Iterator[None]:
    """Call ``note`` with an exception that the block raises.

    Args:
        masked: removes from the message what must not be recorded.
    """
    try:
        yield
    except Exception as error:
        # The text of a KeyError is the repr of its key.
        is_text = len(error.args) == 1 and isinstance(error.args[0], str)
        message = error.args[0] if is_text else str(error)
        note(Raised(type(error).__name__, masked(message)))
        raise


def _arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call as a JSON object, without credentials; positional ones are named by
    their place.
    """
    positional = {str(number): arg for number, arg in enumerate(args)}
    arguments = encode({**positional, **kwargs}, f"the arguments of {name}")
    return without(arguments, named_in(arguments))  # they are written down


def _returned(name: str, result: Any) -> Returned:
    return Returned(encode(result, f"the result of {name}", exact=True))


def _given(outcome: Outcome) -> Any:
    """What a replayed call returns. Raises what it raised."""
    match outcome:
        case Returned(value):
            return decode(value)
        case Raised(kind, message):
            raise _exception(kind, message)
    raise RecordedError("TypeError", "the recorded call was an LLM call, this one is not")


def _exception(kind: str, message: str) -> Exception:
    error_class = getattr(builtins, kind, None)
    if isinstance(error_class, type) and issubclass(error_class, Exception):
        try:
            return error_class(message)
        except TypeError:  # UnicodeDecodeError and others take more arguments
            pass
    return RecordedError(kind, message)
