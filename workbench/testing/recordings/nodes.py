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
from workbench.testing.arguments import require_text, wrong_type
from workbench.testing.recordings.modes import Request, current_mode
from workbench.testing.recordings.values import decode, encode

__tracebackhide__ = True  # failed tests show their own frames

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

_node: ContextVar[str] = ContextVar("workbench_node", default="")


class RecordedError(Exception):
    """In a replay: the recorded call raised an exception that is not a built-in one.

    Attributes:
        kind: name of the class of the exception.
        message: its message.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(kind, message)  # the arguments, so that it can be pickled
        self.kind = kind
        self.message = message

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def current_node() -> str:
    """The node of the enclosing block; "" outside of one."""
    return _node.get()


@contextmanager
def node(name: str) -> Iterator[None]:
    """Assign the LLM calls inside a ``with`` block to a node: ``with node("planner"):``.

    Args:
        name: name of the node.

    Raises:
        TypeError: ``name`` is not a string.
    """
    require_text("node", "name", name)
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
    """Call ``function`` as the node ``name``: ``call("search", search_web, "London")``. A recording
    keeps the call. A replay does not call the function, but returns or raises what was recorded.

    Args:
        name: name of the node.
        function: called with the other arguments.
        args, kwargs: JSON values, dates, pydantic models or dataclasses.

    Returns:
        The result of the function. In a recording it must be a JSON value or a date.

    Raises:
        TypeError: an argument or the result has no JSON form, or ``function`` is not a function.
        MissingReplyError: in a replay, no recorded call of this node is left.
        RecordedError: in a replay, the recorded call raised an exception that is not a built-in
            one.
    """
    _require_call("call", name, function)
    mode = current_mode()
    if mode is None:
        return function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.recorded(request)
    if recorded is not None:
        result: _Result = _result_of(recorded.outcome)
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
    """Call an async function as the node ``name``; see ``call``: ``await acall("search", search)``.

    Args:
        name, function, args, kwargs: see ``call``.

    Raises:
        TypeError, MissingReplyError, RecordedError: see ``call``.
    """
    _require_call("acall", name, function)
    mode = current_mode()
    if mode is None:
        return await function(*args, **kwargs)
    request = Request(name, _arguments(name, args, kwargs))
    recorded = mode.recorded(request)
    if recorded is not None:
        result: _Result = _result_of(recorded.outcome)
        return result
    started = time.perf_counter()
    with noting_failure(lambda raised: mode.made(request, raised, started)):
        result = await function(*args, **kwargs)
    mode.made(request, _returned(name, result), started)
    return result


def parsed(value: _Result) -> _Result:
    """Record what the application made of the last reply, and return it:
    ``plan = parsed(json.loads(reply))``. Outside a recording this only returns the value.

    Args:
        value: any value; one without a JSON form is recorded as its ``repr``.
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


def _require_call(function: str, name: object, called: object) -> None:
    """Raises TypeError unless these are the name of a node and a function."""
    require_text(function, "name", name)
    if not callable(called):
        raise wrong_type(function, "function", called, "a function")


def _arguments(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The arguments of a call as a JSON object, without credentials; the keys of positional ones
    are their places.
    """
    positional = {str(number): arg for number, arg in enumerate(args)}
    arguments = encode({**positional, **kwargs}, f"the arguments of {name}")
    return without(arguments, named_in(arguments))  # they are written down


def _returned(name: str, result: Any) -> Returned:
    return Returned(encode(result, f"the result of {name}", exact=True))


def _result_of(outcome: Outcome) -> Any:
    """The result of a replayed call. Raises the recorded exception."""
    match outcome:
        case Returned(value):
            return decode(value)
        case Raised(kind, message):
            raise _exception(kind, message)
    raise RecordedError("TypeError", "the recorded call was an LLM call, but this call is not")


def _exception(kind: str, message: str) -> Exception:
    error_class = getattr(builtins, kind, None)
    if isinstance(error_class, type) and issubclass(error_class, Exception):
        try:
            return error_class(message)
        except TypeError:  # UnicodeDecodeError and others take more arguments
            pass
    return RecordedError(kind, message)
