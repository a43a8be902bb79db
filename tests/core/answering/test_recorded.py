"""A recorded reply is sent as it was recorded, or as it is asked for now."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.answering.recorded import replayed
from workbench.core.apis.table import api_of, view
from workbench.core.recordings.exchanges import Exchange, Sent

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
    assert note.startswith("as it was recorded, not as it is asked for: ")
    cut = Sent(200, "application/json", b"{", is_complete=False)
    assert replayed(exchange(cut), cut, view(ASKED), "openai", 0).reply.is_cut
