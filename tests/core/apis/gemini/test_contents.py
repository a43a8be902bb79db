"""Contents of a Gemini request and the chat messages that say the same."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis.gemini.contents import messages, system_message
from workbench.core.requests.equivalence import canonical_form

USER = {"role": "user", "parts": [{"text": "Weather?"}]}
ASKED = {"role": "user", "content": "Weather?"}


def chat(*contents: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = canonical_form({"messages": list(messages(list(contents)))})[
        "messages"
    ]
    return found


def user(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "parts": list(parts)}


def model(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": "model", "parts": list(parts)}


def call(name: str, **more: Any) -> dict[str, Any]:
    return {"functionCall": {"name": name, **more}}


def response(name: str, value: Any = "21", **more: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": name, "response": {"result": value}, **more}}


def called(name: str, id: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


# System instruction


@pytest.mark.parametrize(
    "instruction",
    [
        "Be brief.",
        {"text": "Be brief."},
        {"parts": {"text": "Be brief."}},
        {"role": "user", "parts": [{"text": "Be brief."}]},
    ],
)
def test_a_system_instruction_is_a_text_a_part_or_a_content(instruction: Any) -> None:
    (message,) = system_message(instruction)
    assert canonical_form({"messages": [message]})["messages"] == [
        {"role": "system", "content": "Be brief."}
    ]


@pytest.mark.parametrize("instruction", [None, {}, {"parts": []}, {"parts": [{}]}, 7])
def test_an_empty_system_instruction_is_none(instruction: Any) -> None:
    assert list(system_message(instruction)) == []


# Turns


def test_adjacent_contents_of_the_model_are_one_message() -> None:
    chunks = [model({"text": "Let "}), model({"text": "me see."}, call("f")), model({"text": ""})]
    assert chat(USER, *chunks, user(response("f"))) == [
        ASKED,
        {"role": "assistant", "content": "Let me see.", "tool_calls": [called("f", "call_0")]},
        {"role": "tool", "tool_call_id": "call_0", "content": "21"},
    ]


def test_contents_of_the_user_are_messages_of_their_own() -> None:
    assert chat(USER, {"parts": {"text": "Weather?"}}, {"role": "tool"}) == [
        ASKED,
        ASKED,
        {"role": "user", "content": ""},
    ]


def test_thoughts_and_signatures_do_not_count() -> None:
    thought = {"text": "Hm.", "thought": True, "thoughtSignature": "x"}
    signed = {"text": "Yes.", "thoughtSignature": "x", "thought": False}
    assert chat(USER, model(thought, signed)) == [ASKED, {"role": "assistant", "content": "Yes."}]
    assert chat(USER, model(thought)) == [ASKED]
    assert chat(model(thought, {"text": ""})) == [{"role": "assistant", "content": ""}]


# Calls and their ids


def test_calls_without_an_id_are_numbered_in_the_conversation() -> None:
    first = [model(call("f"), call("f", id="x")), user(response("f"), response("f"))]
    second = [model(call("g", id="")), user(response("g", id="y"))]
    ids = [
        [call["id"] for call in message["tool_calls"]]
        if "tool_calls" in message
        else message["tool_call_id"]
        for message in chat(*first, *second)
    ]
    assert ids == [["call_0", "x"], "call_0", "x", ["call_2"], "y"]


def test_a_response_answers_the_first_call_of_its_name_that_has_no_answer() -> None:
    turn = model(call("f", id="1"), call("g", id="2"), call("f", id="3"))
    answered = user(response("g"), response("f", id="3"), response("f"), response("f"))
    assert [message["tool_call_id"] for message in chat(turn, answered)[1:]] == ["2", "3", "1", "f"]


def test_arguments_are_an_object() -> None:
    (message,) = chat(model(call("f", args={"b": 2.0, "a": "é"}), call("f", args=None)))
    arguments = [call["function"]["arguments"] for call in message["tool_calls"]]
    assert arguments == ['{"a":"é","b":2}', "{}"]


# Outputs of functions


@each_case(
    "value, content",
    [
        ({"output": "21"}, "21"),
        ({"return_value": {"b": 1, "a": 2.5}}, '{"b":1,"a":2.5}'),
        ({"name": "f", "content": "21"}, "21"),
        ({"error": None}, "null"),
        ({"name": "g", "content": "21"}, '{"name":"g","content":"21"}'),
        ({"celsius": 21}, '{"celsius":21}'),
        ({"result": 21, "error": None}, '{"result":21,"error":null}'),
        ({}, "{}"),
        ("21", "21"),
        (None, ""),
    ],
)
def test_outputs_are_what_the_function_gave(value: Any, content: str) -> None:
    (message,) = chat(user({"functionResponse": {"name": "f", "response": value}}))
    assert message == {"role": "tool", "tool_call_id": "f", "content": content}


def test_an_output_may_have_images() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}
    (message,) = chat(user(response("f", parts=[image])))
    assert message["content"] == [
        {"type": "text", "text": "21"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_responses_and_other_parts_are_messages_in_their_order() -> None:
    found = chat(user({"text": "a"}, response("f"), {"text": "b"}, {"text": "c"}, response("g")))
    assert [message["role"] for message in found] == ["user", "tool", "user", "tool"]
    assert found[2]["content"] == [{"type": "text", "text": "b"}, {"type": "text", "text": "c"}]


# Other parts


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            {"inline_data": {"mime_type": "image/png", "data": "-_8"}},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,+/8="}},
        ),
        (
            {"inlineData": {"mimeType": "audio/mpeg", "data": "AAAA"}},
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
        ),
        (
            {
                "inlineData": {
                    "mimeType": "application/pdf",
                    "data": "AAAA",
                    "displayName": "a.pdf",
                }
            },
            {
                "type": "file",
                "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            },
        ),
        (
            {"fileData": {"mimeType": "image/png", "fileUri": "https://example.com/a.png"}},
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
        ),
        (
            {"fileData": {"fileUri": "https://example.com/a.pdf"}},
            {"type": "file", "file": {"file_url": "https://example.com/a.pdf"}},
        ),
    ],
)
def test_parts(part: dict[str, Any], expected: dict[str, Any]) -> None:
    assert chat(user(part, {"text": "What is it?"})) == [
        {"role": "user", "content": [expected, {"type": "text", "text": "What is it?"}]}
    ]


def test_many_unanswered_calls_take_no_longer_than_answered_ones() -> None:
    """10,000 calls that nothing answers, and as many responses to none of them."""
    count = 10_000
    calls = [{"functionCall": {"name": "f"}} for _ in range(count)]
    others = [{"functionResponse": {"name": f"g{n}", "response": {}}} for n in range(count)]
    contents: list[Any] = [{"role": "model", "parts": calls}, {"role": "user", "parts": others}]
    begun = time.process_time()
    found = list(messages(contents))
    assert time.process_time() - begun < 3  # a list of them takes 9 s
    assert [message["tool_call_id"] for message in found[1:3]] == ["g0", "g1"]
