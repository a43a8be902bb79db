"""Answers as Converse writes them."""

from __future__ import annotations

from typing import Any

from workbench.core.apis.converse.write import envelope, frames
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"
STREAM = "application/vnd.amazon.eventstream"
PLAIN = "application/json"
MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"


def call(name: str, arguments: str = "{}", index: int = 0) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": f"call_{index}", "type": "function", "function": function}


def answered(response: dict[str, Any]) -> Answer:
    asked = {"api": "converse", "model": MODEL}
    return find_answer(view(asked), DIGEST, lambda _digest: {"response": response})


def plain(response: dict[str, Any]) -> bytes:
    return envelope(answered(response), 0)


def streamed(response: dict[str, Any]) -> bytes:
    return b"".join(frame.data for frame in frames(answered(response), 0))
