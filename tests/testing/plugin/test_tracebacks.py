"""Failures end in the user's line: tracebacks show no frame of the package."""

from __future__ import annotations

import re

import pytest

pytest_plugins = ["pytester"]

USERS = "# the user's line"
FAILURES = """
import asyncio, types
import httpx, pytest
from workbench.testing import (
    Checkpointer, Reply, Run, ToolCallSpy, agent_mock, call, combine, replay, scripted,
)

def llm_call(**given): raise AssertionError("live")

def search(query): return 1 / query  # of the application

mock_agent = agent_mock("test_failures.llm_call", Reply.tool_call("f"), Reply.error(500))

mock_missing = agent_mock("test_failures.lm_call", Reply.text("x"))
mock_all = combine(missing=mock_missing)

def post(mock, **client):
    with httpx.Client(transport=mock.transport(), **client) as http:
        return http.post("http://stub/v1/chat/completions", json={"model": "m", "messages": []})

def test_assert_calls(mock_llm):
    mock_llm.assert_calls(["planner"])  # the user's line

def test_assert_finished(mock_llm):
    mock_llm.script(Reply.text("x"))
    mock_llm.assert_finished()  # the user's line

def test_finished_with_problems(mock_llm):
    post(mock_llm)
    mock_llm.assert_finished()  # the user's line

def test_text_for_roles(mock_llm):
    mock_llm.assert_calls("planner")  # the user's line

def test_header_name(mock_llm):
    mock_llm.role("a", header="X-Node planner")  # the user's line

def test_api(mock_llm):
    mock_llm.base_url_of("anthropics")  # the user's line

def test_by_position(mock_llm):
    mock_llm.as_sync_call()("hi")  # the user's line

def test_calls(mock_llm):
    mock_llm.calls("planer")  # the user's line

def test_no_reply(mock_llm):
    mock_llm.script("text")  # the user's line

def test_no_reply_to_respond(mock_llm):
    mock_llm.respond(5)  # the user's line

def test_header(mock_llm):
    mock_llm.role("a", header={"a": "1", "b": "2"})  # the user's line

@pytest.mark.parametrize("make", [
    lambda: Reply.text(5),  # the user's line
    lambda: Reply.raw(5),  # the user's line
    lambda: Reply.json(object()),  # the user's line
    lambda: Reply.error(200),  # the user's line
    lambda: Reply.tool_call("f", unchecked=5),  # the user's line
    lambda: Reply.tool_call("f", x=object()),  # the user's line
    lambda: Reply.tool_calls("f"),  # the user's line
    lambda: Reply.tool_calls(["f"]),  # the user's line
    lambda: Reply.disconnect(after=-1),  # the user's line
    lambda: Reply.text("x").after(-1),  # the user's line
    lambda: Reply.text("x").chunks_after(-1),  # the user's line
])
def test_replies(make):
    make()

def test_tool_errors(mock_agent):
    llm_call(tools=[{"name": "g"}], tool_executor=lambda *_: "done")
    mock_agent.assert_no_tool_errors()  # the user's line

def test_agent_call(mock_agent):
    llm_call()
    llm_call()  # the user's line

def test_agent_without_reply(mock_agent):
    llm_call()
    pytest.raises(Exception, llm_call)
    llm_call()  # the user's line

def test_missing(mock_missing): pass

def test_missing_in_all(mock_all): pass

def test_async_call_without_reply(mock_llm):
    asyncio.run(mock_llm.as_call()(prompt="x"))  # the user's line

def test_function(mock_llm):
    mock_llm.respond(lambda call: 1 / 0)
    mock_llm.as_sync_call()(prompt="x")  # the user's line

def test_spy():
    tools = types.SimpleNamespace(search=search)
    with ToolCallSpy(tools, {"s": "search"}):
        tools.search(0)  # the user's line

def test_spy_of_nothing():
    with ToolCallSpy(types.SimpleNamespace(), {"s": "search"}):  # the user's line
        pass

def test_scripted():
    with scripted("test_failures.search", ValueError("scripted")):
        search(1)  # the user's line

def test_scripted_without_results():
    with scripted("test_failures.search"):  # the user's line
        pass

@pytest.mark.parametrize("reply", [Reply.refused(), Reply.disconnect(), Reply.timeout()])
def test_transport(mock_llm, reply):
    mock_llm.script(reply)
    post(mock_llm)  # the user's line

def test_stream(mock_llm):
    mock_llm.script(Reply.disconnect(after=1))
    post(mock_llm)  # the user's line

def test_no_checkpoint():
    replay("missing.json", search)  # the user's line

def test_no_iteration(tmp_path):
    Checkpointer(tmp_path, "p").at_iteration(3)  # the user's line

def test_no_run():
    Run.load("missing")  # the user's line

def test_no_exchange_to_fork():
    with Run.record("one") as run:
        pass
    run.fork(9, "x", name="two")  # the user's line

def test_no_value():
    with Run.record("one"):
        call("a", object)  # the user's line

def test_no_recorded_reply(tmp_path):
    checkpoints = Checkpointer(tmp_path, "p", enabled=True)
    with Run.record("one"):
        checkpoints.save({}, 0)
    replay(checkpoints.at_iteration(0), lambda state: call("a", int))  # the user's line

def test_swallowed(mock_llm):
    mock_llm.script(Reply.text("x"), role="planner")
    post(mock_llm)
"""


def test_failures_show_no_frame_of_the_package(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_failures=FAILURES)
    plugins = ("-p", "no:cacheprovider", "-p", "workbench.testing.plugin")
    result = pytester.runpytest_inprocess(*plugins, "-q")
    result.assert_outcomes(passed=1, failed=41, errors=3)
    shown = [line for line in result.outlines if line.startswith(">") and USERS in line]
    assert len(shown) >= 41
    named = "agent_mock cannot replace 'test_failures.lm_call': module"
    assert sum(line.startswith(named) for line in result.outlines) == 2
    # Where a traceback names a place. Values are shown, too, and a task names its function's file.
    assert [line for line in result.outlines if re.match(r"\S*workbench/\S*\.py:\d+:", line)] == []
