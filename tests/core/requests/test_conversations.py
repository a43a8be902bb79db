"""Which requests are turns of one conversation."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.apis.table import view
from workbench.core.requests.conversations import answer_marks, conversation_id
from workbench.core.requests.messages import FunctionCall

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "weather?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
RESULT = {"role": "tool", "tool_call_id": "call_1", "content": "12C"}


def asked(*messages: object, model: str = "gpt-4o", **more: object) -> dict[str, Any]:
    return {"model": model, "messages": list(messages), **more}


def id_of(payload: dict[str, Any]) -> str:
    return conversation_id(view(payload))


FIRST = asked(SYSTEM, USER)


@pytest.mark.parametrize(
    "turn",
    [
        asked(SYSTEM, USER, {"role": "assistant", "content": "Rain."}, USER),
        asked(SYSTEM, USER, {"role": "assistant", "content": None, "tool_calls": [CALL]}, RESULT),
        asked({"content": "Be brief.", "role": "system"}, USER, stream=True),
        {
            "api": "messages",
            "model": "gpt-4o",
            "max_tokens": 9,
            "system": "Be brief.",
            "messages": [USER, {"role": "assistant", "content": "Rain."}, USER],
        },
        {
            "api": "responses",
            "model": "gpt-4o",
            "instructions": "Be brief.",
            "input": [USER, {"role": "assistant", "content": "Rain."}, USER],
        },
    ],
    ids=["answered", "called", "streamed", "messages", "responses"],
)
def test_later_turns_are_of_the_conversation_of_the_first(turn: dict[str, Any]) -> None:
    assert id_of(turn) == id_of(FIRST) != ""


@pytest.mark.parametrize(
    "other",
    [
        asked(USER),
        asked(SYSTEM, {"role": "user", "content": "joke?"}),
        asked(SYSTEM, USER, USER),
        asked(SYSTEM, USER, model="gpt-4o-mini"),
        asked(SYSTEM, USER, 5),
        asked(USER, SYSTEM),
    ],
)
def test_what_begins_otherwise_is_another_conversation(other: dict[str, Any]) -> None:
    assert id_of(other) != id_of(FIRST)


def test_requests_that_begin_with_an_answer_differ_by_it() -> None:
    answers = [{"role": "assistant", "content": text} for text in ("a", "b")]
    assert id_of(asked(answers[0])) != id_of(asked(answers[1]))


def test_a_request_without_messages_has_no_conversation() -> None:
    assert id_of(asked()) == id_of({}) == id_of({"messages": "none"}) == ""


def test_the_marks_of_an_answer_are_those_of_its_text_and_calls_however_they_are_written() -> None:
    def marks(text: str, arguments: str) -> frozenset[int]:
        return answer_marks(text, [FunctionCall("call_1", "f", arguments)])

    answer = marks("Rain in London.", '{"a": 1, "b": 2}')
    assert len(answer) == 2
    assert answer == marks(" Rain in\nLondon.", '{"b":2,"a":1}')
    for other in (marks("Rain in Paris.", '{"a": 1, "b": 2}'), marks("Rain in London.", "{}")):
        assert len(answer & other) == 1
    assert answer_marks(" ", []) == frozenset()
