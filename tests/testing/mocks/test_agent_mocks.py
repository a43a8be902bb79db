"""Mocks that replace an application's own functions, as the mocking guide describes them."""

from __future__ import annotations

import asyncio
import functools
import logging
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
import trio
from pydantic import BaseModel

from workbench.testing import (
    AgentCall,
    CallFailedError,
    InvalidOutputError,
    InvalidToolCallError,
    MockLLM,
    MockLLMResponse,
    NoReplyError,
    Reply,
    SyncAgentCall,
    agent_mock,
    combine,
)
from workbench.testing.mocks.patching import AgentMock

HYPOTHESIS = {
    "name": "create_hypothesis",
    "description": "Record a hypothesis.",
    "input_schema": {
        "type": "object",
        "properties": {
            "content": {"type": "string", "minLength": 1},
            "source_premise_ids": {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "confidence": {"type": "number", "minimum": 0.6},
        },
        "required": ["content", "source_premise_ids", "confidence"],
    },
}
GOOD: dict[str, Any] = {"content": "c", "source_premise_ids": ["p1"], "confidence": 0.8}
MODULE = "an_agent_of_the_tests"


class Plan(BaseModel):
    steps: list[str]


@pytest.fixture(autouse=True)
def agent_module() -> Iterator[ModuleType]:
    """A module that imports the function under its own name, as agents do."""
    module = ModuleType(MODULE)

    async def live(**_: Any) -> None:
        raise AssertionError("the live model was called")

    module.llm_call = live  # type: ignore[attr-defined]
    sys.modules[MODULE] = module
    yield module
    del sys.modules[MODULE]


mock_planner = agent_mock(f"{MODULE}.llm_call", Reply.json({"steps": ["a"]}), repeat_last=True)
mock_once = agent_mock(f"{MODULE}.llm_call", Reply.text("one"), Reply.text("two"))
mock_both = combine(planner=mock_planner)


def executor(ran: list[tuple[str, Any]]) -> Any:
    def run(name: str, given: dict[str, Any]) -> str:
        ran.append((name, given))
        return f"{name} recorded"

    return run


def called(mock: MockLLM, **arguments: Any) -> MockLLMResponse:
    return asyncio.run(mock.as_call()(**arguments))


def test_m1_responses() -> None:
    plain = MockLLMResponse.create_response()
    assert plain == MockLLMResponse()
    assert plain.content == "Mock LLM response"
    assert (plain.input_tokens, plain.output_tokens) == (100, 50)
    assert (plain.finish_reasons, plain.tool_calls_made) == (["end_turn"], [])
    made = [{"name": "a", "input": {}, "result": "r"}]
    done = MockLLMResponse.create_tool_response(made)
    assert done.content == "Task completed successfully"
    assert done.tool_calls_made == made
    plan = MockLLMResponse.create_response(Plan(steps=[]), 1, 2, made)
    assert (plan.content, plan.input_tokens, plan.output_tokens) == (Plan(steps=[]), 1, 2)


def test_m2_awaitable_by_keywords_whatever_else_is_passed(mock: MockLLM) -> None:
    mock.script(Reply.text("hello"))
    response = called(mock, messages=[{"role": "user", "content": "hi"}], provider="x", retries=3)
    assert response == MockLLMResponse.create_response("hello")
    [call] = mock.calls()
    assert call.user == "hi"
    for positional in (mock.as_call(), mock.as_sync_call()):
        with pytest.raises(
            TypeError,
            match=r"only keyword arguments, .* give these arguments a name: \('positional',\)",
        ):
            called_anyhow(positional, "positional")


def called_anyhow(call: AgentCall | SyncAgentCall, *args: Any, **given: Any) -> MockLLMResponse:
    if isinstance(call, SyncAgentCall):
        return call(*args, **given)
    return asyncio.run(call(*args, **given))


def test_messages_given_as_text_are_the_user_message(mock: MockLLM) -> None:
    mock.script(Reply.text("hello"))
    called(mock, messages="hi", system="be kind")
    [call] = mock.calls()
    assert (call.user, call.system) == ("hi", "be kind")


def test_an_async_mock_works_under_trio(mock: MockLLM) -> None:
    mock.script(Reply.text("now"), Reply.text("late").after(0.01))

    async def both() -> list[str]:
        call = mock.as_call()
        return [(await call(prompt="x")).content for _ in range(2)]

    assert trio.run(both) == ["now", "late"]


def test_m3_m4_the_executor_runs_in_order_before_the_response(mock: MockLLM) -> None:
    mock.script(
        Reply.tool_calls(
            [
                {"name": "generate_search_query", "arguments": {"query": "q"}},
                {"name": "evaluate_prediction", "arguments": {"determination": "unfalsified"}},
            ]
        )
    )
    ran: list[tuple[str, Any]] = []
    response = called(mock, prompt="test it", tool_executor=executor(ran))
    assert [name for name, _ in ran] == ["generate_search_query", "evaluate_prediction"]
    assert response.tool_calls_made == [
        {
            "name": "generate_search_query",
            "input": {"query": "q"},
            "result": "generate_search_query recorded",
        },
        {
            "name": "evaluate_prediction",
            "input": {"determination": "unfalsified"},
            "result": "evaluate_prediction recorded",
        },
    ]
    assert response.content == "Task completed successfully"


def test_m3_an_async_executor_and_none_at_all(mock: MockLLM) -> None:
    async def run(name: str, given: dict[str, Any]) -> str:
        await asyncio.sleep(0)
        given.clear()  # what it does to its input does not change the record
        return name

    mock.respond(Reply.tool_call("f", x=1))
    response = called(mock, tool_executor=run)
    assert response.tool_calls_made == [{"name": "f", "input": {"x": 1}, "result": "f"}]
    assert called(mock).tool_calls_made == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({**GOOD, "source_premise_ids": []}, "source_premise_ids"),
        ({**GOOD, "content": ""}, "content"),
        ({**GOOD, "confidence": 0.5}, "0.5 is less than the minimum, 0.6"),
        ({"content": "c", "confidence": 0.8}, "source_premise_ids is missing"),
        ({**GOOD, "confidence": "high"}, "confidence"),
    ],
)
def test_m5_m13_what_a_tool_forbids_is_not_run_and_is_surfaced(
    mock: MockLLM, given: dict[str, Any], named: str, caplog: pytest.LogCaptureFixture
) -> None:
    mock.script(Reply.tool_call("create_hypothesis", given, unchecked=True))
    ran: list[tuple[str, Any]] = []
    call = mock.as_call()
    response = asyncio.run(call(tools=[HYPOTHESIS], tool_executor=executor(ran)))
    assert ran == []
    assert call.problems == []
    [made] = response.tool_calls_made
    assert made["result"].startswith("ERROR: ")
    assert named in made["result"]
    assert call.tool_errors == [made]
    assert made["result"] in caplog.text
    with pytest.raises(AssertionError, match="create_hypothesis"):
        call.assert_no_tool_errors()


@pytest.mark.parametrize("kind", ["as_call", "as_sync_call"])
@pytest.mark.parametrize("more", [{}, {"tool_executor": executor([])}], ids=["alone", "executor"])
def test_a_call_that_the_offered_tools_forbid_is_a_mistake(
    mock: MockLLM, kind: str, more: dict[str, Any]
) -> None:
    """Also where no executor would run it."""
    forbidden = {**GOOD, "confidence": "high"}
    mock.script(
        Reply.tool_call("create_hypothesis", forbidden),
        Reply.tool_call("create_hypotheses", GOOD),
        Reply.json({"content": "c"}),
    )
    call = getattr(mock, kind)()
    function = {"name": "create_hypothesis", "parameters": HYPOTHESIS["input_schema"]}
    choice = {"tool_choice": {"type": "function", "function": {"name": "create_hypothesis"}}}
    asked: list[tuple[Any, dict[str, Any], str]] = [
        (HYPOTHESIS, {}, "create_hypothesis, call 0: confidence: "),
        (HYPOTHESIS, {}, 'create_hypotheses, .* did you mean "create_hypothesis"?'),
        ({"type": "function", "function": function}, choice, "source_premise_ids is missing"),
    ]
    for tool, given, said in asked:
        with pytest.raises(InvalidToolCallError, match=said) as raised:
            called_anyhow(call, tools=[tool], **given, **more)
        assert call.problems[-1] is raised.value
    assert call.tool_calls_made == []
    with pytest.raises(AssertionError, match="could not answer"):
        mock.assert_finished()


def test_tools_of_which_the_name_alone_is_known(mock: MockLLM) -> None:
    tools = [called_anyhow, SimpleNamespace(name="search")]
    mock.script(Reply.tool_call("called_anyhow", x=1), Reply.tool_call("search"))
    mock.script(Reply.tool_call("serch"))
    ran: list[tuple[str, Any]] = []
    for _ in range(2):
        called(mock, tools=tools, tool_executor=executor(ran))
    assert ran == [("called_anyhow", {"x": 1}), ("search", {})]
    with pytest.raises(InvalidToolCallError, match='did you mean "search"'):
        called(mock, tools=tools, tool_executor=executor(ran))


def test_m5_what_an_executor_refuses_is_returned_and_surfaced(
    mock: MockLLM, caplog: pytest.LogCaptureFixture
) -> None:
    mock.script(Reply.tool_call("f"), Reply.tool_call("g"))
    call = mock.as_call()
    with caplog.at_level(logging.WARNING, "workbench.testing"):
        asyncio.run(call(tool_executor=lambda *_: "ERROR: must not be empty"))
    assert [e["name"] for e in call.tool_errors] == ["f"]
    assert "f: ERROR: must not be empty" in caplog.text
    with pytest.raises(AssertionError, match=r"f\(\{\}\): ERROR: must not be empty"):
        call.assert_no_tool_errors()


def test_a_tool_that_fits_runs_and_nothing_is_surfaced(mock: MockLLM) -> None:
    mock.script(Reply.tool_call("create_hypothesis", **GOOD))
    ran: list[tuple[str, Any]] = []
    call = mock.as_call()
    asyncio.run(call(tools=[HYPOTHESIS], tool_executor=executor(ran)))
    assert ran == [("create_hypothesis", GOOD)]
    call.assert_no_tool_errors()


def test_m6_a_generic_mock_picks_by_the_tools_offered(mock: MockLLM) -> None:
    mock.respond(Reply.tool_call("create_hypothesis", **GOOD), tool="create_hypothesis")
    mock.respond(Reply.tool_call("create_prediction"), tool="create_prediction")
    openai_style = {"type": "function", "function": {"name": "create_prediction"}}
    for tools, name in (([HYPOTHESIS], "create_hypothesis"), ([openai_style], "create_prediction")):
        ran: list[tuple[str, Any]] = []
        called(mock, tools=tools, tool_executor=executor(ran))
        assert [made for made, _ in ran] == [name]


def test_m12_an_unknown_tool_names_those_there_are(mock: MockLLM) -> None:
    tools = [{"name": "generate_search_query"}, {"name": "evaluate_prediction"}]
    for name in ("complete_falsification", "evaluate_predictions"):
        mock.script(Reply.tool_call(name, unchecked=True))
    [made] = called(mock, tools=tools, tool_executor=executor([])).tool_calls_made
    assert made["result"] == (
        "ERROR: no such tool: complete_falsification "
        "(tools of the call: generate_search_query, evaluate_prediction)"
    )
    [made] = called(mock, tools=tools, tool_executor=executor([])).tool_calls_made
    assert 'did you mean "evaluate_prediction"?' in made["result"]


def test_structured_output_becomes_the_response_model(mock: MockLLM) -> None:
    mock.script(Reply.json(Plan(steps=["a"])), Reply.raw("{"))
    assert called(mock, response_model=Plan).content == Plan(steps=["a"])
    with pytest.raises(ValueError, match="Plan"):
        called(mock, response_model=Plan)
    assert mock.problems == []


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply.json({"steps": "a"}), "response_model Plan: steps: Input should be a valid array"),
        (Reply.text("a plan"), "response_model Plan: Invalid JSON: "),
        (Reply.tool_call("f"), "response_model Plan: the reply has no content"),
    ],
)
def test_content_that_is_no_response_model_is_a_mistake(
    mock: MockLLM, reply: Reply, said: str
) -> None:
    mock.script(reply)
    call = mock.as_call()
    with pytest.raises(InvalidOutputError, match=said):
        asyncio.run(call(prompt="plan", response_model=Plan))
    [problem] = call.problems
    assert str(problem).startswith(
        "The reply scripted for call 1 ('plan') does not fit the request:\n"
    )
    assert call.responses == []


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply.error(503, "over capacity"), CallFailedError),
        (Reply.timeout(), TimeoutError),
        (Reply.disconnect(), ConnectionError),
        (Reply.refused(), ConnectionRefusedError),
    ],
)
def test_g6_trouble_is_raised(mock: MockLLM, reply: Reply, error: type[Exception]) -> None:
    mock.script(reply, Reply.text("ok").after(0.01))
    with pytest.raises(error):
        called(mock)
    assert called(mock).content == "ok"


@pytest.mark.parametrize(
    ("reply", "error"),
    [(Reply.error(503), CallFailedError), (Reply.refused(), ConnectionRefusedError)],
)
def test_g6_trouble_of_a_call_that_is_not_awaited(
    mock: MockLLM, reply: Reply, error: type[Exception]
) -> None:
    mock.script(reply, Reply.text("ok").after(0.01))
    call = mock.as_sync_call()
    with pytest.raises(error):
        call()
    assert call().content == "ok"


def test_what_nothing_answers_is_raised(mock: MockLLM) -> None:
    with pytest.raises(NoReplyError, match="“who is there”"):
        called(mock, prompt="who is there")


def test_a_reply_that_was_cut_says_so(mock: MockLLM) -> None:
    mock.script(Reply.text("Once upon", finish_reason="length"))
    assert called(mock).finish_reasons == ["length"]


def test_roles_of_calls_need_no_declaration(mock: MockLLM) -> None:
    mock.script(Reply.text("a"), role="abducer")
    call = mock.as_call("abducer")
    assert asyncio.run(call(prompt="x")).content == "a"
    assert [c.role for c in mock.calls("abducer")] == ["abducer"]
    assert [c.role for c in call.calls] == ["abducer"]
    mock.assert_finished()


def test_a_call_keeps_what_it_is_given(mock: MockLLM) -> None:
    session = object()
    loop: list[Any] = []
    loop.append(loop)
    mock.role("critic", system="You are the critic")
    mock.script(Reply.text("fine"), role="critic", model="m")
    given = {
        "system": "You are the critic.",
        "messages": [{"role": "user", "content": "hi"}],
        "model": "m",
        "max_tokens": 5,
        "stop": ["\n"],
        "cache": {(1, 2): 3},
        "session": session,
        "loop": loop,
    }
    call = mock.as_call()
    assert asyncio.run(call(**given)).content == "fine"
    [asked] = mock.calls("critic")
    assert asked.system == "You are the critic."
    assert [message["role"] for message in asked.messages] == ["system", "user"]
    assert asked.payload["max_tokens"] == 5
    assert asked.payload["stop"] == ["\n"]
    assert asked.payload["cache"] == "{(1, 2): 3}"
    assert asked.payload["session"] == str(session)
    assert call.call_args.kwargs == given
    mock.assert_finished()


def test_a_forced_tool_gets_structured_output(mock: MockLLM) -> None:
    mock.script(Reply.json(GOOD))
    ran: list[tuple[str, Any]] = []
    choice = {"type": "function", "function": {"name": "create_hypothesis"}}
    called(mock, tools=[HYPOTHESIS], tool_choice=choice, tool_executor=executor(ran))
    assert ran == [("create_hypothesis", GOOD)]


def test_a_call_that_is_not_awaited(mock: MockLLM, caplog: pytest.LogCaptureFixture) -> None:
    mock.script(
        Reply.tool_call("create_hypothesis", **GOOD),
        Reply.tool_call("create_hypothesis", unchecked=True),
        Reply.json(Plan(steps=["a"])),
        role="planner",
    )
    call = mock.as_sync_call("planner")
    ran: list[tuple[str, Any]] = []
    response = call(prompt="go", tools=[HYPOTHESIS], tool_executor=executor(ran))
    assert ran == [("create_hypothesis", GOOD)]
    assert [made["input"] for made in response.tool_calls_made] == [GOOD]
    assert call(tools=[HYPOTHESIS], tool_executor=executor(ran)).content
    assert len(ran) == 1
    with pytest.raises(AssertionError, match="content is missing"):
        call.assert_no_tool_errors()
    assert "content is missing" in caplog.text
    assert call(response_model=Plan).content == Plan(steps=["a"])
    assert len(call.responses) == len(mock.calls("planner")) == 3
    mock.assert_finished()


def test_a_call_that_is_not_awaited_has_no_async_executor(mock: MockLLM) -> None:
    async def run(*_: Any) -> str:
        raise AssertionError("unreachable")

    mock.script(Reply.tool_call("f"))
    with pytest.raises(TypeError, match=r"f: tool_executor is async; use as_call\(\)"):
        mock.as_sync_call()(tool_executor=run)


def test_a_call_tells_of_its_calls_as_mocks_do(mock: MockLLM) -> None:
    mock.respond(Reply.text("x"))
    awaited, plain = mock.as_call(), mock.as_sync_call()
    awaited.assert_not_called()
    with pytest.raises(AssertionError, match="to have been awaited once"):
        awaited.assert_awaited_once()
    asyncio.run(awaited(prompt="a", retries=3))
    plain(prompt="b")
    awaited.assert_awaited_once_with(prompt="a", retries=3)
    assert (awaited.await_count, awaited.await_args.kwargs["prompt"]) == (1, "a")
    for call in (awaited, plain):
        call.assert_called_once()
        assert (call.called, call.call_count, len(call.mock_calls)) == (True, 1, 1)
        with pytest.raises(AssertionError):
            call.assert_called_once_with(prompt="c")
    plain.assert_called_once_with(prompt="b")
    for name in ("await_count", "assert_caled", "tool_cals_made", "return_value"):
        assert not hasattr(plain, name)


def test_m11_m14_a_pytest_fixture_replaces_the_function(
    mock_planner: AgentCall, agent_module: ModuleType
) -> None:
    for _ in range(2):
        response = asyncio.run(agent_module.llm_call(prompt="plan", response_model=Plan))
        assert response.content == Plan(steps=["a"])
    assert len(mock_planner.calls) == 2
    assert [r.content for r in mock_planner.responses] == [Plan(steps=["a"])] * 2


def test_a_mock_that_does_not_repeat(mock_once: AgentCall, agent_module: ModuleType) -> None:
    assert asyncio.run(agent_module.llm_call()).content == "one"
    assert asyncio.run(agent_module.llm_call()).content == "two"
    with pytest.raises(Exception, match="all its 2 replies are used"):
        asyncio.run(agent_module.llm_call())
    assert len(mock_once.calls) == 3


def test_m6_a_composite_gives_the_mocks_by_name(
    mock_both: dict[str, AgentCall], mock_planner: AgentCall
) -> None:
    assert mock_both == {"planner": mock_planner}


def test_m11_the_function_is_back_even_after_a_failure(agent_module: ModuleType) -> None:
    original = agent_module.llm_call
    mock = AgentMock([f"{MODULE}.llm_call"], (Reply.text("x"),), repeat_last=True)
    with pytest.raises(RuntimeError), mock.active() as outer, mock.active() as inner:  # noqa: PT012
        assert outer is inner is agent_module.llm_call
        raise RuntimeError
    assert agent_module.llm_call is original
    with mock.active() as fresh:
        assert fresh.calls == []


@pytest.fixture
def mixed_module(agent_module: ModuleType) -> ModuleType:
    """A module with all kinds of functions."""

    class Model:
        async def __call__(self, **_: Any) -> None:
            raise AssertionError("the live model was called")

    @functools.wraps(agent_module.llm_call)
    def decorated(**given: Any) -> Any:
        return agent_module.llm_call(**given)

    def plain(**_: Any) -> None:
        raise AssertionError("the live model was called")

    agent_module.decorated = decorated  # type: ignore[attr-defined]
    agent_module.model = Model()  # type: ignore[attr-defined]
    agent_module.plain = plain  # type: ignore[attr-defined]
    agent_module.undeclared = lambda **given: decorated(**given)  # type: ignore[attr-defined]
    return agent_module


mock_three = agent_mock(
    [f"{MODULE}.{name}" for name in ("llm_call", "decorated", "model")],
    Reply.text("one"),
    Reply.text("two"),
    Reply.text("three"),
    repeat_last=False,
)


def test_one_mock_in_several_places(
    mixed_module: ModuleType, request: pytest.FixtureRequest
) -> None:
    originals = dict(vars(mixed_module))
    mock: AgentCall = request.getfixturevalue("mock_three")
    places = (mixed_module.llm_call, mixed_module.decorated, mixed_module.model)
    said = [asyncio.run(place(prompt="x")).content for place in places]
    assert said == ["one", "two", "three"]
    assert len(mock.calls) == mock.await_count == 3
    assert vars(mixed_module) != originals


def test_functions_that_are_not_async_are_not_awaited(mixed_module: ModuleType) -> None:
    replies = (Reply.text("x"),)
    with AgentMock([f"{MODULE}.plain"], replies, repeat_last=True).active() as mock:
        assert mixed_module.plain(prompt="a").content == "x"
        mock.assert_called_once_with(prompt="a")
    hidden = AgentMock([f"{MODULE}.undeclared"], replies, repeat_last=True, is_async=True)
    with hidden.active():
        assert asyncio.run(mixed_module.undeclared()).content == "x"
    both = AgentMock([f"{MODULE}.plain", f"{MODULE}.model"], replies, repeat_last=True)
    with pytest.raises(TypeError, match=r"some functions are async and some are not.*plain': F"):
        both.active().__enter__()
    with pytest.raises(AssertionError, match="the live model"):
        mixed_module.plain()


def test_m11_a_target_that_is_not_there_is_named() -> None:
    with (
        pytest.raises(pytest.fail.Exception, match=rf"cannot replace '{MODULE}.lm_call': module"),
        AgentMock([f"{MODULE}.lm_call"], (Reply.text("x"),), repeat_last=True).active(),
    ):
        raise AssertionError("unreachable")


def test_what_can_be_combined() -> None:
    with pytest.raises(
        TypeError, match="planner must be a pytest fixture made by agent_mock, got int: 5"
    ):
        combine(planner=cast(Any, 5))
    with pytest.raises(TypeError, match="at least one reply"):
        agent_mock("a.b")
    with pytest.raises(TypeError, match="needs the name of a function"):
        agent_mock([], Reply.text("x"))
    with pytest.raises(TypeError, match=r"target must be the name of a function with its module"):
        agent_mock(cast(str, called), Reply.text("x"))
