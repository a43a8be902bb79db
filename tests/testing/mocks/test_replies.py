"""Replies, and how they are placed in a response."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

import pytest
from pydantic import BaseModel

from tests.cases import each_case
from tests.testing.support import forced, tool
from workbench.core.digest import digest
from workbench.core.fixture import rules
from workbench.core.fixture.document import new_document
from workbench.testing import Reply
from workbench.testing.mocks.fitting import placed

PAYLOAD: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


@dataclass
class Plan:
    steps: list[str]


class Decision(BaseModel):
    decision: str


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": [1, None, "ä"]}, '{"a": [1, null, "ä"]}'),
        (Plan(["x"]), '{"steps": ["x"]}'),
        (Decision(decision="reject"), '{"decision": "reject"}'),
        ([Plan(["x"])], '[{"steps": ["x"]}]'),
    ],
)
def test_g2_structured_output_is_content(value: object, text: str) -> None:
    reply = placed(Reply.json(value), PAYLOAD, "0" * 64)
    assert reply.response == {"content": text, "finish_reason": "stop"}


@pytest.mark.parametrize(
    ("choice", "offered", "called"),
    [
        (forced("plan"), ["plan", "other"], "plan"),
        ("required", ["plan"], "plan"),
        ("required", ["plan", "other"], None),
        ("auto", ["plan"], None),
    ],
)
def test_g2_structured_output_is_the_arguments_of_a_forced_tool(
    choice: object, offered: list[str], called: str | None
) -> None:
    payload = {**PAYLOAD, "tool_choice": choice, "tools": [tool(name) for name in offered]}
    reply = placed(Reply.json({"steps": []}), payload, "ab" * 32)
    if called is None:
        assert reply.content == '{"steps": []}'
        assert reply.calls == []
    else:
        assert reply.calls == [(called, {"steps": []})]
        assert reply.response["finish_reason"] == "tool_calls"


@pytest.mark.parametrize(
    "text", ["{broken", '{"steps": "no list"}', "", 'Sure! {"steps": []}', '{"steps": ["a']
)
def test_g4_malformed_output_goes_out_as_it_is(text: str) -> None:
    assert placed(Reply.raw(text), PAYLOAD, "0" * 64).content == text
    payload = {**PAYLOAD, "tools": [tool("plan")], "tool_choice": forced("plan")}
    [call] = placed(Reply.raw(text), payload, "0" * 64).response["tool_calls"]
    assert call["function"] == {"name": "plan", "arguments": text}


def test_the_ids_of_calls_come_from_the_digest() -> None:
    reply = Reply.tool_calls([{"name": "a"}, {"name": "b", "arguments": {"x": 1}}])
    calls = placed(reply, PAYLOAD, "12345678" + "0" * 56).response["tool_calls"]
    assert [(c["index"], c["id"]) for c in calls] == [(0, "call_12345678"), (1, "call_12345678_1")]
    assert [c["function"]["arguments"] for c in calls] == ["{}", '{"x": 1}']


def test_t11_arguments_may_be_broken_text() -> None:
    assert Reply.tool_calls([{"name": "a", "arguments": "{"}]).calls == [("a", "{")]


def test_a_tool_may_have_an_argument_of_any_name() -> None:
    assert Reply.tool_call("greet", name="Ada").calls == [("greet", {"name": "Ada"})]
    given = {"unchecked": True, "max-price": 3, "from": "a"}
    assert Reply.tool_call("f", given, to="b").calls == [("f", {**given, "to": "b"})]


@pytest.mark.parametrize(
    "reply",
    [
        Reply.text("Hello."),
        Reply.text("Hel", finish_reason="length"),
        Reply.json({"a": 1}),
        Reply.tool_call("f", x=1),
        Reply.error(429, "slow down", retry_after=2, code="rate_limit_exceeded"),
        Reply.disconnect(after=2),
        Reply.text("late").after(0.2).chunks_after(0.1),
        Reply.timeout(),
        Reply.refused(),
    ],
    ids=str,
)
def test_each_reply_is_the_response_of_a_fixture_without_errors(reply: Reply) -> None:
    name = digest(PAYLOAD)
    document = new_document(name, placed(reply, PAYLOAD, name).response)
    findings = rules.check(document.text.encode(), rules.Context(filename=f"{name}.json"))
    assert [f.rule for f in findings if f.severity == "error"] == []


def test_replies_are_values() -> None:
    assert Reply.json({"a": 1}) == Reply.json({"a": 1}) != Reply.json({"a": 2})
    late = Reply.text("x").after(1)
    assert late != Reply.text("x")
    assert late.response["delay_ms"] == 1000


@each_case(
    "make, error, message",
    [
        (lambda: Reply.json({1, 2}), TypeError, "value must be a JSON value: set {1, 2}"),
        (
            lambda: Reply.tool_call("f", x=float("nan")),
            TypeError,
            "the arguments of f must be a JSON value: Out of range",
        ),
        (
            lambda: Reply.text(cast(Any, {})),
            TypeError,
            r"content must be a string \(Reply\.json .*\), got di",
        ),
        (lambda: Reply.error(200), ValueError, "status must be from 400 to 599, got 200"),
        (
            lambda: Reply.error(cast(Any, 429.5)),
            TypeError,
            "status must be a whole number, got float",
        ),
        (lambda: Reply.error(429, cast(Any, 5)), TypeError, "message must be a string, got int: 5"),
        (lambda: Reply.error(429, retry_after=float("inf")), ValueError, "retry_after is Inf"),
        (
            lambda: Reply.disconnect(cast(Any, 1.5)),
            TypeError,
            "after must be a whole number, got f",
        ),
        (
            lambda: Reply.error(cast(Any, "429")),
            TypeError,
            "status must be a whole number, got str",
        ),
        (lambda: Reply.error(429, retry_after=-1), ValueError, "retry_after is -1; expected sec"),
        (
            lambda: Reply.error(429, retry_after=cast(Any, "2")),
            TypeError,
            "retry_after must be a number, got str: '2'",
        ),
        (lambda: Reply.disconnect(after=-1), ValueError, "after must be at least 0, got -1"),
        (
            lambda: Reply.disconnect(cast(Any, "2")),
            TypeError,
            "after must be a whole number, got str",
        ),
        (
            lambda: Reply.text("x").after(cast(Any, "2")),
            TypeError,
            "delay must be a number, got str",
        ),
        (
            lambda: Reply.tool_call("f", unchecked=cast(bool, "all")),
            TypeError,
            r"of this name, write Reply.tool_call\('f', \{'unchecked': …\}\)",
        ),
        (
            lambda: Reply.text("x").after(-1),
            ValueError,
            "delay must be at least 0 and below 600 seconds, got -1",
        ),
        (lambda: Reply.text("x").after(600), ValueError, "below 600 seconds, got 600"),
        (lambda: Reply.tool_calls([{"name": "a", "args": {}}]), TypeError, "each call must be"),
        (lambda: Reply.tool_calls([{"arguments": {}}]), TypeError, "each call must be"),
        (
            lambda: Reply.tool_calls(cast(Any, ["x"])),
            TypeError,
            "each call must be .*, got str: 'x'",
        ),
        (
            lambda: Reply.tool_calls(cast(Any, "x")),
            TypeError,
            "calls must be a list of calls, got str",
        ),
        (
            lambda: Reply.tool_calls(cast(Any, {"name": "a"})),
            TypeError,
            "a list of calls, got dict",
        ),
    ],
)
def test_what_is_no_reply(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        (Reply.text("two\nlines"), "two lines"),
        (Reply.text(""), "(empty)"),
        (Reply.tool_call("f", x=1, y="z"), "f(x=1, y=z)"),
        (Reply.error(503), "503"),
        (Reply.error(429, "slow"), "429 slow"),
        (Reply.timeout(), "(no reply)"),
        (Reply.refused(), "(connection refused)"),
        (Reply.disconnect(after=2), "(cut after 2 frames)"),
        (Reply.json([1]), "[1]"),
    ],
)
def test_replies_say_in_one_line_what_they_are(reply: Reply, text: str) -> None:
    assert str(reply) == text


def test_nothing_is_escaped_beyond_need() -> None:
    assert json.loads(Reply.json("é😀").content) == "é😀"
    assert "\\u" not in Reply.json("é😀").content


def test_a_raw_reply_that_is_no_text_is_refused_where_it_is_scripted() -> None:
    with pytest.raises(TypeError, match=r"text must be a string \(Reply\.json takes values\)"):
        Reply.raw({"x": 1})  # type: ignore[arg-type]
