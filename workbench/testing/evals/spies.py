"""Spies on tools: the real functions run, and their calls are recorded."""

from __future__ import annotations

import copy
import functools
import inspect
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self
from unittest.mock import patch

from workbench.core.text.wording import did_you_mean, near
from workbench.testing.arguments import require, require_text

if TYPE_CHECKING:
    from workbench.core.evals import Check

__tracebackhide__ = True  # failed tests show their own frames

# Values as JSON has them, without null.
_JSON_TYPES: Final = (str, int, float, list, tuple, Mapping)
# The attributes with the functions of tool objects: LangChain's have one or both.
_FUNCTIONS: Final = ("func", "coroutine")
# pydantic-ai calls the function that its schema has.
_SCHEMA, _OF_SCHEMA = "function_schema", "function"
# openai-agents.
_TAKES_JSON: Final = "on_invoke_tool"


@dataclass(slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        name: name of the tool.
        arguments: a copy of the arguments by name, without defaults. If the tool takes one dict of
            arguments, perhaps next to objects such as a database session, this is that dict.
        result: the returned value; None while the tool runs, and if it raised an exception.
        exception: the exception that the tool raised, or None.
    """

    name: str
    arguments: dict[str, Any]
    result: Any = None
    exception: BaseException | None = None


class ToolCallSpy:
    """Records the calls of tools inside a ``with`` block. The real functions run::

        with ToolCallSpy(myapp.tools, {"get_weather": "fetch_weather"}) as spy:
            run_agent("Rain in London?")
        assert spy.first_tool == "get_weather"
        assert spy.first_args == {"city": "London"}

    Args:
        owner: module, class or object in which the application looks up the functions.
        tools: name of each tool → name of its function in ``owner``. A tool object of LangChain,
            pydantic-ai or openai-agents may take the place of a function.

    Attributes:
        calls: calls of all tools, in the order in which they began.

    Raises:
        TypeError: ``tools`` is not such a dict, or an object in ``owner`` is not a function.
        AttributeError: ``owner`` has no such function; raised at the start of the block.
    """

    def __init__(self, owner: Any, tools: Mapping[str, str]) -> None:
        expected = "a dict with the function of each tool, such as {'search': 'run_search'}"
        require("ToolCallSpy", "tools", tools, Mapping, expected)
        for name, attribute in tools.items():
            require_text("ToolCallSpy", "the name of a tool", name)
            require_text("ToolCallSpy", f"the function of {name}", attribute)
        self._owner = owner
        self._tools = dict(tools)
        self._stack = ExitStack()
        self.calls: list[ToolCall] = []

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for name, attribute in self._tools.items():
                for holder, place, spy in self._spies(name, attribute):
                    stack.enter_context(patch.object(holder, place, spy))
            self._stack = stack.pop_all()
        if _observed is not None:
            _observed.spies.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def tool_names(self) -> list[str]:
        """The tool of each call, in order."""
        return [call.name for call in self.calls]

    @property
    def first_tool(self) -> str | None:
        """The name of the first tool that was called; None if there was no call."""
        return self.calls[0].name if self.calls else None

    @property
    def first_args(self) -> dict[str, Any]:
        """The arguments of the first call; {} if there was none."""
        return self.calls[0].arguments if self.calls else {}

    def calls_of(self, tool: str) -> list[ToolCall]:
        """Return the calls of one tool.

        Args:
            tool: name of the tool.
        """
        return [call for call in self.calls if call.name == tool]

    def _spies(self, name: str, attribute: str) -> Iterator[tuple[Any, str, Any]]:
        """For each function of a tool the object that has it, its name there, and what replaces it.

        Raises:
            TypeError: the owner has something else under this name.
            AttributeError: the owner has nothing under this name.
        """
        try:
            tool = getattr(self._owner, attribute)
        except AttributeError:
            guess = did_you_mean(near(attribute, dir(self._owner)))
            owner = getattr(self._owner, "__name__", None) or type(self._owner).__name__
            raise AttributeError(
                f"ToolCallSpy: {owner} has no function {attribute!r} for the tool {name!r}{guess}"
            ) from None
        inside = [] if inspect.isroutine(tool) else functions_of(tool)
        for place in inside:
            spy = self._spied(name, place.function, skip=0, takes_json=place.takes_json)
            yield place.holder, place.attribute, spy
        if inside:
            return
        if not callable(tool):
            kind = type(tool).__name__
            raise TypeError(
                f"ToolCallSpy: {attribute!r} must be a function, got an object of class {kind}. "
                "If it is a tool, give its class and the method that runs it: "
                f'ToolCallSpy({kind}, {{{name!r}: "_run"}})'
            )
        yield self._owner, attribute, self._spy(name, attribute, tool)

    def _spy(self, name: str, attribute: str, function: Any) -> Any:
        """The replacement for a function of the owner, of the same kind."""
        if not isinstance(self._owner, type):
            return self._spied(name, function, skip=0)
        static = inspect.getattr_static(self._owner, attribute)
        if isinstance(static, staticmethod):
            return staticmethod(self._spied(name, static.__func__, skip=0))
        if isinstance(static, classmethod):
            return classmethod(self._spied(name, static.__func__, skip=1))
        return self._spied(name, function, skip=1)

    def _spied(
        self, name: str, function: Callable[..., Any], skip: int, *, takes_json: bool = False
    ) -> Callable[..., Any]:
        """``function``, with its calls recorded.

        Args:
            skip: how many of its first parameters are the object or class itself.
            takes_json: its arguments are in one JSON text.
        """
        signature = _signature(function)

        @functools.wraps(function)
        def spied(*args: Any, **kwargs: Any) -> Any:
            call = ToolCall(name, _arguments(signature, args, kwargs, skip, takes_json))
            self.calls.append(call)
            with _noted(call):
                result = function(*args, **kwargs)
            if inspect.iscoroutine(result):
                return _awaited(call, result)
            call.result = result
            return result

        @functools.wraps(function)
        async def async_spied(*args: Any, **kwargs: Any) -> Any:
            return await spied(*args, **kwargs)

        # A decorator may hide that a function is async: then its result shows it.
        return async_spied if inspect.iscoroutinefunction(function) else spied


@contextmanager
def _noted(call: ToolCall) -> Iterator[None]:
    """Note what this block of a call raises."""
    try:
        yield
    except BaseException as error:
        call.exception = error
        raise


async def _awaited(call: ToolCall, result: Coroutine[Any, Any, Any]) -> Any:
    with _noted(call):
        call.result = await result
    return call.result


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except ValueError:  # some functions written in C have none
        args = inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL)
        kwargs = inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD)
        return inspect.Signature([args, kwargs])


def _arguments(
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    skip: int,
    takes_json: bool,
) -> dict[str, Any]:
    """The arguments of a call by name, copied."""
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:  # calling the function raises it as well
        bound = {**{str(i): value for i, value in enumerate(args)}, **kwargs}
    arguments: dict[str, Any] = {}
    for name, value in list(bound.items())[skip:]:
        parameter = signature.parameters.get(name)
        if parameter is not None and parameter.kind is parameter.VAR_KEYWORD:
            arguments |= value
        else:
            arguments[name] = value
    values = [value for value in arguments.values() if isinstance(value, _JSON_TYPES)]
    if takes_json:
        values = [_read(value) for value in values]
    if len(values) == 1 and isinstance(values[0], Mapping):
        arguments = dict(values[0])
    return {name: _snapshot(value) for name, value in arguments.items()}


def _read(value: Any) -> Any:
    """The value of a JSON text; anything else as it is."""
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return value


def _snapshot(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        return value  # a session or a lock cannot be copied


@dataclass(slots=True)
class Observed:
    """The actions of a test, in order: its checks, and its spies on tools."""

    checks: list[Check] = field(default_factory=list)
    spies: list[ToolCallSpy] = field(default_factory=list)


# Global, since a process runs one test at a time, and async tests may have another context.
_observed: Observed | None = None


@contextmanager
def observing() -> Iterator[Observed]:
    """Observe the checks and spies of this block."""
    global _observed
    before, _observed = _observed, Observed()
    try:
        yield _observed
    finally:
        _observed = before


def note_check(check: Check) -> Check:
    """Add a check to what is observed, if anything is; returns it."""
    if _observed is not None:
        _observed.checks.append(check)
    return check


class ToolFunction(NamedTuple):
    """A function that a tool object of an agent framework runs, as an attribute of ``holder``. The
    framework keeps such an object, so that its function is what has to be replaced.

    Attributes:
        takes_json: it gets the arguments of the tool as one JSON text.
    """

    holder: Any
    attribute: str
    takes_json: bool = False

    @property
    def function(self) -> Any:
        return getattr(self.holder, self.attribute)


def functions_of(tool: Any) -> list[ToolFunction]:
    """The functions of a tool object; [] for any other object."""
    fields = getattr(tool, "__dict__", {})
    if _SCHEMA in fields:
        return [ToolFunction(fields[_SCHEMA], _OF_SCHEMA)]
    if _TAKES_JSON in fields:
        return [ToolFunction(tool, _TAKES_JSON, takes_json=True)]
    return [ToolFunction(tool, name) for name in _FUNCTIONS if callable(fields.get(name))]
