"""The research team: real graphs and clients over real HTTP, and every reply scripted."""

from __future__ import annotations

import inspect
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

from tests.apps.research_team.roles import PROMPTS, Expertise, Final, Plan, Verdict, prompt
from tests.apps.research_team.state import NO_ANSWER, State
from workbench.testing import MockLLM, Reply, check_filled, check_schema, scripted

if TYPE_CHECKING:
    from tests.apps.research_team.team import ResearchTeam

SEARCH = "tests.apps.research_team.search.web_search"
MESSAGE_SCHEMA = {
    "type": "object",
    "required": ["sender", "receiver", "type", "content"],
    "properties": {
        "sender": {"type": "string"},
        "receiver": {"type": "string"},
        "type": {"enum": ["work", "feedback"]},
        "content": {"type": "string"},
        "step_id": {"type": ["integer", "null"]},
    },
}
APPROVE = Reply.json(Verdict(decision="approve"))
REJECT = Reply.json(Verdict(decision="reject", feedback="too thin"))
NO_RESEARCH = Reply.json(Plan(research_steps=[], expert_steps=["add"]))
FOUR = Reply.json(Expertise(expert_answer="4", reasoning_trace="2 and 2"))
FINAL = Reply.json(Final(final_answer="It is 4.", final_reasoning_trace="2 and 2"))


@pytest.fixture
def team(mock_llm: MockLLM) -> MockLLM:
    """The mock with the roles of the team."""
    for role in PROMPTS:
        mock_llm.role(role, system=f"You are the {role}.")
    return mock_llm


def team_at(url: str, **more: Any) -> ResearchTeam:
    """The application; what it is made of takes long to load."""
    from tests.apps.research_team.team import ResearchTeam

    return ResearchTeam(url, **more)


def run(mock: MockLLM, question: str, **more: Any) -> State:
    with team_at(mock.base_url, **more) as app:
        return app.run(question)


def plan(*steps: str) -> Reply:
    return Reply.json(Plan(research_steps=list(steps), expert_steps=["conclude"]))


def test_g15_a_whole_flow_with_one_rejection(mock_llm: MockLLM) -> None:
    for role in ("planner", "researcher", "expert", "critic", "finalizer"):
        mock_llm.role(role, system=f"You are the {role}.")
    mock_llm.script(plan("who invented CRISPR?"), role="planner")
    mock_llm.script(Reply.tool_call("web_search", query="CRISPR inventor"), role="researcher")
    mock_llm.script(Reply.text("Doudna."), Reply.text("Doudna and Charpentier."), role="researcher")
    mock_llm.script(FOUR, role="expert")
    mock_llm.script(APPROVE, REJECT, APPROVE, APPROVE, role="critic")
    mock_llm.script(FINAL, role="finalizer")
    with patch(SEARCH, return_value="an article") as search:
        state = run(mock_llm, "What is CRISPR and who invented it?")
    order = "planner critic researcher researcher critic researcher critic expert critic finalizer"
    mock_llm.assert_calls(order.split())
    mock_llm.assert_finished()
    search.assert_called_once_with("CRISPR inventor")
    assert "an article" in mock_llm.calls("researcher")[1].text
    assert "too thin" in mock_llm.calls("researcher")[2].text
    assert "Doudna and Charpentier." in mock_llm.calls("expert")[0].text
    assert (state["final_answer"], state["retry_count"]) == ("It is 4.", 1)


def test_g15_it_takes_few_lines() -> None:
    lines = inspect.getsource(test_g15_a_whole_flow_with_one_rejection).splitlines()
    assert len(lines) <= 30


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_g2_both_ways_of_structured_output(team: MockLLM, method: Any) -> None:
    team.script(NO_RESEARCH, role="planner")
    team.script(FOUR, role="expert")
    team.script(APPROVE, APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    assert run(team, "2 + 2?", method=method)["final_answer"] == "It is 4."
    forced = ["tool_choice" in call.payload for call in team.calls()]
    assert forced == [method == "function_calling"] * 5


def test_without_research_the_plan_goes_to_the_expert(team: MockLLM) -> None:
    team.script(NO_RESEARCH, role="planner")
    team.script(FOUR, role="expert")
    team.respond(APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    run(team, "2 + 2?")
    team.assert_calls(["planner", "critic", "expert", "critic", "finalizer"])
    assert team.calls("researcher") == []


def test_each_research_step_is_judged_and_kept(team: MockLLM) -> None:
    steps = ["one", "two", "three"]
    team.script(plan(*steps), role="planner")
    team.script(*(Reply.text(f"found {s}") for s in steps), role="researcher")
    team.script(FOUR, role="expert")
    team.respond(APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    state = run(team, "q")
    assert state["results"] == ["found one", "found two", "found three"]
    asked = [call.system for call in team.calls("researcher")]
    assert all(step in system for step, system in zip(steps, asked, strict=True))
    assert [m["step_id"] for m in state["messages"] if m["sender"] == "researcher"] == [0, 1, 2]


@pytest.mark.parametrize(("limit", "plans"), [(-1, 1), (0, 1), (1, 1), (3, 3), (12, 12)])
def test_g16_rejected_up_to_the_limit(team: MockLLM, limit: int, plans: int) -> None:
    team.respond(NO_RESEARCH, role="planner")
    team.respond(REJECT, role="critic")
    state = run(team, "q", retry_limit=limit)
    assert state["final_answer"] == state["final_reasoning_trace"] == NO_ANSWER
    assert state["retry_count"] == plans
    team.assert_calls(["planner", "critic"] * plans)


def test_g3_rejections_of_all_workers_count_together(team: MockLLM) -> None:
    team.respond(plan("one"), role="planner")
    team.respond(Reply.text("found"), role="researcher")
    team.respond(FOUR, role="expert")
    team.script(REJECT, APPROVE, REJECT, APPROVE, REJECT, role="critic")
    state = run(team, "q", retry_limit=3)
    assert state["final_answer"] == NO_ANSWER
    roles = [call.role for call in team.calls() if call.role != "critic"]
    assert roles == ["planner", "planner", "researcher", "researcher", "expert"]


@pytest.mark.parametrize(
    "reply",
    [
        Reply.raw("{broken"),
        Reply.json({"research_steps": []}),
        Reply.json({"research_steps": "none", "expert_steps": []}),
        Reply.raw('{"research_steps": ["a"'),
        Reply.raw(""),
        Reply.raw('Sure! {"research_steps": [], "expert_steps": []}'),
        Reply.text("", finish_reason="length"),
        Reply.error(500, "the model is down"),
        Reply.error(429, "slow down", retry_after=30),
        Reply.disconnect(),
    ],
    ids=str,
)
def test_g4_g6_a_reply_that_is_no_plan_ends_the_work(
    team: MockLLM, reply: Reply, caplog: pytest.LogCaptureFixture
) -> None:
    team.script(reply, role="planner")
    with caplog.at_level(logging.INFO, "research_team"):
        state = run(team, "q")
    assert state["final_answer"] == NO_ANSWER
    assert str(state["error"]).startswith("planner: ")
    said = [(r.levelname, r.getMessage()) for r in caplog.records if r.name == "research_team"]
    assert said[0] == ("INFO", "planner: started")
    assert said[1][0] == "ERROR"
    team.assert_calls(["planner"])


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        (
            Reply.tool_call("wikipedia", query="x", unchecked=True),
            "ERROR: there is no tool wikipedia",
        ),
        (
            Reply.tool_call("web_search", text="x", unchecked=True),
            "ERROR: web_search needs a query",
        ),
        (Reply.tool_calls([{"name": "web_search", "arguments": "{"}]), "needs a query"),
        (Reply.tool_call("web_search", query="x"), "ERROR: no web to search for 'x'"),
    ],
)
def test_g5_tools_that_fail_are_told_to_the_model(team: MockLLM, reply: Reply, told: str) -> None:
    team.script(plan("one"), role="planner")
    team.script(reply, Reply.text("from memory"), role="researcher")
    team.script(FOUR, role="expert")
    team.respond(APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    assert run(team, "q")["results"] == ["from memory"]
    [result] = [m for m in team.calls("researcher")[1].messages if m["role"] == "tool"]
    assert told in result["content"]


def test_g5_g7_several_searches_in_a_turn_by_a_scripted_web(team: MockLLM) -> None:
    searches = [{"name": "web_search", "arguments": {"query": q}} for q in "ab"]
    team.script(plan("one"), role="planner")
    team.script(Reply.tool_calls(searches), Reply.text("done"), role="researcher")
    team.script(FOUR, role="expert")
    team.respond(APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    with scripted(SEARCH, "first", TimeoutError("too slow")):
        run(team, "q")
    results = [m["content"] for m in team.calls("researcher")[1].messages if m["role"] == "tool"]
    assert results == ["first", "ERROR: too slow"]


def test_g10_messages_have_their_shape_and_no_doubles(team: MockLLM) -> None:
    team.script(plan("one"), role="planner", repeat_last=True)
    team.script(Reply.text("found"), role="researcher")
    team.script(FOUR, role="expert")
    team.script(REJECT, APPROVE, APPROVE, APPROVE, role="critic")
    team.script(FINAL, role="finalizer")
    state = run(team, "q")
    for message in state["messages"]:
        assert check_schema(message, MESSAGE_SCHEMA)
    senders = [message["sender"] for message in state["messages"]]
    assert senders == ["planner", "critic", "planner", "researcher", "expert"]
    feedback = [m for m in state["messages"] if m["type"] == "feedback"]
    assert [m["content"] for m in feedback] == ["too thin"]
    assert len({call.digest for call in team.calls("planner")}) == 2


@pytest.mark.parametrize(
    "question",
    ["שלום 👋", "a\x00b", "<script>alert(1)</script>", "'; DROP TABLE x; --", "{question}", " "],
)
def test_g12_odd_questions_reach_the_model_unchanged(team: MockLLM, question: str) -> None:
    team.script(Reply.error(400, "enough"), role="planner")
    assert run(team, question)["final_answer"] == NO_ANSWER
    assert team.calls("planner")[0].user == question


@pytest.mark.parametrize("role", PROMPTS)
def test_g14_prompts_are_filled_in(role: str) -> None:
    values = {"step": "s", "results": "[]", "worker": "w", "answer": "a"}
    assert check_filled(prompt(role, **values))
    if "{" in PROMPTS[role]:
        assert not check_filled(PROMPTS[role])
        with pytest.raises(KeyError):
            prompt(role)


def test_g8_g9_questions_at_once_do_not_mix(team: MockLLM) -> None:
    team.respond(NO_RESEARCH, role="planner")
    team.respond(
        lambda call: Reply.json(Expertise(expert_answer=call.user, reasoning_trace="")),
        role="expert",
    )
    team.respond(APPROVE, role="critic")
    team.respond(
        lambda call: Reply.json(Final(final_answer=call.user, final_reasoning_trace="")),
        role="finalizer",
    )
    questions = [f"question {n}" for n in range(8)]
    with team_at(team.base_url) as app, ThreadPoolExecutor(6) as pool:
        states = list(pool.map(app.run, questions))
    assert [state["final_answer"] for state in states] == questions
    assert [len(state["messages"]) for state in states] == [2] * 8
    assert len(team.calls()) == 8 * 5


def test_g13_a_team_without_an_end_is_ended() -> None:
    with MockLLM(max_calls=20) as mock:
        mock.role("critic", system="You are the critic.")
        mock.role("planner", system="You are the planner.")
        mock.respond(NO_RESEARCH, role="planner")
        mock.respond(REJECT, role="critic")
        state = run(mock, "q", retry_limit=10**6)
        assert "max_calls is 20" in str(state["error"])
        with pytest.raises(AssertionError, match="max_calls is 20"):
            mock.assert_finished()
