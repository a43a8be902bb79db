"""The proof of a preview: the frames put together again are the message.

A stream is put together as the official client does, from its bytes alone.
"""

from __future__ import annotations

import json
from typing import Any

from workbench.core.apis import sse
from workbench.core.apis.messages.read import read_message
from workbench.core.json.values import mappings
from workbench.core.replies.proof import Proof
from workbench.core.replies.response import NotAReplyError


def prove(stream: bytes, envelope: bytes) -> Proof:
    """Put ``stream`` together and compare it with ``envelope`` (both as they are sent)."""
    whole = json.loads(envelope)
    try:
        streamed = read_message("text/event-stream", stream)
    except NotAReplyError as error:
        return Proof("", [], None, [], [str(error)])
    blocks = mappings(streamed["content"])
    calls = [block for block in blocks if block["type"] == "tool_use"]
    pieces = _pieces(stream)
    proof = Proof("".join(pieces), calls, streamed.get("stop_reason"), pieces)
    proof.differences.extend(_differences(streamed, whole))
    return proof


def _pieces(stream: bytes) -> list[str]:
    deltas = [
        json.loads(event.data)["delta"]
        for event in sse.events(stream)
        if event.kind == "content_block_delta"
    ]
    return [delta["text"] for delta in deltas if delta["type"] == "text_delta"]


def _differences(streamed: dict[str, Any], whole: dict[str, Any]) -> list[str]:
    found = [
        f"{name} differs"
        for kind, name in (("thinking", "thinking"), ("text", "content"))
        if _of(streamed, kind) != _of(whole, kind)
    ]
    calls = _of(streamed, "tool_use")
    if any(isinstance(call["input"], str) for call in calls):
        found.append("tool calls differ: the client refuses arguments that are not JSON")
    elif calls != _of(whole, "tool_use"):
        found.append("tool calls differ")
    others = ("id", "model", "stop_reason", "stop_details", "usage")
    return found + [f"{key} differs" for key in others if streamed.get(key) != whole.get(key)]


def _of(message: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    return [block for block in message["content"] if block["type"] == kind]
