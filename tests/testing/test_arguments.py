"""Public functions name an argument of the wrong type, what they expect and what was given."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import workbench.testing
from tests.cases import each_case
from workbench.testing import (
    Checkpointer,
    GoldenQuery,
    Reply,
    Run,
    ToolCallSpy,
    call,
    check_grounded,
)

REPLY = Reply.text("x")
GOLDEN = GoldenQuery("a", "q")
SPY = ToolCallSpy(SimpleNamespace(), {})


def run(coroutine: Any) -> None:
    coroutine.send(None)


@each_case(
    "make, message",
    [
        (lambda t: t.Run.load(5), "Run.load: run must be a string or a path, got int: 5"),
        (
            lambda t: t.Checkpointer("d", "p").latest("r"),
            "Checkpointer.latest: run must be a Run, got str: 'r'",
        ),
        (
            lambda t: t.Checkpointer("d", "p").at_iteration(1, "r"),
            "Checkpointer.at_iteration: run must be a Run, got str: 'r'",
        ),
        (
            lambda t: t.MockLLMResponse.create_response("x", tool_calls_made=["search"]),
            "create_response: tool_calls_made must be a list of dicts, got list",
        ),
        (
            lambda t: t.MockLLMResponse.create_tool_response(5),
            "create_tool_response: tool_results must be a list of dicts, got int: 5",
        ),
        (lambda t: t.GoldenQuery(1, "q"), "GoldenQuery: id must be a string, got int: 1"),
        (lambda t: t.GoldenQuery("a", "q", expected_filters=[]), "expected_filters must be a dict"),
        (lambda t: t.GoldenQuery("a", "q", min_results="3"), "min_results must be a whole number"),
        (
            lambda t: t.check_tool("a", SPY),
            "check_tool: golden must be a GoldenQuery, got str: 'a'",
        ),
        (
            lambda t: t.check_filters(GOLDEN, []),
            "check_filters: spy must be a ToolCallSpy, got list",
        ),
        (lambda t: t.check_results(GOLDEN, 3), "results must be a list of results, got int: 3"),
        (
            lambda t: t.check_grounded(None, ["a"]),
            "check_grounded: answer must be a string, got None",
        ),
        (
            lambda t: t.check_grounded("a", "b"),
            "check_grounded: names must be a list, got str: 'b'",
        ),
        (lambda t: t.check_grounded("a"), "give the names of the items, or their ids"),
        (
            lambda t: t.check_relevance(3),
            "check_relevance: scores must be a list of numbers, got int",
        ),
        (lambda t: t.check_ordering(["a"]), "each score must be a number, got str: 'a'"),
        (lambda t: t.check_relevance([1], "0.2"), "threshold must be a number, got str: '0.2'"),
        (lambda t: t.check_differentiation(1, []), "top_a must be a list of results, got int: 1"),
        (lambda t: t.check_schema({}, "object"), "json_schema must be a dict, got str: 'object'"),
        (lambda t: t.check_schema({1, 2}, {}), "value must be a JSON value, got set"),
        (lambda t: t.check_filled(b"x"), "check_filled: prompt must be a string, got bytes"),
        (lambda t: t.ToolCallSpy(SPY, ["search"]), "ToolCallSpy: tools must be a dict .* got list"),
        (
            lambda t: t.ToolCallSpy(SPY, {"a": len}),
            "the function of a must be a string, got builtin",
        ),
        (
            lambda t: t.agent_mock(len, REPLY),
            "target must be the name of a function .*, got builtin_func",
        ),
        (
            lambda t: t.combine(a=[]),
            "combine: a must be a pytest fixture made by agent_mock, got list",
        ),
        (
            lambda t: t.scripted("search", 1).__enter__(),
            "scripted: target must be the name of a func",
        ),
        (
            lambda t: t.Checkpointer(3, "p"),
            "Checkpointer: root must be the path of a folder, got int",
        ),
        (lambda t: t.Checkpointer("c", "p", 3), "Checkpointer: part must be a string, got int: 3"),
        (
            lambda t: t.Checkpointer("c", "p", ds=3),
            "Checkpointer: part must be a string, got int: 3",
        ),
        (lambda t: t.Run.record(3).__enter__(), "Run.record: name must be a string, got int: 3"),
        (lambda t: t.node(3).__enter__(), "node: name must be a string, got int: 3"),
        (lambda t: t.call(len, "a"), "call: name must be a string, got builtin_function_or_method"),
        (lambda t: t.call("len", "a"), "call: function must be a function, got str: 'a'"),
        (lambda t: run(t.acall("len", "a")), "acall: function must be a function, got str: 'a'"),
        (lambda t: t.replay(3, len), "replay: checkpoint must be a Checkpoint or .*, got int: 3"),
        (lambda t: t.replay("c.json", {}), "replay: step must be a function, got dict"),
        (lambda t: run(t.areplay("c.json", {})), "areplay: step must be a function, got dict"),
        (lambda t: t.replay("c.json", len, "5"), "max_iterations must be a whole number, got str"),
        (lambda t: t.replay("c.json", len, run="r"), "replay: run must be a Run, got str: 'r'"),
    ],
)
def test_an_argument_of_the_wrong_type_is_named(make: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        make(workbench.testing)


def test_a_fork_names_what_is_wrong(tmp_path: Path) -> None:
    with Run.record("one", folder=tmp_path) as recording:
        call("length", len, "abc")
    with pytest.raises(TypeError, match=r"Run.fork: at must be a whole number, got str: '1'"):
        recording.fork("1", 5, name="other")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Run.fork: name must be a string, got int: 5"):
        recording.fork(1, 5, name=5)  # type: ignore[arg-type]


def test_a_spy_names_a_function_that_is_not_there() -> None:
    shop = SimpleNamespace(find=len)
    message = "SimpleNamespace has no function 'fnd' for the tool 'search'; did you mean \"find\""
    with pytest.raises(AttributeError, match=message), ToolCallSpy(shop, {"search": "fnd"}):
        pass


def test_earlier_names_of_arguments_work(tmp_path: Path) -> None:
    answer = "[ITEM:7] The **Blue Lamp**."
    assert check_grounded(answer, catalogue=["Blue Lamp"])
    assert check_grounded(answer, ["Blue Lamp"])
    assert check_grounded(answer, ids=[7])
    assert not check_grounded(answer, names=["Red Lamp"])
    one, other = Checkpointer(tmp_path, "p", part="a"), Checkpointer(tmp_path, "p", ds="a")
    assert one.folder == other.folder == tmp_path / "p" / "a"
