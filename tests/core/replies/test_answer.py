"""What is answered to a request, and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given

from tests import strategies
from workbench.core.apis.chat.write_stub import STUB
from workbench.core.apis.table import view
from workbench.core.json.spans import dotted
from workbench.core.replies.answer import Answer, Lookup, find_answer
from workbench.core.replies.response import FALLBACK_TEXT, FixtureError

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
PAYLOAD = {"model": "gpt-4o", "messages": [{"role": "user", "content": "x" * 40}]}
EMIT = {"role": "user", "content": "[[MOCK_LLM_EMIT:YQ]]"}
TOOLS = [{"type": "function", "function": {"name": "f"}}]


def answer(fixture: Mapping[str, Any] | None, payload: Mapping[str, Any] = PAYLOAD) -> Answer:
    return find_answer(view(payload), DIGEST, lambda _digest: fixture)


def broken(_digest: str) -> Mapping[str, Any]:
    raise FixtureError("invalid-json", "a comma is missing", line=3, column=5)


def test_a_fixture_is_looked_up_by_the_digest() -> None:
    asked: list[str] = []
    find_answer(view(PAYLOAD), DIGEST, lambda digest: asked.append(digest))
    assert asked == [DIGEST]


def test_a_fixture_answers() -> None:
    calls = [{"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
    usage = {"prompt_tokens": 12, "completion_tokens": 34, "total_tokens": 999}
    response = {"content": "hi", "tool_calls": calls, "finish_reason": "length", "usage": usage}
    found = answer({"response": response})
    assert (found.source, found.broken, found.digest) == ("fixture", None, DIGEST)
    assert found.request.echoed_model == "gpt-4o"
    assert (found.reply.content, found.reply.finish_reason) == ("hi", "length")
    assert found.reply.tool_calls is calls
    assert (found.prompt_tokens, found.reply.completion_tokens) == (12, 34)


def test_no_fixture_is_the_fallback() -> None:
    found = answer(None)
    assert (found.source, found.broken) == ("fallback", None)
    assert FALLBACK_TEXT == (
        "I don't have enough information to answer that from the provided sources."
    )
    assert found.reply.content == FALLBACK_TEXT
    assert (found.reply.tool_calls, found.reply.finish_reason) == (None, "stop")
    assert (found.prompt_tokens, found.completion_tokens) == (10, 18)


def test_a_broken_fixture_is_the_fallback_and_says_why() -> None:
    found = find_answer(view(PAYLOAD), DIGEST, broken)
    assert found.source == "fallback"
    assert found.reply.content == FALLBACK_TEXT
    assert found.broken is not None
    assert found.broken.place == "line 3, column 5"


@pytest.mark.parametrize("lookup", [broken, lambda _: {"response": {"content": "fixture"}}])
def test_a_directive_beats_fixtures(lookup: Lookup) -> None:
    found = find_answer(view({"messages": [EMIT]}), DIGEST, lookup)
    assert (found.source, found.broken) == ("directive", None)
    assert (found.reply.content, found.reply.finish_reason) == ("a", "stop")


def test_a_call_directive_is_one_call() -> None:
    message = {"role": "user", "content": "[[MOCK_LLM_TOOLCALL:f:delta:e30]]"}
    found = answer(None, {"messages": [message], "tools": TOOLS})
    (call,) = found.reply.tool_calls
    assert call["id"] == "call_e2e_c62fad60235a"
    assert call["function"] == {"name": "f", "arguments": "{}"}
    assert (found.reply.content, found.reply.finish_reason) == ("", "tool_calls")
    assert (found.reply.argument_frames, found.reply.completion_tokens) == ("delta", 8)


def test_unreadable_directives_are_told_whatever_answers() -> None:
    payload = {"messages": [{"role": "user", "content": "[[MOCK_LLM_EMIT:_w]]"}]}
    assert len(answer(None, payload).problems) == 1
    assert len(answer({"response": {"content": "a"}}, payload).problems) == 1


@pytest.mark.parametrize("model", [None, ""])
def test_a_request_without_model_has_a_default(model: object) -> None:
    assert answer(None, {"model": model}).request.echoed_model == "gpt-4o-mini"
    assert answer(None, {}).request.echoed_model == "gpt-4o-mini"


@pytest.mark.parametrize("response", [{}, {"content": None}, {"content": 0}, {"tool_calls": []}])
def test_what_is_left_open_has_defaults(response: dict[str, Any]) -> None:
    found = answer({"response": response})
    reply = found.reply
    assert (reply.content, reply.tool_calls, reply.end_reason) == ("", None, "stop")
    assert (found.prompt_tokens, found.completion_tokens) == (10, 1)
    assert STUB.counts(found) == (10, 0)


def test_a_reply_that_calls_ends_with_its_calls() -> None:
    calls = [{"function": {"name": "f", "arguments": "{}"}}]
    for response, reason in (
        ({"tool_calls": calls}, "tool_calls"),
        ({"tool_calls": calls, "finish_reason": None}, "tool_calls"),
        ({"tool_calls": calls, "finish_reason": "stop"}, "stop"),
        ({"refusal": "no"}, "stop"),
    ):
        assert answer({"response": response}).reply.end_reason == reason


@pytest.mark.parametrize("fixture", [{}, {"response": None}, {"response": []}])
def test_a_fixture_without_response_is_an_empty_reply(fixture: dict[str, Any]) -> None:
    found = answer(fixture)
    assert (found.source, found.reply.content) == ("fixture", "")


@pytest.mark.parametrize(
    ("response", "rule", "path"),
    [
        ("text", "not-an-object", ""),
        ([1], "not-an-object", ""),
        ({"content": 5}, "content-not-string", "content"),
        ({"content": {"a": 1}}, "content-not-string", "content"),
        ({"usage": [1]}, "usage-shape", "usage"),
        ({"usage": {"prompt_tokens": None}}, "usage-shape", "usage.prompt_tokens"),
        ({"usage": {"completion_tokens": "many"}}, "usage-shape", "usage.completion_tokens"),
        ({"usage": {"prompt_tokens": float("inf")}}, "usage-shape", "usage.prompt_tokens"),
        ({"usage": {"prompt_tokens": 10**4_001}}, "usage-shape", "usage.prompt_tokens"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_fixture_the_reference_fails_on_is_broken(response: Any, rule: str, path: str) -> None:
    found = answer({"response": response})
    assert found.source == "fallback"
    assert found.broken is not None
    assert (found.broken.rule, dotted(found.broken.path[1:])) == (rule, path)


@pytest.mark.parametrize(("given_tokens", "tokens"), [(12, 12), (12.9, 12), ("7", 7), (True, 1)])
def test_tokens_are_read_as_the_reference_reads_them(given_tokens: object, tokens: int) -> None:
    usage = {"prompt_tokens": given_tokens}
    assert answer({"response": {"usage": usage}}).reply.prompt_tokens == tokens


@pytest.mark.parametrize(("content", "tokens"), [("", 0), ("a", 1), ("a" * 7, 1), ("a" * 8, 2)])
def test_tokens_are_estimated_from_the_content(content: str, tokens: int) -> None:
    found = answer({"response": {"content": content}})
    assert (found.completion_tokens, STUB.counts(found)[1]) == (max(1, tokens), tokens)


def test_calls_refusals_and_thoughts_have_tokens() -> None:
    calls = [{"function": {"name": "f" * 8, "arguments": "{}" * 10}}]
    for response in ({"tool_calls": calls}, {"refusal": "a" * 28}, {"reasoning": "a" * 28}):
        found = answer({"response": response})
        assert (found.completion_tokens, STUB.counts(found)[1]) == (7, 0)
    assert answer({"response": {**response, "content": "a" * 8}}).completion_tokens == 9


def test_a_request_without_text_has_a_token() -> None:
    found = answer(None, {"messages": []})
    assert (found.prompt_tokens, STUB.counts(found)[0]) == (1, 0)


@given(strategies.payloads, strategies.fixtures)
def test_anything_has_an_answer(payload: dict[str, Any], fixture: dict[str, Any]) -> None:
    found = answer(fixture, payload)
    assert (found.broken is None) == (found.source != "fallback")
