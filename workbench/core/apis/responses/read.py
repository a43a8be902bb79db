"""Reads a reply of the Responses API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.bodies import (
    checked_object,
    error_reply,
    fixture_response,
    is_stream,
    reply_object,
    unknown_keys,
)
from workbench.core.apis.responses.request import call
from workbench.core.json.values import mapping, mappings
from workbench.core.replies.response import NotAReplyError

FINISH_REASONS: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
_CALLS: Final = ("function_call", "custom_tool_call")
# The last event of a stream, which repeats all of the response.
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_END_EVENT: Final = rb"\nevent: ?response\.(?:completed|incomplete|failed)\r?\ndata:[^\n]*\n\r?\n"

# What a fixture holds of each part of a response. The other keys of the response itself repeat the
# request, or are written for each reply that is sent.
_KNOWN: Final = {
    "message": {"id", "type", "status", "role", "content"},
    "function_call": {"id", "type", "status", "call_id", "name", "arguments", "namespace"},
    "custom_tool_call": {"id", "type", "status", "call_id", "name", "input", "namespace"},
    "reasoning": {"id", "type", "status", "summary", "encrypted_content"},
    "output_text": {"type", "text"},
    "refusal": {"type", "refusal"},
}

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


def read_reply(content_type: str, body: bytes) -> dict[str, Any]:
    """The ``response`` of a fixture that answers the same. The texts of several messages are one.

    Raises:
        NotAReplyError: it is an error, not a response, or a stream that broke off.
    """
    return _fixture_response(_response(content_type, body))


def assemble(content_type: str, body: bytes) -> dict[str, Any]:
    """As ``read_reply``, but a stream is put together from its pieces, as the official client does.

    Raises:
        NotAReplyError: as ``read_reply``, or the last event, which repeats all, says other things.
    """
    whole = _response(content_type, body)
    response = _fixture_response(whole)
    if is_stream(content_type):
        items = _assembled(json.loads(data) for _, data in sse.events(body))
        if _fixture_response({**whole, "output": items}) != response:
            raise NotAReplyError("the pieces of the stream are not what its last event says")
    return response


def _assembled(events: Iterable[Any]) -> list[dict[str, Any]]:
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


def _fixture_response(value: dict[str, Any]) -> dict[str, Any]:
    items = mappings(value.get("output"))
    messages = [item for item in items if item.get("type") == "message"]
    parts = [part for message in messages for part in mappings(message.get("content"))]
    return fixture_response(
        _joined(parts, "text"),
        [call(item) for item in items if item.get("type") in _CALLS],
        finish_reason(value),
        _usage(mapping(value.get("usage"))),
        refusal=_joined(parts, "refusal"),
        reasoning="\n\n".join(_summaries(items)),
    )


def reply_id(content_type: str, body: bytes) -> str:
    """The id of a reply; "" if it has none. Raises as ``read_reply``."""
    return str(_response(content_type, body).get("id") or "")


def finish_reason(response: dict[str, Any]) -> str:
    """Why the model ended, in the words of chat."""
    reason = mapping(response.get("incomplete_details")).get("reason")
    if response.get("status") == "incomplete":
        return FINISH_REASONS.get(str(reason), "length")
    called = any(item.get("type") in _CALLS for item in mappings(response.get("output")))
    return "tool_calls" if called else "stop"


def _response(content_type: str, body: bytes) -> dict[str, Any]:
    if not is_stream(content_type):
        return _complete(reply_object(body, "the body"), "the body")
    for number, (_, data) in enumerate(sse.events(body)):
        where = f"frame {number}"
        event = reply_object(data, where)
        if event.get("type") in _ENDS:
            return _complete(checked_object(mapping(event.get("response")), where), where)
        if event.get("type") == "error":
            raise error_reply(event, where)
    raise NotAReplyError("the stream broke off: it has no response.completed")


def _complete(response: dict[str, Any], where: str) -> dict[str, Any]:
    if response.get("status") not in ("completed", "incomplete"):
        raise NotAReplyError(f"{where} is not a response that is complete")
    return response


def _summaries(items: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The paragraphs of the reasoning: its summary or, of open models, the text itself."""
    for item in items:
        if item.get("type") == "reasoning":
            parts = mappings(item.get("summary")) or mappings(item.get("content"))
            yield from (part["text"] for part in parts if isinstance(part.get("text"), str))


def _joined(parts: Iterable[dict[str, Any]], key: str) -> str:
    return "".join(part[key] for part in parts if isinstance(part.get(key), str))


def _usage(usage: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for ours, theirs in (("prompt", "input"), ("completion", "output")):
        if isinstance(count := usage.get(f"{theirs}_tokens"), int):
            found[f"{ours}_tokens"] = count
    for ours, theirs in (("prompt", "input"), ("completion", "output")):
        details = {k: n for k, n in mapping(usage.get(f"{theirs}_tokens_details")).items() if n}
        if details:
            found[f"{ours}_tokens_details"] = details
    return found


def ends_stream(body: bytes | bytearray) -> bool:
    """Whether the last event of a stream was received: clients may close it then."""
    start = body.rfind(b"\nevent:")
    return start >= 0 and re.match(_END_EVENT, body[start:]) is not None


def left_out(content_type: str, body: bytes) -> list[str]:
    """What of a whole reply no fixture holds, each once, in the order seen: keys with a value, and
    types of items.
    """
    value = _response(content_type, body)
    return list(dict.fromkeys(_unknown(mappings(value.get("output")))))


def _unknown(items: list[dict[str, Any]]) -> Iterator[str]:
    messages = 0
    for item in items:
        what = str(item.get("type"))
        messages += what == "message"
        if what not in _KNOWN:
            yield what
            continue
        parts = mappings(item.get("content")) if what == "message" else []
        for part in (item, *parts):
            known = _KNOWN.get(str(part.get("type")), set())
            yield from unknown_keys(part, known)
    if messages > 1:
        yield "further messages"
