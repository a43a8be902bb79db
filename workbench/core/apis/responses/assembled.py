"""Puts the items of a stream together from their pieces, as the official client does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from workbench.core.replies.response import NotAReplyError

# Events with a part of an item -> the key of its list of parts.
_PARTS: Final = {
    "response.content_part.added": "content",
    "response.reasoning_summary_part.added": "summary",
}
# Events with a piece -> the list of parts in the item that it belongs to, the key of its index in
# the event, and the key of the text that grows.
_PIECES: Final = {
    "response.output_text.delta": ("content", "content_index", "text"),
    "response.refusal.delta": ("content", "content_index", "refusal"),
    "response.reasoning_summary_text.delta": ("summary", "summary_index", "text"),
    "response.function_call_arguments.delta": ("", "", "arguments"),
    "response.custom_tool_call_input.delta": ("", "", "input"),
}


def assembled(events: Iterable[Any]) -> list[dict[str, Any]]:
    """The items of a stream. Raises NotAReplyError where a piece has no place."""
    items: dict[int, dict[str, Any]] = {}
    for number, event in enumerate(events):
        try:
            _apply(items, event)
        except (LookupError, TypeError, AttributeError):
            raise NotAReplyError(f"frame {number} does not fit those before it") from None
    return list(items.values())


def _apply(items: dict[int, dict[str, Any]], event: dict[str, Any]) -> None:
    kind = event["type"]
    if kind == "response.output_item.added":
        items[event["output_index"]] = event["item"]
    elif kind in _PARTS:
        items[event["output_index"]][_PARTS[kind]].append(event["part"])
    elif kind in _PIECES:
        parts, index, key = _PIECES[kind]
        item = items[event["output_index"]]
        grown = item[parts][event[index]] if parts else item
        grown[key] += event["delta"]
