"""Spies on tools: the real functions run, and what they got is kept."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self
from unittest.mock import patch

from workbench.testing.evals import watching

# Values as JSON has them; null says nothing.
_WRITTEN_BY_MODELS: Final = (str, int, float, list, tuple, Mapping)


@dataclass(slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        arguments: by name, as they were when it was called; defaults are left out. Of a tool that
            takes its arguments as one dict, alone or beside objects such as a database session,
            that dict.
        result: what it returned; None while it runs, and where it raised.
        exception: what it raised, if it did.
    """

    name: str
    arguments: dict[str, Any]
    result: Any = None
    exception: BaseException | None = None


class ToolCallSpy:
    """Records the calls of some functions inside its ``with`` block, and lets them happen.

    Args:
        owner: the module, class or object that holds the functions. They are looked up there when
            they are called: spy where they are used.
        tools: the name of each tool, and of its function.

    Attributes:
        calls: in the order in which they began.
    """

    def __init__(self, owner: Any, tools: Mapping[str, str]) -> None:
        self._owner = owner
        self._tools = dict(tools)
        self._stack = ExitStack()
        self.calls: list[ToolCall] = []

    def __enter__(self) -> Self:
        __tracebackhide__ = True
        with ExitStack() as stack:
            for name, attribute in self._tools.items():
                stack.enter_context(
                    patch.object(self._owner, attribute, self._spy(name, attribute))
                )
            self._stack = stack.pop_all()
        watched = watching.current()
        if watched is not None:
            watched.spies.append(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def tool_names(self) -> list[str]:
        return [call.name for call in self.calls]

    @property
    def first_tool(self) -> str | None:
        """The tool that was called first; None where none was."""
        return self.calls[0].name if self.calls else None

    @property
    def first_args(self) -> dict[str, Any]:
        """The arguments of the first call; {} where there is none."""
        return self.calls[0].arguments if self.calls else {}

    def calls_of(self, tool: str) -> list[ToolCall]:
        return [call for call in self.calls if call.name == tool]

    def _spy(self, name: str, attribute: str) -> Any:
        """What stands in the place of a function meanwhile, of the same kind."""
        __tracebackhide__ = True
        found = getattr(self._owner, attribute)
        if not isinstance(self._owner, type):
            return self._spied(name, found, skip=0)
        static = inspect.getattr_static(self._owner, attribute)
        if isinstance(static, staticmethod):
            return staticmethod(self._spied(name, static.__func__, skip=0))
        if isinstance(static, classmethod):
            return classmethod(self._spied(name, static.__func__, skip=1))
        return self._spied(name, found, skip=1)

    def _spied(self, name: str, function: Callable[..., Any], skip: int) -> Callable[..., Any]:
        """``function``, with its calls kept.

        Args:
            skip: how many of the first parameters are the object or class itself.
        """
        signature = inspect.signature(function)

        def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
            call = ToolCall(name, _arguments(signature, args, kwargs, skip))
            self.calls.append(call)
            return call

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def spied(*args: Any, **kwargs: Any) -> Any:
                __tracebackhide__ = True
                call = begin(args, kwargs)
                try:
                    call.result = await function(*args, **kwargs)
                except BaseException as error:
                    call.exception = error
                    raise
                return call.result

        else:

            @functools.wraps(function)
            def spied(*args: Any, **kwargs: Any) -> Any:
                __tracebackhide__ = True
                call = begin(args, kwargs)
                try:
                    call.result = function(*args, **kwargs)
                except BaseException as error:
                    call.exception = error
                    raise
                return call.result

        return spied


def _arguments(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], skip: int
) -> dict[str, Any]:
    """The arguments of a call by their names, copied."""
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError:  # the function will say so itself
        bound = {**{str(i): value for i, value in enumerate(args)}, **kwargs}
    given: dict[str, Any] = {}
    for name, value in list(bound.items())[skip:]:
        parameter = signature.parameters.get(name)
        if parameter is not None and parameter.kind is parameter.VAR_KEYWORD:
            given |= value
        else:
            given[name] = value
    return {name: _snapshot(value) for name, value in _flat(given).items()}


def _flat(given: dict[str, Any]) -> dict[str, Any]:
    """The dict of arguments that a tool takes, where nothing else is given that a model could have
    written.
    """
    written = [value for value in given.values() if isinstance(value, _WRITTEN_BY_MODELS)]
    if len(written) == 1 and isinstance(written[0], Mapping):
        return dict(written[0])
    return given


def _snapshot(value: Any) -> Any:
    try:
        return copy.deepcopy(value)
    except Exception:
        # A session or a lock has no copy; it is kept itself.
        return value
