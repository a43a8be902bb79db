"""The reasoning agents: mocked one by one, all together, and over real HTTP."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.apps.reasoning import mocks, tools
from tests.apps.reasoning.abducer import Abducer
from tests.apps.reasoning.agent import Agent
from tests.apps.reasoning.dream import Metrics, process_reasoning_dream
from tests.apps.reasoning.falsifier import Falsifier
from tests.apps.reasoning.inductor import Inductor
from tests.apps.reasoning.memory import Memory
from tests.apps.reasoning.mocks import (
    mock_abducer_llm,
    mock_all_reasoning_agents,
    mock_falsifier_llm,
    mock_inductor_llm,
    mock_predictor_llm,
)
from tests.cases import each_case
from workbench.testing import AgentCall, Call, MockLLM, Reply, agent_mock, check_schema
from workbench.testing.mocks.scripts import ReplySource

__all__ = [
    "mock_abducer_llm",
    "mock_all_reasoning_agents",
    "mock_falsifier_llm",
    "mock_inductor_llm",
    "mock_predictor_llm",
]

OBSERVATIONS = [f"The user said: shorter, please ({n})." for n in range(5)]


@pytest.fixture
def memory() -> Memory:
    return Memory.of(*OBSERVATIONS)


def dream(memory: Memory, **more: Any) -> Metrics:
    return asyncio.run(process_reasoning_dream(memory, **more))


# Agents one by one.


def test_m7_the_abducer(memory: Memory, mock_abducer_llm: AgentCall) -> None:
    assert asyncio.run(Abducer(memory).execute()) == 1
    [hypothesis] = memory.hypotheses
    assert hypothesis["content"] == "User demonstrates preference for concise responses"
    assert (hypothesis["confidence"], hypothesis["tier"]) == (0.8, 1)
    assert hypothesis["source_premise_ids"] == ["p1", "p2", "p3", "p4", "p5"]
    mock_abducer_llm.assert_no_tool_errors()


def test_m7_without_premises_an_id_is_made_up(mock_abducer_llm: AgentCall) -> None:
    memory = Memory()
    asyncio.run(Abducer(memory).execute())
    assert memory.hypotheses[0]["source_premise_ids"] == ["mock_premise_1"]
    assert len(mock_abducer_llm.calls) == 1


def test_m9_the_falsifier_searches_before_it_judges(
    memory: Memory, mock_falsifier_llm: AgentCall
) -> None:
    memory.predictions.append({"id": "r1", "content": "brief answers are preferred"})
    assert asyncio.run(Falsifier(memory).execute()) == 1
    made = [made["name"] for made in mock_falsifier_llm.tool_calls_made]
    assert made == ["generate_search_query", "evaluate_prediction"]
    [judgement] = memory.falsifications
    assert (judgement["determination"], judgement["confidence"]) == ("unfalsified", 0.9)


def test_m10_the_inductor(memory: Memory, mock_inductor_llm: AgentCall) -> None:
    assert asyncio.run(Inductor(memory).execute()) == 1
    [induction] = memory.inductions
    assert (induction["pattern_type"], induction["pattern_strength"]) == ("preferential", 0.85)
    assert induction["confidence"] == 0.9
    mock_inductor_llm.assert_no_tool_errors()


# The five integration tests of the guide.


def test_end_to_end_reasoning_dream_workflow(
    memory: Memory, mock_all_reasoning_agents: dict[str, AgentCall]
) -> None:
    metrics = dream(memory)
    assert metrics.hypotheses_generated > 0
    assert metrics.predictions_generated > 0
    assert [len(mock.calls) for mock in mock_all_reasoning_agents.values()] == [2, 1, 1, 1]
    assert memory.predictions[0]["specificity"] == 0.7  # M8
    for mock in mock_all_reasoning_agents.values():
        mock.assert_no_tool_errors()


def test_reasoning_dream_threshold_enforcement(
    mock_all_reasoning_agents: dict[str, AgentCall],
) -> None:
    few = Memory.of(*OBSERVATIONS[:4])
    assert dream(few) == Metrics()
    assert few.hypotheses == []
    assert all(mock.calls == [] for mock in mock_all_reasoning_agents.values())
    assert dream(few, min_observations_threshold=4).hypotheses_generated == 1


def test_reasoning_dream_max_iterations(memory: Memory, mock_llm: MockLLM) -> None:
    """A model that finds a new hypothesis each time is ended by the limit."""

    def always_new(call: Call) -> Reply:
        number = len(mock_llm.calls(call.role))
        return Reply.tool_call(
            "create_hypothesis",
            content=f"hypothesis {number}",
            confidence=0.8,
            tier=1,
            source_premise_ids=["p1"],
        )

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.apps.reasoning.abducer.llm_call", mock_llm.as_call("abducer"))
        for agent, reply in (("predictor", mocks.PREDICT), ("inductor", mocks.INDUCE)):
            patch.setattr(f"tests.apps.reasoning.{agent}.llm_call", mock_llm.as_call(agent))
            mock_llm.respond(reply, role=agent)
        patch.setattr("tests.apps.reasoning.falsifier.llm_call", mock_llm.as_call("falsifier"))
        mock_llm.respond(mocks.FALSIFY, role="falsifier")
        mock_llm.respond(always_new, role="abducer")
        metrics = dream(memory, max_iterations=4)
    assert (metrics.iterations, metrics.hypotheses_generated) == (4, 4)
    mock_llm.assert_calls(["abducer", "predictor", "falsifier", "inductor"] * 4)


@pytest.mark.usefixtures("mock_all_reasoning_agents")
def test_reasoning_dream_metrics_accuracy(memory: Memory) -> None:
    metrics = dream(memory)
    assert metrics == Metrics(
        iterations=2,
        hypotheses_generated=len(memory.hypotheses),
        predictions_generated=len(memory.predictions),
        predictions_tested=len(memory.falsifications),
        inductions_created=len(memory.inductions),
    )
    assert metrics.hypotheses_generated == 1


@pytest.mark.usefixtures("mock_all_reasoning_agents")
def test_m16_t21_reasoning_dream_idempotency(memory: Memory) -> None:
    dream(memory)
    again = dream(memory)
    assert (again.iterations, again.hypotheses_generated) == (1, 0)
    contents = [hypothesis["content"] for hypothesis in memory.hypotheses]
    assert contents == [mocks.HYPOTHESIS]


# What tools require.

VALID: dict[str, dict[str, Any]] = {
    "create_hypothesis": {
        "content": "c",
        "source_premise_ids": ["p1"],
        "confidence": 0.6,
        "tier": 3,
    },
    "create_prediction": {"content": "c", "tier": 1, "confidence": 0.1, "specificity": 0.2},
    "generate_search_query": {"query": "q", "strategy": "s"},
    "evaluate_prediction": {
        "evidence_summary": "none",
        "confidence": 0.9,
        "determination": "untested",
    },
    "create_induction": {
        "content": "c",
        "pattern_type": "preferential",
        "confidence": 0.9,
        "pattern_strength": 0.8,
        "generalization_scope": "user",
    },
}
ALL_TOOLS = {
    tool["name"]: tool
    for tool in (
        tools.CREATE_HYPOTHESIS,
        tools.CREATE_PREDICTION,
        tools.GENERATE_SEARCH_QUERY,
        tools.EVALUATE_PREDICTION,
        tools.CREATE_INDUCTION,
    )
}
MISSING = [(name, key) for name, given in VALID.items() for key in given]
WRONG = [
    ("create_hypothesis", "content", ""),
    ("create_hypothesis", "source_premise_ids", []),
    ("create_hypothesis", "source_premise_ids", "p1"),
    ("create_hypothesis", "confidence", 0.59),
    ("create_prediction", "content", ""),
    ("create_prediction", "specificity", "high"),
    ("evaluate_prediction", "confidence", 0.5),
    ("evaluate_prediction", "determination", "refuted"),
    ("create_induction", "content", ""),
    ("create_induction", "pattern_strength", None),
]


@pytest.mark.parametrize("name", VALID)
def test_m13_what_fits_the_tables(name: str) -> None:
    assert check_schema(VALID[name], ALL_TOOLS[name]["input_schema"])


@each_case("name, key", MISSING)
def test_m13_what_is_missing(name: str, key: str) -> None:
    given = {k: v for k, v in VALID[name].items() if k != key}
    assert f"{key} is missing" in check_schema(given, ALL_TOOLS[name]["input_schema"]).reason


@each_case("name, key, value", WRONG)
def test_m13_what_does_not_fit(name: str, key: str, value: Any) -> None:
    check = check_schema({**VALID[name], key: value}, ALL_TOOLS[name]["input_schema"])
    assert key in check.reason


NO_PREMISES = Reply.tool_call(
    "create_hypothesis", content="c", confidence=0.8, tier=1, source_premise_ids=[], unchecked=True
)
mock_careless = agent_mock("tests.apps.reasoning.abducer.llm_call", NO_PREMISES)
mock_confused = agent_mock(
    "tests.apps.reasoning.falsifier.llm_call",
    Reply.tool_call("complete_falsification", unchecked=True),
)


def test_m5_metrics_that_stay_zero_have_a_reason_to_be_found(
    memory: Memory, mock_careless: AgentCall
) -> None:
    assert dream(memory).hypotheses_generated == 0
    with pytest.raises(AssertionError, match="source_premise_ids: 0 items"):
        mock_careless.assert_no_tool_errors()


def test_m12_a_wrong_tool_name(memory: Memory, mock_confused: AgentCall) -> None:
    memory.predictions.append({"id": "r1", "content": "x"})
    assert asyncio.run(Falsifier(memory).execute()) == 0
    with pytest.raises(
        AssertionError, match="tools of the call: generate_search_query, evaluate_prediction"
    ):
        mock_confused.assert_no_tool_errors()


# Over HTTP, with the application's own loop.


def test_m15_the_same_agents_over_real_http(
    memory: Memory, mock_llm: MockLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", mock_llm.base_url)
    replies: dict[str, ReplySource] = {
        "abducer": mocks.hypothesise,
        "predictor": mocks.PREDICT,
        "falsifier": mocks.FALSIFY,
        "inductor": mocks.INDUCE,
    }
    for role, reply in replies.items():
        mock_llm.role(role, system=f"You are the {role}")
        # The loop asks again with what the tools said, and is told that this is all.
        mock_llm.script(reply, Reply.text("Done."), role=role)
    mock_llm.script(mocks.hypothesise, role="abducer")
    metrics = dream(memory)
    assert metrics == Metrics(2, 1, 1, 1, 1)
    mock_llm.assert_calls([*(role for role in replies for _ in range(2)), "abducer"])
    mock_llm.assert_finished()
    told = [m["content"] for m in mock_llm.calls("falsifier")[1].messages if m["role"] == "tool"]
    assert told == ["recorded", "recorded"]


def test_executors_refuse_what_a_model_gets_wrong(memory: Memory) -> None:
    agent: Agent = Abducer(memory)
    assert agent.run_tool("complete_falsification", {}) == (
        "ERROR: Unknown tool: complete_falsification"
    )
    good = VALID["create_hypothesis"]
    for key, wrong in (("content", " "), ("source_premise_ids", []), ("confidence", 0.1)):
        assert agent.run_tool("create_hypothesis", {**good, key: wrong}).startswith("ERROR: ")
    assert agent.run_tool("create_hypothesis", good) == "recorded"
