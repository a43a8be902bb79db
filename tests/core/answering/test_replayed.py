"""A recorded reply is sent as it was recorded, or as it is asked for now."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.answering.replayed import replayed
from workbench.core.apis.table import api_of, view
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.core.replies.answer import answer_with

EMIT = "[[MOCK_LLM_EMIT:aGk]]"
ASKED: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": f"x {EMIT}"}]}
BODY = json.dumps({"choices": [{"message": {"content": "Rain."}, "finish_reason": "stop"}]})
SENT = Sent(200, "application/json", BODY.encode())


def exchange(sent: Sent = SENT) -> Exchange:
    return Exchange(1, "", 1, ASKED, sent, view(ASKED).digest)


def test_what_is_asked_for_as_it_was_recorded_gets_the_recorded_bytes() -> None:
    reply, note = replayed(exchange(), SENT, view(ASKED), "openai", 0)
    assert (reply.body, note) == (SENT.body, "")


def test_another_api_and_a_stream_get_the_recorded_answer_whatever_directives_there_are() -> None:
    messages = view({"api": "messages", "max_tokens": 9, **ASKED})
    reply, note = replayed(exchange(), SENT, messages, "openai", 0)
    assert json.loads(reply.body)["content"] == [{"type": "text", "text": "Rain."}]
    assert note == ""
    streamed, _ = replayed(exchange(), SENT, view({**ASKED, "stream": True}), "openai", 0)
    read = api_of(ASKED).replies.read(streamed.content_type, streamed.body)
    assert read.response["content"] == "Rain."


def test_an_error_has_the_shape_of_the_api_that_is_asked() -> None:
    sent = Sent(429, "application/json", b'{"error": {"message": "Slow down."}}')
    assert replayed(exchange(sent), sent, view(ASKED), "openai", 0).reply.body == sent.body
    messages = view({"api": "messages", "max_tokens": 9, **ASKED})
    error = json.loads(replayed(exchange(sent), sent, messages, "openai", 0).reply.body)
    assert (error["type"], error["error"]["message"]) == ("error", "Slow down.")


def test_what_cannot_be_read_is_sent_as_it_was_recorded_and_the_note_says_why() -> None:
    sent = Sent(200, "text/html", b"<html>")
    reply, note = replayed(exchange(sent), sent, view({**ASKED, "stream": True}), "openai", 0)
    assert reply.body == b"<html>"
    assert note.startswith("in its recorded form, not in the requested one: ")
    cut = Sent(200, "application/json", b"{", is_complete=False)
    assert replayed(exchange(cut), cut, view(ASKED), "openai", 0).reply.is_cut


def test_a_reply_of_bedrock_is_framed_as_the_path_asks() -> None:
    asked = view({"api": "messages", **ASKED, "stream": True})
    writer = api_of(asked.payload).replies.writer("openai", asked)
    stream = writer.reply(answer_with(asked, {"content": "Rain."}), 0, stream=True)
    sent = Sent(200, stream.content_type, stream.body)
    recorded = Exchange(1, "", 1, asked.payload, sent, asked.digest, stream=True)
    assert replayed(recorded, sent, asked, "openai", 0).reply.body == sent.body
    by_invoke = view({**asked.payload, "platform": "bedrock"})
    reply = replayed(recorded, sent, by_invoke, "openai", 0).reply
    assert reply.content_type == "application/vnd.amazon.eventstream"
    read = api_of(asked.payload).replies.read(reply.content_type, reply.body)
    assert read.response["content"] == "Rain."


def test_an_error_of_bedrock_has_its_type() -> None:
    sent, asked = (
        Sent(429, "application/json", b'{"message": "Slow."}'),
        {**ASKED, "api": "converse"},
    )
    recorded = Exchange(1, "", 1, asked, sent, view(asked).digest)
    reply = replayed(recorded, sent, view(asked), "openai", 0).reply
    assert reply.headers == (("x-amzn-errortype", "ThrottlingException"),)


def test_calls_that_were_recorded_without_ids_have_those_of_their_places() -> None:
    function = {"name": "f", "arguments": {"city": "Rome"}}
    message = {"role": "assistant", "content": "", "tool_calls": [{"function": function}] * 2}
    body = json.dumps({"message": message, "done": True, "done_reason": "stop"}).encode()
    sent, asked = Sent(200, "application/json", body), {**ASKED, "api": "ollama", "stream": False}
    recorded = Exchange(1, "", 1, asked, sent, view(asked).digest)
    reply = json.loads(replayed(recorded, sent, view(ASKED), "openai", 0).reply.body)
    calls = reply["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in calls] == ["call_0", "call_1"]
