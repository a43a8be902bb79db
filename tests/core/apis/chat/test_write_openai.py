"""Profile openai: the bytes of recordings of the real API, apart from what each request varies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests import strategies
from tests.core.apis.chat.test_write_stub import (
    CALLS,
    DIGEST,
    chunk,
    deltas,
    of_directive,
    of_response,
)
from workbench.core.apis.chat.write_openai import OPENAI
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.http_reply import Frame

HEAD = (
    '"id":"chatcmpl-e2e-c62fad60235a","object":"chat.completion.chunk","created":1,'
    '"model":"gpt-4o","service_tier":"default","system_fingerprint":"fp_c62fad6023"'
)


def asked(response: dict[str, Any], *, include_usage: bool = False) -> Answer:
    options = {"stream_options": {"include_usage": True}} if include_usage else {}
    payload = {"model": "gpt-4o", **options}
    return find_answer(view(payload), DIGEST, lambda _digest: {"response": response})


def frames(response: dict[str, Any]) -> list[Frame]:
    return list(OPENAI.frames(of_response(response), 0))


def lines(found: Answer) -> list[str]:
    """Each frame's choices and what follows; all else is the same in each."""
    texts = [frame.data.decode() for frame in list(OPENAI.frames(found, 1))]
    start, end = f"data: {{{HEAD},", "}\n\n"
    assert texts[-1] == "data: [DONE]\n\n"
    assert all(text.startswith(start) and text.endswith(end) for text in texts[:-1])
    return [text[len(start) : -len(end)] for text in texts[:-1]]


def choice(delta: str, finish_reason: str = "null") -> str:
    return (
        f'"choices":[{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish_reason}}}]'
    )


def test_an_envelope() -> None:
    usage = {"prompt_tokens": 12, "completion_tokens": 34}
    found = asked({"content": "naïve 🚀", "usage": usage})
    assert (
        OPENAI.envelope(found, 1741569952).decode()
        == """{
  "id": "chatcmpl-e2e-c62fad60235a",
  "object": "chat.completion",
  "created": 1741569952,
  "model": "gpt-4o",
  "choices": [
    {
      "index": 0,
      "message": {
        "role": "assistant",
        "content": "naïve 🚀",
        "refusal": null,
        "annotations": []
      },
      "logprobs": null,
      "finish_reason": "stop"
    }
  ],
  "usage": {
    "prompt_tokens": 12,
    "completion_tokens": 34,
    "total_tokens": 46,
    "prompt_tokens_details": {
      "cached_tokens": 0,
      "audio_tokens": 0
    },
    "completion_tokens_details": {
      "reasoning_tokens": 0,
      "audio_tokens": 0,
      "accepted_prediction_tokens": 0,
      "rejected_prediction_tokens": 0
    }
  },
  "service_tier": "default",
  "system_fingerprint": "fp_c62fad6023"
}
"""
    )


def test_a_request_has_an_id_as_the_real_api_gives_it() -> None:
    assert OPENAI.headers(asked({})) == (("x-request-id", f"req_{DIGEST[:32]}"),)


def test_an_envelope_of_calls() -> None:
    indexed = [{"index": n, **call} for n, call in enumerate(CALLS)]
    response = {"content": "", "tool_calls": indexed, "finish_reason": "tool_calls"}
    message = json.loads(OPENAI.envelope(of_response(response), 0))["choices"][0]["message"]
    assert list(message.items()) == [
        *(("role", "assistant"), ("content", None), ("tool_calls", CALLS)),
        *(("refusal", None), ("annotations", [])),
    ]
    said = of_response({**response, "content": "Let me look."})
    message = json.loads(OPENAI.envelope(said, 0))["choices"][0]["message"]
    assert message["content"] == "Let me look."


def test_a_stream_of_content() -> None:
    assert lines(asked({"content": "naïve"})) == [
        choice('{"role":"assistant","content":"","refusal":null}'),
        *(choice(f'{{"content":"{piece}"}}') for piece in "naïve"),
        choice("{}", '"stop"'),
    ]


def test_usage_details_go_out_as_they_are_written() -> None:
    usage = {"prompt_tokens_details": {"cached_tokens": 7}, "completion_tokens_details": None}
    sent = json.loads(OPENAI.envelope(asked({"content": "x", "usage": usage}), 0))["usage"]
    assert sent["prompt_tokens_details"] == {"cached_tokens": 7}
    assert sent["completion_tokens_details"]["reasoning_tokens"] == 0


def test_a_refusal_is_no_content() -> None:
    found = asked({"content": "", "refusal": "No way."})
    message = json.loads(OPENAI.envelope(found, 0))["choices"][0]["message"]
    assert (message["content"], message["refusal"]) == (None, "No way.")
    assert lines(found) == [
        choice('{"role":"assistant","content":null,"refusal":""}'),
        *(choice(f'{{"refusal":"{piece}"}}') for piece in ("No", " w", "ay", ".")),
        choice("{}", '"stop"'),
    ]


def test_reasoning_comes_first() -> None:
    found = asked({"content": "b", "reasoning": "a"})
    message = json.loads(OPENAI.envelope(found, 0))["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"]) == ("b", "a")
    assert lines(found) == [
        choice('{"role":"assistant","content":"","refusal":null}'),
        choice('{"reasoning_content":"a"}'),
        choice('{"content":"b"}'),
        choice("{}", '"stop"'),
    ]
    made = frames({"tool_calls": CALLS[:1], "reasoning": "a"})
    assert [frame.kind for frame in made][:4] == ["role", "reasoning", "call", "argument"]


def test_a_stream_of_nothing() -> None:
    assert lines(asked({"content": "", "finish_reason": "length"})) == [
        choice('{"role":"assistant","content":"","refusal":null}'),
        choice("{}", '"length"'),
    ]


def test_a_stream_of_one_call_begins_with_it() -> None:
    response = {"tool_calls": CALLS[1:], "finish_reason": "tool_calls"}
    assert lines(asked(response)) == [
        choice(
            '{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"b",'
            '"type":"function","function":{"name":"g","arguments":""}}],"refusal":null}'
        ),
        choice('{"tool_calls":[{"index":0,"function":{"arguments":"{"}}]}'),
        choice('{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]}'),
        choice("{}", '"tool_calls"'),
    ]


def test_a_stream_of_several_calls() -> None:
    found = deltas(frames({"tool_calls": CALLS, "finish_reason": "tool_calls"}))
    assert found[0] == ({"role": "assistant", "content": None}, None)
    assert found[-1] == ({}, "tool_calls")
    calls = [delta["tool_calls"][0] for delta, _ in found[1:-1]]
    headers = [call for call in calls if "id" in call]
    assert [(call["index"], call["id"]) for call in headers] == [(0, "a"), (1, "b")]
    assert all(call["function"]["arguments"] == "" for call in headers)
    for index, call in enumerate(CALLS):
        pieces = [c["function"]["arguments"] for c in calls if c["index"] == index]
        assert "".join(pieces) == call["function"]["arguments"]  # type: ignore[index]


def test_content_beside_calls_is_streamed_before_them() -> None:
    made = frames({"content": "ab", "tool_calls": CALLS[:1], "finish_reason": "tool_calls"})
    assert [frame.kind for frame in made] == [
        *("role", "content", "content", "call", *["argument"] * 4, "finish", "done")
    ]
    assert "".join(frame.piece for frame in made) == 'ab{"x": 1}'
    assert made[3].note == "f"
    assert [frame.paced for frame in made] == [False, *[True] * 7, False, False]


def test_the_index_is_the_place_of_the_call() -> None:
    """Whatever the fixture says: clients put calls together by it."""
    doubled = [{"index": 7, **call} for call in CALLS]
    heads = [f for f in frames({"tool_calls": doubled}) if f.kind == "call"]
    assert [chunk(f)["choices"][0]["delta"]["tool_calls"][0]["index"] for f in heads] == [0, 1]


def test_the_usage_has_a_chunk_of_its_own_where_it_is_asked_for() -> None:
    found = lines(asked({"content": "x", "usage": {"prompt_tokens": 3}}, include_usage=True))
    assert all(line.endswith('],"usage":null') for line in found[:-1])
    assert found[-1] == (
        '"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,'
        '"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},'
        '"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,'
        '"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}'
    )
    assert not any("usage" in line for line in lines(asked({"content": "x"})))


@pytest.mark.parametrize(
    ("framing", "pieces"),
    [
        ("once", ['{"x": 1}']),
        ("repeat", ['{"x": 1}', '{"x": 1}']),
        ("delta", ['{"x"', ": 1}"]),
        ("truncated", ['{"x": 1']),
    ],
)
def test_a_directive_cuts_arguments_as_in_the_other_profile(
    framing: str, pieces: list[str]
) -> None:
    made = list(OPENAI.frames(of_directive(framing), 0))
    assert [frame.piece for frame in made if frame.kind == "argument"] == pieces


@pytest.mark.parametrize(
    "calls",
    [
        *("no list", {"a": 1}, [5], [None], [{}], [{"function": 5}], [{"function": {}}]),
        [{"function": {"name": 5, "arguments": {"city": "London"}}}],
        [{"id": "a", "function": {"name": 5, "arguments": "{}"}, "more": 1}],
    ],
)
def test_what_is_no_call_goes_out_as_it_is(calls: Any) -> None:
    message = json.loads(OPENAI.envelope(of_response({"tool_calls": calls}), 0))
    assert message["choices"][0]["message"]["tool_calls"] == calls
    streamed = deltas(frames({"tool_calls": calls}))
    sent = [delta["tool_calls"] for delta, _ in streamed if "tool_calls" in delta]
    if not isinstance(calls, list):
        assert sent == [calls]
    elif isinstance(calls[0], dict):
        assert sent[0][0]["index"] == 0
        assert {**sent[0][0], "index": 0}.items() >= {
            key: value for key, value in calls[0].items() if key != "function"
        }.items()
    else:
        assert sent == [calls]


def test_half_a_character_keeps_its_escape() -> None:
    found = of_response({"content": "x\ud800"})
    assert b'"content": "x\\ud800"' in OPENAI.envelope(found, 0)
    assert any(b"\\ud800" in frame.data for frame in list(OPENAI.frames(found, 0)))


@given(strategies.payloads, strategies.fixtures)
def test_whatever_a_fixture_holds_can_be_written(
    payload: dict[str, Any], fixture: dict[str, Any]
) -> None:
    found = find_answer(view(payload), DIGEST, lambda _digest: fixture)
    whole = json.loads(OPENAI.envelope(found, 0))
    made = list(OPENAI.frames(found, 0))
    assert [made[0].kind, made[-1].kind] == ["role", "done"]
    reasons = [frame.finish_reason for frame in made if frame.kind == "finish"]
    assert reasons == [whole["choices"][0]["finish_reason"]]
    assert all(b"\n" not in frame.data[:-2] for frame in made)
    assert [frame.kind for frame in made].count("usage") == found.request.include_usage


def test_the_call_of_a_directive_is_one_like_others() -> None:
    head = next(iter(OPENAI.frames(of_directive("once"), 0)))
    assert (head.kind, head.note) == ("role", "content=null call f")
