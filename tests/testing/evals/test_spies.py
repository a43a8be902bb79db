"""Spies: the real functions run, and their calls are recorded."""

from __future__ import annotations

import asyncio
import fnmatch
import functools
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from workbench.testing import ToolCallSpy


def search(query: str, *, max_price: float | None = None, **more: Any) -> list[str]:
    """The real function."""
    if query == "boom":
        raise ValueError("no such query")
    more.setdefault("changed", True)
    return [query, str(max_price)]


async def look_up(arguments: dict[str, Any]) -> dict[str, Any]:
    await asyncio.sleep(0)
    arguments["seen"] = True
    return arguments


class Catalogue:
    def __init__(self, size: int) -> None:
        self.size = size

    def find(self, name: str, deep: bool = False) -> tuple[str, int, bool]:
        return name, self.size, deep

    @staticmethod
    def double(number: int, by: int = 2) -> int:
        return number * by

    @classmethod
    def build(cls, size: int, extra: int = 0) -> int:
        return cls(size).size + extra


def holder() -> SimpleNamespace:
    return SimpleNamespace(search=search, look_up=look_up)


def test_e2_the_real_function_runs_and_its_arguments_are_kept() -> None:
    tools = holder()
    with ToolCallSpy(tools, {"search_wines": "search"}) as spy:
        assert tools.search("red", max_price=30, colour="red") == ["red", "30"]
        assert tools.search(query="white") == ["white", "None"]
    assert spy.tool_names == ["search_wines", "search_wines"]
    assert spy.first_tool == "search_wines"
    assert spy.first_args == {"query": "red", "max_price": 30, "colour": "red"}
    assert spy.calls[1].arguments == {"query": "white"}
    assert [call.result for call in spy.calls] == [["red", "30"], ["white", "None"]]


def test_e2_without_a_call_there_is_no_first_one() -> None:
    with ToolCallSpy(holder(), {"search_wines": "search"}) as spy:
        pass
    assert (spy.first_tool, spy.first_args, spy.tool_names) == (None, {}, [])


def test_e2_async_functions_and_a_deep_snapshot() -> None:
    tools, given = holder(), {"filters": {"colour": ["red"]}}
    with ToolCallSpy(tools, {"semantic": "look_up"}) as spy:
        assert asyncio.run(tools.look_up(given))["seen"] is True
    given["filters"]["colour"].append("white")
    assert spy.first_args == {"filters": {"colour": ["red"]}}
    assert spy.calls[0].result is given


def test_e2_exceptions_are_kept_and_raised_again() -> None:
    tools = holder()
    with ToolCallSpy(tools, {"s": "search", "l": "look_up"}) as spy:
        with pytest.raises(ValueError, match="no such query"):
            tools.search("boom")
        with pytest.raises(TypeError):
            tools.search()
        with pytest.raises(TypeError):
            asyncio.run(tools.look_up(5))
    assert [type(call.exception) for call in spy.calls] == [ValueError, TypeError, TypeError]
    assert spy.calls[0].result is None


def test_e2_an_async_function_behind_a_decorator_or_in_an_object() -> None:
    class Tool:
        async def __call__(self, arguments: dict[str, Any]) -> dict[str, Any]:
            return await look_up(arguments)

    @functools.wraps(look_up)
    def traced(*args: Any) -> Any:
        return look_up(*args)

    tools = SimpleNamespace(traced=traced, tool=Tool())
    with ToolCallSpy(tools, {"traced": "traced", "tool": "tool"}) as spy:
        assert asyncio.run(tools.traced({"id": 1}))["seen"] is True
        with pytest.raises(TypeError):
            asyncio.run(tools.tool(5))
    assert [call.result for call in spy.calls] == [{"id": 1, "seen": True}, None]
    assert [type(call.exception) for call in spy.calls] == [type(None), TypeError]


class Find:
    """A tool of a kind that is not known."""

    def run(self, query: str) -> str:
        return query


def test_an_object_that_is_no_function_is_refused_with_what_to_do() -> None:
    tools = SimpleNamespace(find=Find())
    said = "'find' must be a function, got an object of class Find. *ToolCallSpy(Find, *"
    with pytest.raises(TypeError, match=fnmatch.translate(said)):
        ToolCallSpy(tools, {"find_wines": "find"}).__enter__()
    with ToolCallSpy(Find, {"find_wines": "run"}) as spy:
        assert tools.find.run("red") == "red"
    assert (spy.first_tool, spy.first_args) == ("find_wines", {"query": "red"})


def test_a_function_without_a_signature() -> None:
    tools = SimpleNamespace(highest=max)
    with ToolCallSpy(tools, {"highest": "highest"}) as spy:
        assert tools.highest(2, 3) == 3
    assert spy.first_args == {"args": (2, 3)}


def test_e2_the_originals_are_back_afterwards() -> None:
    tools = holder()
    spy = ToolCallSpy(tools, {"s": "search"})

    def fail_inside() -> None:
        with spy:
            assert tools.search is not search
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_inside()
    assert tools.search is search
    tools.search("not seen")
    assert spy.calls == []


def test_a_name_that_is_not_there_leaves_nothing_behind() -> None:
    tools = holder()
    with (
        pytest.raises(AttributeError, match="serach"),
        ToolCallSpy(tools, {"s": "search", "t": "serach"}),
    ):
        raise AssertionError("unreachable")
    assert tools.search is search


def test_e3_methods_of_objects_and_classes() -> None:
    one = Catalogue(1)
    with ToolCallSpy(one, {"find": "find"}) as spy:
        assert one.find("a") == ("a", 1, False)
        assert Catalogue(2).find("b") == ("b", 2, False)
    assert [call.arguments for call in spy.calls] == [{"name": "a"}]
    assert "find" not in vars(one)
    tools = {"find": "find", "double": "double", "build": "build"}
    with ToolCallSpy(Catalogue, tools) as spy:
        assert one.find("c", deep=True) == ("c", 1, True)
        assert Catalogue.double(4, by=3) == one.double(4, 3) == 12
        assert Catalogue.build(5, extra=1) == 6
    assert [(call.name, call.arguments) for call in spy.calls] == [
        ("find", {"name": "c", "deep": True}),
        ("double", {"number": 4, "by": 3}),
        ("double", {"number": 4, "by": 3}),
        ("build", {"size": 5, "extra": 1}),
    ]
    assert Catalogue.double(1) == 2
    assert Catalogue.build(3) == 3


class Session:
    """Such as a database session."""


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((Session(), {"colour": "red"}), {"colour": "red"}),
        ((None, {"colour": "red"}), {"colour": "red"}),
        (({"colour": "red"}, Session()), {"colour": "red"}),
        ((Session(), {}), {}),
        (("red", {"colour": "red"}), {"a": "red", "b": {"colour": "red"}}),
        (({}, {"colour": "red"}), {"a": {}, "b": {"colour": "red"}}),
        (({"colour": "red"}, True), {"a": {"colour": "red"}, "b": True}),
    ],
)
def test_a_tool_that_takes_a_dict_of_arguments(given: Any, kept: dict[str, Any]) -> None:
    tools = SimpleNamespace(use=lambda a, b: None)  # noqa: ARG005
    with ToolCallSpy(tools, {"use": "use"}) as spy:
        tools.use(*given)
    assert spy.first_args == kept


def test_calls_of_one_tool() -> None:
    tools = holder()
    with ToolCallSpy(tools, {"s": "search", "l": "look_up"}) as spy:
        tools.search("a")
        asyncio.run(tools.look_up({"x": 1}))
        tools.search("b")
    assert [call.arguments["query"] for call in spy.calls_of("s")] == ["a", "b"]
    assert [call.arguments for call in spy.calls_of("l")] == [{"x": 1}]


def test_what_cannot_be_copied_is_kept_itself() -> None:
    lock = threading.Lock()
    tools = SimpleNamespace(use=lambda lock, rows: (lock.locked(), len(rows)))
    with ToolCallSpy(tools, {"use": "use"}) as spy:
        assert tools.use(lock, [1]) == (False, 1)
    assert spy.first_args == {"lock": lock, "rows": [1]}
