"""Replies are read as fixtures that answer the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.core.apis.responses.asking import asked, call, events, plain, stream
from tests.core.apis.responses.replies import responses
from workbench.core.apis.responses.read import ends_stream, read
from workbench.core.replies.response import NotAReplyError

JSON = "application/json"
SSE = "text/event-stream; charset=utf-8"


def response(**changed: Any) -> dict[str, Any]:
    return read(JSON, json.dumps({**plain(asked({"content": "a"})), **changed}).encode()).response


@given(responses)
def test_what_is_written_is_read(response: dict[str, Any]) -> None:
    found = asked(response)
    assert read(JSON, json.dumps(plain(found)).encode()).response == response
    assert read(SSE, stream(found)).response == response
    assert read(JSON, json.dumps(plain(found)).encode()).left_out == []
    assert read(SSE, stream(found)).left_out == []


def test_paragraphs_of_reasoning() -> None:
    summary = [{"type": "summary_text", "text": text} for text in ("One", "Two")]
    text = [{"type": "reasoning_text", "text": "Open"}]
    output = [{"type": "reasoning", "summary": summary}, {"type": "reasoning", "content": text}]
    assert response(output=output)["reasoning"] == "One\n\nTwo\n\nOpen"


def test_the_texts_of_several_messages_are_one() -> None:
    output = plain(asked({"content": "a"}))["output"]
    value = {**plain(asked({"content": "a"})), "output": [*output, *output]}
    assert response(output=value["output"])["content"] == "aa"
    assert read(JSON, json.dumps(value).encode()).left_out == ["further messages"]


def test_what_no_fixture_holds() -> None:
    value = plain(asked({"content": "a", "tool_calls": [call("f")]}))
    message, _call = value["output"]
    message["phase"] = "commentary"
    message["content"][0]["annotations"] = [{"type": "url_citation"}]
    search, unknown = {"type": "web_search_call", "id": "ws_1"}, {"type": "more"}
    value["output"] = [search, *value["output"], unknown]
    assert read(JSON, json.dumps(value).encode()).left_out == [
        *("web_search_call", "phase", "annotations", "more")
    ]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"error": {"message": "Slow down."}}, "the body is an error: Slow down."),
        ({"error": "Slow down."}, "the body is an error: Slow down."),
        ({"status": "in_progress"}, "the body is not a response that is complete"),
    ],
)
def test_what_is_no_reply(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(NotAReplyError, match=message):
        response(**changed)


@each_case(
    "kind, body, message",
    [
        (JSON, b"", "the body is empty"),
        (JSON, b"[]", "the body is a list, not an object"),
        (JSON, b"[" * 100_000, "the body is not JSON"),
        (JSON, b"\xff", "the body is not JSON"),
        (JSON, b"{}", "the body is not a response that is complete"),
        (SSE, b"", "the stream broke off"),
        (SSE, b"data: 1\n\n", "frame 0 is a number, not an object"),
        (SSE, b'data: {"error": {"message": "No."}}\n\n', "frame 0 is an error: No."),
        (SSE, b'data: {"type": "error", "message": "No."}\n\n', "frame 0 is an error: No."),
        (SSE, b'data: {"type": "response.completed"}\n\n', "frame 0 is not a response"),
    ],
)
def test_what_cannot_be_read(kind: str, body: bytes, message: str) -> None:
    with pytest.raises(NotAReplyError, match=message):
        read(kind, body)


def test_the_end_of_a_stream() -> None:
    for response in ({"content": "a"}, {"content": "a", "finish_reason": "length"}):
        data = stream(asked(response))
        ends = [end for end in range(len(data) + 1) if ends_stream(data[:end])]
        assert ends == [len(data)]
        assert ends_stream(bytearray(data.replace(b"\n", b"\r\n")))
        with pytest.raises(NotAReplyError, match="broke off"):
            read(SSE, data[:-1])


def test_a_text_that_quotes_an_end_is_no_end() -> None:
    quoted = "\nevent: response.completed\ndata: {}\n\n"
    data = stream(asked({"content": quoted}))
    assert len(events(data)) > 5
    assert [end for end in range(len(data) + 1) if ends_stream(data[:end])] == [len(data)]
