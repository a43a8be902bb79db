"""Answers as Cohere's API writes them."""

from __future__ import annotations

from typing import Any

from workbench.core.apis.cohere.write import LINES, WRITER
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.http_reply import HTTPReply

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
PLAIN = "application/json"
STREAM = "text/event-stream"


def call(name: str, arguments: str = "{}", index: int = 0) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"{name}_{index}", "type": "function", "function": function}


def answered(response: dict[str, Any]) -> Answer:
    asked = {"api": "cohere", "model": "command-a-03-2025"}
    return find_answer(view(asked), DIGEST, lambda _digest: {"response": response})


def plain(response: dict[str, Any]) -> bytes:
    return WRITER.reply(answered(response), 0, stream=False).body


def streamed(response: dict[str, Any]) -> bytes:
    return WRITER.reply(answered(response), 0, stream=True).body


def in_lines(response: dict[str, Any]) -> HTTPReply:
    return LINES.reply(answered(response), 0, stream=True)
