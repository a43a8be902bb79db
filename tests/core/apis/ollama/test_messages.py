"""Messages and prompts of an Ollama request, and the chat messages that say the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.apis.ollama.messages import messages, of_prompt
from workbench.core.requests.equivalence import canonical_form

PNG, JPEG = "iVBORw0KGgoAAAA=", "/9j/4AAQ"


def chat(conversation: Any) -> Any:
    return canonical_form({"messages": list(messages(conversation))})["messages"]


def calling(*names: str, **more: Any) -> dict[str, Any]:
    calls = [{"function": {"name": name, "arguments": {}}} for name in names]
    return {"role": "assistant", "content": "", "tool_calls": calls, **more}


def result(**more: Any) -> dict[str, Any]:
    return {"role": "tool", "content": "21", **more}


def answered(conversation: list[dict[str, Any]]) -> list[str]:
    return [message["tool_call_id"] for message in chat(conversation) if message["role"] == "tool"]


@each_case(
    "message, expected",
    [
        ({"role": "user", "content": "Hi"}, [{"role": "user", "content": "Hi"}]),
        ({"role": "system", "content": "Be brief."}, [{"role": "system", "content": "Be brief."}]),
        ({"role": "user"}, [{"role": "user", "content": ""}]),
        ({"role": "assistant", "content": ""}, [{"role": "assistant", "content": ""}]),
        ({"role": "assistant", "content": "", "thinking": "Hm."}, []),
        (
            {"role": "assistant", "content": "Yes.", "thinking": "Hm."},
            [{"role": "assistant", "content": "Yes."}],
        ),
        ("Hi", []),
        ({"role": 1, "content": ["a"]}, [{"role": "", "content": ""}]),
    ],
)
def test_a_message(message: Any, expected: Any) -> None:
    assert chat([message]) == expected


def test_calls_have_the_ids_of_their_places_whatever_was_sent() -> None:
    sent = {"id": "8f2c", "function": {"index": 0, "name": "f", "arguments": {"b": 1.0, "a": "é"}}}
    conversation = [
        {"role": "assistant", "tool_calls": [sent]},
        result(tool_call_id="8f2c"),
        calling("g"),
    ]
    first, output, second = chat(conversation)
    assert first == {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "call_0",
                "type": "function",
                "function": {"name": "f", "arguments": '{"a":"é","b":1}'},
            }
        ],
    }
    assert output == {"role": "tool", "tool_call_id": "call_0", "content": "21"}
    assert second["tool_calls"][0]["id"] == "call_1"


def test_arguments_that_are_a_text_stay_as_they_are() -> None:
    written = {"function": {"name": "f", "arguments": '{"city": "Ro'}}
    (message,) = chat([{"role": "assistant", "tool_calls": [written]}])
    assert message["tool_calls"][0]["function"]["arguments"] == '{"city": "Ro'


@each_case(
    "results, expected",
    [
        ([result(tool_name="g"), result(tool_name="f")], ["call_1", "call_0"]),
        ([result(tool_name="f"), result(tool_name="f")], ["call_0", "call_2"]),
        ([result(name="g"), result(), result()], ["call_1", "call_0", "call_2"]),
        ([result(tool_name="h")], ["h"]),
        ([result(tool_call_id="x", tool_name="h")], ["x"]),
        ([result(), result(), result(), result()], ["call_0", "call_1", "call_2", ""]),
    ],
)
def test_a_result_belongs_to_the_call_that_it_names(
    results: list[dict[str, Any]], expected: list[str]
) -> None:
    assert answered([calling("f", "g", "f"), *results]) == expected


def test_results_of_one_id_belong_to_calls_of_one_id_in_order() -> None:
    made = calling("f", "f")
    for one in made["tool_calls"]:
        one["id"] = "f"
    assert answered([made, result(tool_call_id="f"), result(tool_call_id="f")]) == [
        "call_0",
        "call_1",
    ]


@pytest.mark.parametrize(
    ("image", "url"),
    [
        (PNG, f"data:image/png;base64,{PNG}"),
        (PNG.rstrip("="), f"data:image/png;base64,{PNG}"),
        (JPEG, f"data:image/jpeg;base64,{JPEG}"),
        ("R0lGODlh", "data:image/gif;base64,R0lGODlh"),
        ("UklGRiQA", "data:image/webp;base64,UklGRiQA"),
        ("AAAA", "data:image/png;base64,AAAA"),
        ("data:image/png;base64,AAAA", "data:image/png;base64,AAAA"),
    ],
)
def test_images_follow_the_text_as_data_urls(image: str, url: str) -> None:
    part = {"type": "image_url", "image_url": {"url": url}}
    text = {"type": "text", "text": "What is it?"}
    assert chat([{"role": "user", "content": "What is it?", "images": [image, 1]}]) == [
        {"role": "user", "content": [text, part]}
    ]
    assert list(of_prompt({"prompt": "", "images": [image]})) == [
        {"role": "user", "content": [part]}
    ]


def test_a_prompt_is_the_message_of_a_user() -> None:
    assert list(
        of_prompt({"prompt": "Hi", "system": "Be brief.", "template": "{{ .Prompt }}"})
    ) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
    ]
    assert list(of_prompt({"system": ""})) == [{"role": "user", "content": ""}]
