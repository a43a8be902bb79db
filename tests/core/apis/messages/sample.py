"""Answers as the Messages API writes them."""

from __future__ import annotations

from typing import Any

from workbench.core.apis.messages.reply import envelope, frames
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import fixture_reply

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
STREAM = "text/event-stream; charset=utf-8"
PLAIN = "application/json"


def call(name: str, arguments: str = "{}", index: int = 0) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


def answered(response: dict[str, Any]) -> Answer:
    reply = fixture_reply({"response": response}, "a prompt")
    return Answer(DIGEST, "claude-sonnet-4-6", reply, "fixture")


def plain(response: dict[str, Any]) -> bytes:
    return envelope(answered(response), 0)


def streamed(response: dict[str, Any]) -> bytes:
    return b"".join(frame.data for frame in frames(answered(response), 0))
