"""Fixtures of aimock: what of them is read, and which requests they answer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.session.support import chat, tool
from tests.strategies import json_values, payloads
from workbench.core.apis.table import view
from workbench.core.imports.aimock import AimockFixture, fixtures, sequence
from workbench.core.imports.captures import CaptureError

ANSWER = {"content": "x"}
SCHEMA = {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}}
CALLED = [
    {"role": "system", "content": "Be brief."},
    {"role": "developer", "content": "Speak French."},
    {
        "role": "user",
        "content": [{"type": "text", "text": "Weather"}, {"type": "text", "text": "?"}],
    },
    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x"}}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "f"}}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "12 °C"},
]
REQUEST = chat(model="gpt-4o-2024-08-06", messages=CALLED, tools=[tool()], response_format=SCHEMA)
CLAUDE = {
    "api": "messages",
    "model": "claude-opus-4-20250514",
    "system": "Be brief.",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "Weather?"}],
}


def one(match: Any = None, response: Any = None, **more: Any) -> AimockFixture:
    entry = {"match": match or {}, "response": ANSWER if response is None else response, **more}
    (found,) = fixtures({"fixtures": [entry]})
    return found


def fits(match: dict[str, Any], request: dict[str, Any]) -> bool:
    return bool(sequence([one(match)], view(request)))


@each_case(
    "holds, fails",
    [
        ({}, {"userMessage": "weather?"}),
        ({"userMessage": "Weather?"}, {"userMessage": "Weather\n?"}),
        ({"systemMessage": "brief.\nSpeak"}, {"systemMessage": "long"}),
        ({"systemMessage": ["French", "brief"]}, {"systemMessage": ["French", "long"]}),
        ({"toolCallId": "call_1"}, {"toolCallId": "call_2"}),
        ({"toolResultContains": "12"}, {"toolResultContains": "13"}),
        ({"toolName": "get_weather"}, {"toolName": "get"}),
        ({"model": "gpt-4o"}, {"model": "gpt-4"}),
        ({"model": "gpt-4o-2024-08-06"}, {"model": "gpt-4o-"}),
        ({"responseFormat": "json_schema"}, {"responseFormat": "json_object"}),
        ({"turnIndex": 1}, {"turnIndex": 0}),
        ({"hasToolResult": True}, {"hasToolResult": False}),
        ({"endpoint": "chat"}, {"endpoint": "image"}),
        ({"userMessage": None}, {"inputText": "Weather?"}),
    ],
)
def test_conditions(holds: dict[str, Any], fails: dict[str, Any]) -> None:
    assert fits(holds, REQUEST)
    assert not fits(fails, REQUEST)


def test_conditions_on_what_a_request_does_not_have() -> None:
    for key in ("userMessage", "systemMessage", "toolCallId"):
        assert not fits({key: ""}, chat(messages=[]))
    # A result that the user has answered since counts no more.
    answered = chat(messages=[*CALLED, {"role": "user", "content": "Thanks"}])
    for key, value in (
        ("toolCallId", "call_1"),
        ("toolResultContains", "12"),
        ("hasToolResult", True),
    ):
        assert not fits({key: value}, answered)


def test_conditions_on_a_request_of_another_api() -> None:
    match = {"userMessage": "Weather", "systemMessage": "brief", "model": "claude-opus-4"}
    assert fits(match, CLAUDE)


def test_an_answer() -> None:
    given = {"content": {"a": "é"}, "finishReason": "length", "reasoning": "hm", "id": "x"}
    found = one(response={**given, "usage": None})
    assert found.response == {"content": '{"a": "é"}', "finish_reason": "length", "reasoning": "hm"}
    assert (found.reason, found.left_out) == ("", ["id"])


def test_what_is_left_out_of_the_parts_of_an_answer() -> None:
    call = {"name": "f", "arguments": {}, "thoughtSignature": "x"}
    assert one(response={"toolCalls": [call, call]}).left_out == ["toolCalls.thoughtSignature"]
    error = {"message": "no", "param": "n"}
    assert one(response={"error": error, "status": 400}).left_out == ["error.param"]


def test_calls() -> None:
    calls = [{"name": "f", "arguments": {"a": 1}, "id": "call_x"}, {"name": "g", "arguments": "{}"}]
    found = one(response={"content": "Wait.", "toolCalls": calls})
    assert found.response == {"content": "Wait."}
    assert [(call.name, call.arguments, call.id) for call in found.calls] == [
        ("f", '{"a": 1}', "call_x"),
        ("g", "{}", None),
    ]


def test_an_error() -> None:
    error = {"message": "Slow", "type": "limit", "code": "rate", "param": None}
    assert one(response={"error": error, "status": 429, "retryAfter": 3}).response == {
        "error": {
            "status": 429,
            "message": "Slow",
            "type": "limit",
            "code": "rate",
            "retry_after": 3,
        }
    }
    assert one(response={"error": {"message": "Slow"}}).response["error"]["status"] == 500
    for status in (400, 599):
        response = one(response={"error": {"message": "Slow"}, "status": status}).response
        assert response["error"]["status"] == status


@each_case(
    "entry, reason",
    [
        (1, "it is a number, not an object"),
        ({"response": ANSWER}, "match should be an object, not null"),
        ({"match": {"userMessage": {}}}, "match.userMessage should be a string, not an object"),
        ({"match": {"systemMessage": ["a", 1]}}, "match.systemMessage[1] should be a string"),
        ({"match": {"context": "x"}}, "match.context cannot be checked in a log"),
        ({"match": {"sequenceIndex": "0"}}, "match.sequenceIndex should be an integer, not"),
        ({"match": {"inputText": "x"}}, "it does not answer chat requests"),
        ({"match": {}, "response": ANSWER, "chaos": {}}, "chaos damages the reply on purpose"),
        ({"match": {}}, "response has neither content nor toolCalls nor an error"),
        ({"match": {}, "response": {"embedding": [1]}}, "response has neither content"),
        ({"match": {}, "response": {"content": 1}}, "response.content should be a string, not"),
        ({"match": {}, "response": {"toolCalls": [{}]}}, "response.toolCalls[0].name is missing"),
        (
            {"match": {}, "response": {"toolCalls": [{"name": "f", "arguments": 1}]}},
            "response.toolCalls[0].arguments should be a string, not a number",
        ),
        *(
            (
                {"match": {}, "response": {"error": {"message": "x"}, "status": status}},
                "response.status",
            )
            for status in (200, 399, 600)
        ),
    ],
)
def test_what_is_left_out(entry: Any, reason: str) -> None:
    found, fine = fixtures({"fixtures": [entry, {"match": {}, "response": ANSWER}]})
    assert found.reason.startswith(reason)
    assert found.place == "fixtures[0]"
    assert not fine.reason


def test_a_file_without_a_list() -> None:
    with pytest.raises(CaptureError, match="fixtures is an object, not a list"):
        fixtures({"fixtures": {}})


def numbered(*matches: dict[str, Any]) -> list[AimockFixture]:
    """Fixtures with these conditions, whose answers are their numbers."""
    entries = [{"match": m, "response": {"content": f"{n}"}} for n, m in enumerate(matches)]
    return fixtures({"fixtures": entries})


def said(answers: list[AimockFixture], request: dict[str, Any]) -> str:
    return "".join(fixture.response["content"] for fixture in sequence(answers, view(request)))


def in_turn(index: int | None = None, **more: Any) -> dict[str, Any]:
    return {"userMessage": "plan", "sequenceIndex": index, **more}


@each_case(
    "matches, expected",
    [
        ([in_turn(0), in_turn(1), in_turn()], "012"),
        ([in_turn(1), in_turn(0)], "10"),
        ([in_turn(), in_turn(0)], "0"),
        ([in_turn(0), in_turn(2)], "0"),
        ([in_turn(1)], ""),
        # Each group counts its own requests; null is no condition.
        ([in_turn(0, model="gpt-4o"), in_turn(0), in_turn(1), {}], "0123"),
        ([in_turn(0, model=None), in_turn(1)], "01"),
        ([in_turn(0, context="x"), in_turn(0)], "01"),
    ],
)
def test_a_sequence(matches: list[dict[str, Any]], expected: str) -> None:
    answers = numbered(*matches)
    for fixture in answers:
        fixture.response = fixture.response or {"content": f"{answers.index(fixture)}"}
    assert said(answers, chat("plan it", model="gpt-4o")) == expected


def test_earlier_requests_of_a_conversation_come_first_in_a_sequence() -> None:
    answers = numbered(in_turn(0), in_turn(1), in_turn(2), {"userMessage": "Thanks"})
    called = [{"role": "user", "content": "plan it"}, *CALLED[4:]]
    assert said(answers, chat(messages=called[:1])) == "012"
    assert said(answers, chat(messages=called)) == "12"
    assert said(answers, chat(messages=[*called, *CALLED[4:]])) == "2"
    thanked = [*called, {"role": "assistant", "content": "Done."}]
    assert said(answers, chat(messages=[*thanked, {"role": "user", "content": "Thanks"}])) == "3"


@given(json_values, json_values, payloads)
def test_anything_is_read_or_left_out(match: Any, value: Any, payload: dict[str, Any]) -> None:
    answer = {"content": value, "toolCalls": value, "error": value}
    for response in (value, ANSWER, *({key: part} for key, part in answer.items())):
        for entry in (value, {"match": match, "response": response}):
            (found,) = fixtures({"fixtures": [entry]})
            assert found.reason or found.response or found.calls
            sequence([found], view(payload))
