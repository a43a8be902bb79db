"""Reads a reply of the Responses API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    StreamEvent,
    checked_object,
    fixture_response,
    read_stream,
    reply_object,
)
from workbench.core.apis.responses.request import call
from workbench.core.apis.responses.streamed_items import StreamedItems
from workbench.core.apis.sse import is_stream
from workbench.core.json.values import compact, mapping, sequence
from workbench.core.replies.fixture_form import ANSWER_KEYS
from workbench.core.replies.response import NotAReplyError

FINISH_REASONS: Final = {"max_output_tokens": "length", "content_filter": "content_filter"}
_CALLS: Final = {"function_call": "arguments", "custom_tool_call": "input"}
_BEGINNINGS: Final = ("response.created", "response.queued", "response.in_progress")
# The last event of a stream, which repeats all of the response.
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
_END_EVENT: Final = rb"\nevent: ?response\.(?:completed|incomplete|failed)\r?\ndata:[^\n]*\n\r?\n"

# Keys that are not part of the answer: they repeat the request, or are written for each reply.
_ABOUT_RESPONSE: Final = (
    *("id", "object", "created_at", "completed_at", "status", "error", "incomplete_details"),
    *("model", "service_tier", "background", "billing", "conversation", "frequency_penalty"),
    *("instructions", "max_output_tokens", "max_tool_calls", "metadata", "moderation"),
    *("parallel_tool_calls", "presence_penalty", "previous_response_id", "prompt"),
    *("prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "store"),
    *("temperature", "text", "tool_choice", "tool_usage", "tools", "top_logprobs", "top_p"),
    *("truncation", "user", "content_filters"),
)
_ABOUT_ITEM: Final = ("id", "type", "status", "role")
# They have the namespace of the tool in the request.
_ABOUT_CALL: Final = (*_ABOUT_ITEM, "call_id", "name", "namespace", *_CALLS.values())


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:
    """A reply as the ``response`` of a fixture. The text of several messages is joined.

    Args:
        as_client: put a stream together from its pieces, as the official client does.

    Raises:
        NotAReplyError: it is an error, not a response, a stream that broke off, or its pieces
            differ from its last event.
    """
    value, events, pieces = _response(content_type, body)
    reply = ReplyObject(value)
    response = _fixture_response(reply)
    for event in events:
        if event.data.has_any():
            event.data.take_all()
            event.data.leave(f"{event.kind or 'unknown'} events")
    others = [ReplyObject({"output": items}) for items in (pieces.done, pieces.summed)]
    for other in map(_fixture_response, others):
        # Some upstreams leave the pieces out.
        if any(other.get(key) and other[key] != response.get(key) for key in ANSWER_KEYS):
            raise _differs()
    if as_client and events:
        _check_as_client(body, response)
    return Reading.of(response, [reply, *others, *(event.data for event in events)])


def _check_as_client(stream: bytes, response: dict[str, Any]) -> None:
    """Raise NotAReplyError if the pieces of a stream, put together as the official client does,
    are not ``response``, which its last event repeats.
    """
    events = read_stream(stream).events
    pieces = StreamedItems(as_client=True)
    for event in events:
        pieces.add(event)
    whole = _ended(events, is_done=False)
    if _fixture_response(ReplyObject({**whole, "output": pieces.summed})) != response:
        raise _differs()


def reply_id(content_type: str, body: bytes) -> str:
    """The id of a reply; "" if it has none. Raises NotAReplyError."""
    return str(_response(content_type, body)[0].get("id") or "")


def _response(
    content_type: str, body: bytes
) -> tuple[dict[str, Any], list[StreamEvent], StreamedItems]:
    """The response with all of its items, and the events and pieces that it was read from."""
    events: list[StreamEvent] = []
    pieces = StreamedItems()
    if is_stream(content_type, body):
        events, is_done = read_stream(body)
        for event in events:
            pieces.add(event)
        value = _ended(events, is_done=is_done)
    else:
        value = _complete(reply_object(body, "the body"), "the body")
    # Some upstreams have an empty list at the end of a stream.
    output = value.get("output") or pieces.done or pieces.summed or value.get("output")
    if not isinstance(output, list):
        raise NotAReplyError("the response has no output")
    return {**value, "output": output}, events, pieces


def _ended(events: list[StreamEvent], *, is_done: bool) -> dict[str, Any]:
    """The response as a stream has it at its end."""
    value: dict[str, Any] = {}
    is_ended = False
    for event in events:
        if event.kind in _BEGINNINGS:
            value = value or mapping(event.data.take("response"))
            event.data.take_all()
        elif event.kind in _ENDS:
            value = checked_object(mapping(event.data.take("response")), event.where)
            value = _complete(value, event.where)
            is_ended = True
    if not is_ended and not is_done:
        raise NotAReplyError("the stream broke off: it has no response.completed")
    return value if is_ended else {**value, "status": "completed", "output": None}


def _complete(response: dict[str, Any], where: str) -> dict[str, Any]:
    status = response.get("status")
    # Some upstreams leave it out.
    is_whole = status is None and isinstance(response.get("output"), list)
    if not is_whole and status not in ("completed", "incomplete"):
        raise NotAReplyError(f"{where} is not a response that is complete")
    return response


def _differs() -> NotAReplyError:
    return NotAReplyError("the pieces of the stream differ from its last event")


# As a fixture's response


def _fixture_response(response: ReplyObject) -> dict[str, Any]:
    reason = mapping(response.peek("incomplete_details")).get("reason")
    status = response.peek("status")
    response.skip(_ABOUT_RESPONSE)
    usage = _usage(response.mapping("usage", "usage."))
    texts, paragraphs, calls = {"text": "", "refusal": ""}, [], []
    messages = 0
    for item in response.take("output") or ():
        match mapping(item).get("type"):
            case "message":
                messages += 1
                _add_message(texts, response.inner(item), response)
            case "function_call" | "custom_tool_call":
                response.inner(item).skip(_ABOUT_CALL)
                calls.append(_call(item))
            case "reasoning":
                paragraphs += _paragraphs(response.inner(item))
            case kind:
                response.leave(str(kind or "output"))
    if messages > 1:
        response.leave("further messages")
    if response.text("output_text") not in ("", texts["text"]):
        response.leave("output_text")
    finish_reason = "tool_calls" if calls else "stop"
    if status == "incomplete":
        finish_reason = FINISH_REASONS.get(str(reason), "length")
    return fixture_response(
        texts["text"],
        calls,
        finish_reason,
        usage,
        refusal=texts["refusal"],
        reasoning="\n\n".join(paragraphs),
    )


def _add_message(texts: dict[str, str], message: ReplyObject, response: ReplyObject) -> None:
    message.skip(_ABOUT_ITEM)
    texts["text"] += message.text("content")  # of some upstreams
    for value in sequence(message.peek("content")):
        kind = mapping(value).get("type")
        if kind not in ("output_text", "refusal"):
            response.leave(f"{kind or 'unknown'} parts")
            continue
        part = message.inner(value)
        part.skip(("type",))
        key = "refusal" if kind == "refusal" else "text"
        texts[key] += part.text(key)
    if isinstance(message.peek("content"), list):
        message.skip(("content",))


def _call(item: Mapping[str, Any]) -> dict[str, Any]:
    """An item that is a call, as chat has it."""
    key = _CALLS[item["type"]]
    value = item.get(key)
    text = value if isinstance(value, str) else compact({} if value is None else value)
    return call({**item, key: text})


def _paragraphs(item: ReplyObject) -> list[str]:
    """The paragraphs of reasoning: its summary or, of open models, the text itself."""
    item.skip((*_ABOUT_ITEM, "encrypted_content"))
    key = "summary" if item.has("summary") else "content"
    parts = item.objects(key)
    for part in parts:
        part.skip(("type",))
    return [part.text("text") for part in parts]


def _usage(usage: ReplyObject) -> dict[str, Any]:
    usage.skip(("total_tokens",))
    counts: dict[str, Any] = {}
    for chat_name, name in (("prompt", "input"), ("completion", "output")):
        if (count := usage.count(f"{name}_tokens")) is not None:
            counts[f"{chat_name}_tokens"] = count
    for chat_name, name in (("prompt", "input"), ("completion", "output")):
        details = {k: n for k, n in mapping(usage.take(f"{name}_tokens_details")).items() if n}
        if details:
            counts[f"{chat_name}_tokens_details"] = details
    return counts


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last event of a stream was received, after which clients may close it."""
    start = body.rfind(b"\nevent:")
    return start >= 0 and re.match(_END_EVENT, body[start:]) is not None
