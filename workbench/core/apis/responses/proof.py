"""The proof of a preview: the events put together again are the response.

They are put together as the official client does it: each item from its beginning and its pieces.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.responses.read import finish_reason
from workbench.core.apis.responses.request import call
from workbench.core.replies.proof import Proof

# Events with a piece -> the list of parts in the item that it belongs to, the key of its index in
# the event, and the key of the text that grows.
_PIECES: Final = {
    "response.output_text.delta": ("content", "content_index", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "text"),
    "response.function_call_arguments.delta": ("", "", "arguments"),
    "response.custom_tool_call_input.delta": ("", "", "input"),
}
_PARTS: Final = {
    "response.content_part.added": "content",
    "response.reasoning_summary_part.added": "summary",
}
_ENDS: Final = ("response.completed", "response.incomplete")


def prove(stream: bytes, envelope: bytes) -> Proof:
    """Put ``stream`` together and compare it with ``envelope`` (both as they are sent)."""
    whole = json.loads(envelope)
    events = [json.loads(event.data) for event in sse.events(stream)]
    last = events[-1] if events else {}
    end = last.get("response") or {}
    items = _assembled(events)
    is_text = "response.output_text.delta"
    proof = Proof(
        content="".join(_texts(items, "text")),
        tool_calls=[call(item) for item in items if "call_id" in item],
        finish_reason=finish_reason(end),
        pieces=[event["delta"] for event in events if event["type"] == is_text],
        differences=list(_differences(items, whole)),
        facts=("id equal in every event", "sequence_number without gaps", "the stream has its end"),
    )
    for key, what in (("status", "status"), ("usage", "usage"), ("output", "the last event")):
        if end.get(key) != whole[key]:
            proof.differences.append(f"{what} differs")
    if {event["response"]["id"] for event in events if "response" in event} != {whole["id"]}:
        proof.differences.append("id is not equal in every event")
    if [event.get("sequence_number") for event in events] != list(range(len(events))):
        proof.differences.append("sequence_number has gaps")
    if last.get("type") not in _ENDS:
        proof.differences.append("the stream has no response.completed")
    return proof


def _assembled(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The items of a stream, put together from their first events and their deltas."""
    items: dict[int, dict[str, Any]] = {}
    for event in events:
        item = items.get(event.get("output_index", -1))
        named = event["type"]
        if named == "response.output_item.added":
            items[event["output_index"]] = event["item"]
        elif item is None:
            continue
        elif named in _PARTS:
            item[_PARTS[named]].append(event["part"])
        elif named in _PIECES:
            parts, index, key = _PIECES[named]
            grown = item[parts][event[index]] if parts else item
            grown[key] += event["delta"]
    return list(items.values())


def _differences(items: list[dict[str, Any]], whole: dict[str, Any]) -> Iterator[str]:
    expected = whole["output"]
    for key, what in (("text", "content"), ("refusal", "refusal")):
        if list(_texts(items, key)) != list(_texts(expected, key)):
            yield f"{what} differs"
    if [item.get("summary") for item in items] != [item.get("summary") for item in expected]:
        yield "reasoning differs"
    calls, expected_calls = (
        [call(i) for i in found if "call_id" in i] for found in (items, expected)
    )
    if calls != expected_calls:
        yield "tool calls differ: a client merges the events into other calls"


def _texts(items: list[dict[str, Any]], key: str) -> Iterator[str]:
    """The texts of the messages among ``items``."""
    for item in items:
        if item["type"] == "message":
            yield from (part[key] for part in item["content"] if key in part)
