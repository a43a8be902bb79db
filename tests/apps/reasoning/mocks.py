"""The agents' mocks: each answers one agent, in the place of its ``llm_call``."""

from __future__ import annotations

import re

from workbench.testing import Call, Reply, agent_mock, combine

HYPOTHESIS = "User demonstrates preference for concise responses"


def hypothesise(call: Call) -> Reply:
    """One hypothesis about the premises of the request; none that is there already."""
    if HYPOTHESIS in call.text:
        return Reply.text("Nothing new.")
    premises = re.findall(r"^(p\d+): ", call.text, re.MULTILINE) or ["mock_premise_1"]
    return Reply.tool_call(
        "create_hypothesis",
        content=HYPOTHESIS,
        confidence=0.8,
        tier=1,
        source_premise_ids=premises,
    )


PREDICT = Reply.tool_call(
    "create_prediction",
    content="User will prefer brief explanations in future queries",
    confidence=0.75,
    tier=1,
    specificity=0.7,
)
FALSIFY = Reply.tool_calls(
    [
        {
            "name": "generate_search_query",
            "arguments": {"query": "long explanations", "strategy": "contradiction"},
        },
        {
            "name": "evaluate_prediction",
            "arguments": {
                "evidence_summary": "no contradicting evidence",
                "confidence": 0.9,
                "determination": "unfalsified",
            },
        },
    ]
)
INDUCE = Reply.tool_call(
    "create_induction",
    content="User consistently prefers concise, actionable responses",
    pattern_type="preferential",
    confidence=0.9,
    pattern_strength=0.85,
    generalization_scope="user",
)

mock_abducer_llm = agent_mock(
    "tests.apps.reasoning.abducer.llm_call", hypothesise, repeat_last=True
)
mock_predictor_llm = agent_mock(
    "tests.apps.reasoning.predictor.llm_call", PREDICT, repeat_last=True
)
mock_falsifier_llm = agent_mock(
    "tests.apps.reasoning.falsifier.llm_call", FALSIFY, repeat_last=True
)
mock_inductor_llm = agent_mock("tests.apps.reasoning.inductor.llm_call", INDUCE, repeat_last=True)
mock_all_reasoning_agents = combine(
    abducer=mock_abducer_llm,
    predictor=mock_predictor_llm,
    falsifier=mock_falsifier_llm,
    inductor=mock_inductor_llm,
)
