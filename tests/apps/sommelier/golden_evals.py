"""The sommelier's golden queries: scripted here, live with ``--llm-live``. The tests run them in a
project of their own, which gets the report.
"""

from __future__ import annotations

import json

import pytest

from tests.apps.sommelier import catalogue
from tests.apps.sommelier.catalogue import NAMES, WINES
from tests.apps.sommelier.golden_queries import GOLDEN
from tests.apps.sommelier.service import Sommelier
from tests.testing.support import client_of
from workbench.testing import (
    Call,
    GoldenQuery,
    MockLLM,
    Reply,
    ToolCallSpy,
    check_filters,
    check_grounded,
    check_ordering,
    check_relevance,
    check_results,
    check_tool,
)

EXECUTORS = {
    "search_wines": "execute_search_wines",
    "semantic_search": "execute_semantic_search",
}
# What a model does with each query; the words and types are those of real ones.
SCRIPTED = {
    "red-under-30": Reply.tool_call("search_wines", colour="Red", max_price="30", unchecked=True),
    "white-20-to-40": Reply.tool_call("search_wines", colour="white", min_price=20, max_price=40),
    "berry-notes": Reply.tool_call("semantic_search", description="ripe berry, vanilla"),
    "mineral-white": Reply.tool_call("semantic_search", description="mineral white fish"),
}


def recommend(call: Call) -> Reply:
    """Recommend what the tool found, as the system prompt asks."""
    found = json.loads(call.messages[-1]["content"])
    return Reply.text("\n".join(f"[WINE:{w['id']}]\n**{w['name']}**\n{w['notes']}" for w in found))


@pytest.mark.llm_eval(pass_rate=0.9)
@pytest.mark.parametrize("golden", GOLDEN)
def test_e4_e5_e8_e9_golden_queries(golden: GoldenQuery, mock_llm: MockLLM) -> None:
    mock_llm.script(SCRIPTED[golden.id], recommend)
    with client_of(mock_llm) as client, ToolCallSpy(catalogue, EXECUTORS) as spy:
        answer = Sommelier(client).answer(golden.query)
    assert check_tool(golden, spy)
    assert check_filters(golden, spy)
    assert check_grounded(answer, NAMES, ids=[wine.id for wine in WINES])
    assert check_grounded(answer, NAMES)
    found = spy.calls[0].result
    assert check_results(golden, found)
    if spy.first_tool == "semantic_search":
        scores = [wine["score"] for wine in found]
        assert check_relevance(scores[:1], 0.15, min_results=golden.min_results)
        assert check_ordering(scores)
    mock_llm.assert_finished()
