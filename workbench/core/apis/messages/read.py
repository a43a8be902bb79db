"""Reads a reply of the Messages API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.apis import eventstream
from workbench.core.apis.messages.write import REFUSAL, STOP_REASONS
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    StreamEvent,
    call_with_input,
    fixture_response,
    read_messages,
    read_stream,
    reply_object,
    usage_beside_cache,
)
from workbench.core.apis.sse import is_stream
from workbench.core.json.values import decoded, json_type, mapping, mappings, string
from workbench.core.replies.response import NotAReplyError

FINISH_REASONS: Final = {
    **{stop_reason: finish_reason for finish_reason, stop_reason in STOP_REASONS.items()},
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "model_context_window_exceeded": "length",
}
# The key of a block by the type of the delta that adds to it.
_GROWING: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}
# A line end is escaped in JSON text: this is the last event, not text that a reply quotes.
_END_EVENTS: Final = (b"\nevent: message_stop", b"\nevent:message_stop")
_LAST_CHUNK: Final = b'"message_stop"'
_TAIL: Final = 200
# Bedrock's key in the last event.
_BEDROCK_METRICS: Final = "amazon-bedrock-invocationMetrics"

# Keys that are not part of the answer, or that the server writes for each reply.
_ABOUT_MESSAGE: Final = ("id", "type", "role", "model")
_ABOUT_USAGE: Final = ("cache_creation", "service_tier", "inference_geo", "server_tool_use")
# Only the API can use signatures.
_ABOUT_BLOCK: Final = {"text": (), "thinking": ("signature",), "tool_use": ("caller",)}


def reply_id(content_type: str, body: bytes) -> str:
    """The id of a message; "" if it has none. Raises NotAReplyError."""
    return str(_message(content_type, body)[0].get("id") or "")


def _message(content_type: str, body: bytes) -> tuple[dict[str, Any], list[ReplyObject]]:
    """The message, and the events that it was read from."""
    if eventstream.is_stream(content_type, body):  # of Bedrock
        events = read_messages(body)
        return _put_together(events, is_done=False), [event.data for event in events]
    if is_stream(content_type, body):
        events, is_done = read_stream(body, "event")
        return _put_together(events, is_done=is_done), [event.data for event in events]
    message = reply_object(body, "the body")
    if not isinstance(message.get("content"), list):
        raise NotAReplyError("the body is not a message: it has no list content")
    return message, []


def _put_together(events: list[StreamEvent], *, is_done: bool) -> dict[str, Any]:
    """The message of a stream; ``is_done`` if ``[DONE]`` ends it, as it does of some upstreams."""
    message: dict[str, Any] = {}
    blocks: dict[int | None, dict[str, Any]] = {}
    is_ended = is_done
    for event in events:
        data = event.data
        data.skip(("type",))
        match event.kind:
            case "message_start" if not message:
                message = mapping(data.take("message"))
                blocks.update(enumerate(mappings(message.get("content"))))
            case "message_delta":
                message = {**message, **mapping(data.take("delta"))}
                message["usage"] = {**mapping(message.get("usage")), **mapping(data.take("usage"))}
            case "message_stop":
                data.skip((_BEDROCK_METRICS,))
                is_ended = True
            case "content_block_start":
                index = data.count("index")
                if index in blocks:
                    raise NotAReplyError(f"{event.where} starts a block that was started")
                blocks[index] = dict(mapping(data.take("content_block")))
            case "content_block_delta":
                block = blocks.get(data.count("index"))
                if block is None:
                    raise NotAReplyError(f"{event.where} adds to a block that was not started")
                _add(block, data, event.where)
            case "content_block_stop":
                data.skip(("index",))
            case "ping":
                pass
            case kind:
                data.take_all()
                data.leave(f"{kind or 'unknown'} events")
    if not is_ended:
        raise NotAReplyError("the stream broke off: it has no message_stop")
    return {**message, "content": [_whole(block) for block in blocks.values()]}


def _add(block: dict[str, Any], data: ReplyObject, where: str) -> None:
    """Add the delta of an event to its block."""
    delta = data.mapping("delta", "delta.")
    kind = delta.text("type")
    if kind in _GROWING:
        key = _GROWING[kind]
        piece = delta.take(key)
        if not isinstance(piece, str):
            raise NotAReplyError(f"{where}: {key} is {json_type(piece)}, not a string")
        block[key] = string(block.get(key)) + piece
    elif delta.has("citation"):
        block["citations"] = [*(block.get("citations") or []), delta.take("citation")]
    else:
        delta.take_all()
        data.leave(kind or "unknown pieces")


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its input in place of the JSON text that it was sent as."""
    if not string(block.get("type")).endswith("tool_use"):
        return block
    text, begun = string(block.pop("partial_json", "")), block.get("input")
    if not text:
        return block
    value = decoded(text)
    if begun and value != begun:
        if not (isinstance(begun, dict) and isinstance(value, dict)) or begun.keys() & value.keys():
            raise NotAReplyError("the pieces of an input do not fit its beginning")
        value = {**begun, **value}
    return {**block, "input": text if isinstance(value, str) else value}


# As a fixture's response


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:  # noqa: ARG001
    """A reply as the ``response`` of a fixture.

    Raises:
        NotAReplyError: it is an error, not a message, or a stream that broke off.
    """
    value, events = _message(content_type, body)
    message = ReplyObject(value)
    message.skip(_ABOUT_MESSAGE)
    reason = message.take("stop_reason")
    counts = message.mapping("usage", "usage.")
    counts.skip(_ABOUT_USAGE)
    usage = usage_beside_cache(
        counts,
        "input_tokens",
        "output_tokens",
        cached="cache_read_input_tokens",
        written="cache_creation_input_tokens",
    )
    details = message.mapping("stop_details", "stop_details.")
    details.skip(("type",))
    refusal = details.text("explanation") if reason == REFUSAL else ""
    texts = {"text": "", "thinking": ""}
    calls = []
    for item in message.take("content"):
        kind = string(mapping(item).get("type"))
        if kind not in _ABOUT_BLOCK:
            message.leave(f"{kind or 'unknown'} blocks")
            continue
        block = message.inner(item, f"{kind}.")
        block.skip(("type", *_ABOUT_BLOCK[kind]))
        if kind == "tool_use":
            calls.append(call_with_input(block, "id"))
        else:
            texts[kind] += block.text(kind)
    response = fixture_response(
        texts["text"],
        calls,
        "stop" if refusal else FINISH_REASONS.get(string(reason), reason),
        usage,
        refusal=refusal,
        reasoning=texts["thinking"],
    )
    return Reading.of(response, [message, *events])


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last event of a stream was received, after which clients may close it."""
    if eventstream.is_stream("", body):
        last = eventstream.last(body)
        return last is not None and _LAST_CHUNK in last.data[:_TAIL]
    tail = body[-_TAIL:]
    return tail.endswith((b"\n\n", b"\r\n\r\n")) and any(end in tail for end in _END_EVENTS)
