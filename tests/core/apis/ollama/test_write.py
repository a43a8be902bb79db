"""Answers as replies of the Ollama API."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.core.apis.ollama.asking import answer, call, lines, sent
from workbench.core.apis.ollama.write import WRITER
from workbench.core.replies.response import ErrorReply

USAGE = {"prompt_tokens": 9, "completion_tokens": 5}
ROME, OSLO = call("get_weather", '{"city":"Rome"}'), call("get_weather", '{"city":"Oslo"}', None)
BEGUN = {"model": "llama3.2", "created_at": "1970-01-01T00:00:07Z"}
END = {
    "done": True,
    "done_reason": "stop",
    "total_duration": 141_000_000,
    "load_duration": 1_000_000,
    "prompt_eval_count": 9,
    "prompt_eval_duration": 90_000_000,
    "eval_count": 5,
    "eval_duration": 50_000_000,
}


def message(**response: Any) -> Any:
    return json.loads(sent(answer(**response), stream=False).body)["message"]


def test_a_plain_reply_of_chat() -> None:
    reply = sent(answer(content="21 °C", reasoning="Hm.", usage=USAGE), stream=False)
    said = {"role": "assistant", "content": "21 °C", "thinking": "Hm."}
    assert json.loads(reply.body) == {**BEGUN, "message": said, **END}
    assert reply.content_type == "application/json"


def test_a_plain_reply_of_generate() -> None:
    made = answer("generate", content="21 °C", reasoning="Hm.", usage=USAGE)
    said = {"response": "21 °C", "thinking": "Hm."}
    assert json.loads(sent(made, stream=False).body) == {**BEGUN, **said, **END}


def test_a_stream_has_a_line_for_each_piece_and_one_for_all_calls() -> None:
    made = answer(content="Rain", reasoning="H", tool_calls=[ROME, OSLO], usage=USAGE)
    said = [line["message"] for line in lines(made)]
    assert [one["content"] for one in said] == ["", "R", "a", "i", "n", "", ""]
    assert said[0]["thinking"] == "H"
    assert said[-2]["tool_calls"] == [
        {
            "id": "call_1",
            "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Rome"}},
        },
        {"function": {"index": 1, "name": "get_weather", "arguments": {"city": "Oslo"}}},
    ]
    assert [line["done"] for line in lines(made)] == [False] * 6 + [True]
    assert lines(made)[-1] == {**BEGUN, "message": {"role": "assistant", "content": ""}, **END}


def test_a_stream_of_generate() -> None:
    made = answer("generate", content="ab", usage=USAGE)
    assert lines(made) == [
        {**BEGUN, "response": "a", "done": False},
        {**BEGUN, "response": "b", "done": False},
        {**BEGUN, "response": "", **END},
    ]


def test_a_stream_is_lines_for_every_reader() -> None:
    reply = sent(answer(content="a\n\u0085\u2028\u2029"), stream=True)
    assert reply.content_type == "application/x-ndjson"
    text = reply.body.decode()
    assert text.splitlines() == text.strip().split("\n")
    assert "".join(json.loads(line)["message"]["content"] for line in text.splitlines()) == (
        "a\n\u0085\u2028\u2029"
    )


@pytest.mark.parametrize("arguments", ['{"city": "Ro', "[]", '{"a": NaN}'])
def test_a_call_that_cannot_be_read_is_text(arguments: str) -> None:
    assert message(content="So: ", tool_calls=[call("f", arguments), ROME]) == {
        "role": "assistant",
        "content": f'So: {{"name": "f", "arguments": {arguments}}}',
        "tool_calls": [
            {
                "id": "call_1",
                "function": {"index": 0, "name": "get_weather", "arguments": {"city": "Rome"}},
            }
        ],
    }


def test_a_refusal_is_the_text() -> None:
    assert message(content=None, refusal="No.") == {"role": "assistant", "content": "No."}


@pytest.mark.parametrize(
    ("response", "reason"),
    [
        ({"tool_calls": [ROME]}, "stop"),
        ({"content": "a", "finish_reason": "length"}, "length"),
        ({"content": "a", "finish_reason": "content_filter"}, "content_filter"),
    ],
)
def test_why_it_ends(response: dict[str, Any], reason: str) -> None:
    assert lines(answer(**response))[-1]["done_reason"] == reason


def test_an_error_is_a_text_in_a_body_and_in_a_stream() -> None:
    error = ErrorReply(429, "Slow down.", "rate_limit", "slow", retry_after=3)
    reply = WRITER.error_reply(error)
    assert (reply.status, json.loads(reply.body)) == (429, {"error": "Slow down."})
    assert reply.headers == (("Retry-After", "3"),)
    late = WRITER.late_reply(error, answer(content="a"))
    assert (late.content_type, late.is_cut) == ("application/x-ndjson", False)
    assert late.body == b'{"error":"Slow down."}\n'
