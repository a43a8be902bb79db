"""The sommelier: its golden queries, and what its tools make of a model's words."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from openai import OpenAI

from tests.apps.sommelier import catalogue
from tests.apps.sommelier.catalogue import NAMES
from tests.apps.sommelier.golden_evals import EXECUTORS, SCRIPTED, recommend
from tests.apps.sommelier.golden_queries import GOLDEN
from tests.apps.sommelier.service import Sommelier
from tests.testing.support import client_of
from workbench.testing import (
    MockLLM,
    Reply,
    ToolCallSpy,
    check_differentiation,
    check_grounded,
    check_tool,
)

pytest_plugins = ["pytester"]


@pytest.fixture
def client(mock_llm: MockLLM) -> Iterator[OpenAI]:
    with client_of(mock_llm) as client:
        yield client


def test_e4_e5_e8_e9_golden_queries(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a project of their own, which gets their report."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("from tests.apps.sommelier.golden_evals import *")
    plugins = ("-p", "no:cacheprovider", "-p", "workbench.testing.plugin")
    result = pytester.runpytest_inprocess(*plugins, "-q")
    result.assert_outcomes(passed=len(GOLDEN))
    [report] = (pytester.path / ".workbench" / "evals").glob("*.json")
    assert json.loads(report.read_bytes())


def test_e3_the_spy_sees_what_is_executed_not_what_the_model_wrote(
    mock_llm: MockLLM, client: OpenAI
) -> None:
    mock_llm.script(SCRIPTED["red-under-30"], recommend)
    with ToolCallSpy(catalogue, EXECUTORS) as spy:
        Sommelier(client).answer("red under 30")
    assert spy.first_args == {"colour": "red", "max_price": 30.0}


def test_e8_an_invented_wine_is_found_out(mock_llm: MockLLM, client: OpenAI) -> None:
    invented = "[WINE:3]\n**Rioja Crianza**\nfine\n[WINE:99]\n**Château Imaginaire**\nfiner"
    mock_llm.script(SCRIPTED["red-under-30"], Reply.text(invented))
    check = check_grounded(Sommelier(client).answer("red under 30"), NAMES)
    assert "section 2 [99]" in check.reason
    assert "Château Imaginaire" in check.reason


def test_e4_the_wrong_tool_is_found_out(mock_llm: MockLLM, client: OpenAI) -> None:
    mock_llm.script(SCRIPTED["mineral-white"], recommend)
    with ToolCallSpy(catalogue, EXECUTORS) as spy:
        Sommelier(client).answer(GOLDEN[0].query)
    assert "expected search_wines, semantic_search was called first" in (
        check_tool(GOLDEN[0], spy).reason
    )


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (Reply.tool_call("buy_wine", unchecked=True), "there is no tool buy_wine"),
        (Reply.tool_call("search_wines", max_price="cheap", unchecked=True), "could not convert"),
        (
            Reply.tool_call("search_wines", region="Rioja", unchecked=True),
            "unexpected keyword argument 'region'",
        ),
        (Reply.tool_calls([{"name": "search_wines", "arguments": "{"}]), "Expecting property name"),
    ],
)
def test_g5_a_call_that_cannot_be_run_is_told_to_the_model(
    mock_llm: MockLLM, client: OpenAI, reply: Reply, error: str
) -> None:
    mock_llm.script(reply, Reply.text("Sorry."))
    assert Sommelier(client).answer("x") == "Sorry."
    [told] = [m for m in mock_llm.calls()[1].messages if m["role"] == "tool"]
    assert told["content"].startswith("ERROR: ")
    assert error in told["content"]


def test_g13_a_model_that_only_searches(mock_llm: MockLLM, client: OpenAI) -> None:
    mock_llm.respond(Reply.tool_call("search_wines", colour="red"))
    with pytest.raises(RuntimeError, match="no answer in 4 turns"):
        Sommelier(client).answer("x")
    assert len(mock_llm.calls()) == 4


def test_e11_the_search_tells_tastes_apart() -> None:
    def top(description: str) -> list[str]:
        return [wine["name"] for wine in catalogue.execute_semantic_search(description)]

    assert check_differentiation(top("ripe berry notes"), top("mineral white"))
    assert not check_differentiation(top("mineral white"), top("white, mineral"))
