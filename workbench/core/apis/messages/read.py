"""Reads a reply of the Messages API, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.bodies import (
    compact,
    fixture_response,
    is_stream,
    reply_object,
    unknown_keys,
)
from workbench.core.apis.messages.reply import REFUSAL, STOP_REASONS
from workbench.core.json.values import decoded, mapping, mappings, string
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

FINISH_REASONS: Final = {
    **{theirs: ours for ours, theirs in STOP_REASONS.items()},
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
_TAIL: Final = 200

# Keys that a fixture holds, or that the server writes for each reply that it sends.
_KNOWN: Final = {
    "": "id type role model content stop_reason stop_sequence stop_details usage",
    "usage": "input_tokens output_tokens cache_read_input_tokens cache_creation service_tier"
    " inference_geo server_tool_use",
    "stop_details": "type explanation",
    "text": "type text",
    "thinking": "type thinking signature",
    "tool_use": "type id name input caller",
}


def read_reply(content_type: str, body: bytes) -> dict[str, Any]:
    """The ``response`` of a fixture that answers the same.

    Raises:
        NotAReplyError: it is an error, not a message, or a stream that broke off.
    """
    return _response(read_message(content_type, body))


def read_message(content_type: str, body: bytes) -> dict[str, Any]:
    """The message as the official client has it. Raises NotAReplyError."""
    if is_stream(content_type):
        return _put_together(body)
    message = reply_object(body, "the body")
    if not isinstance(message.get("content"), list):
        raise NotAReplyError("the body is not a message: it has no list content")
    return message


def _put_together(body: bytes) -> dict[str, Any]:
    """The message of a stream."""
    message: dict[str, Any] = {}
    blocks: dict[Any, dict[str, Any]] = {}
    for number, (kind, data) in enumerate(sse.events(body)):
        where = f"event {number}"
        event = reply_object(data, where)
        if kind == "message_start":
            message = {**mapping(event.get("message")), "content": []}
        elif kind == "message_delta":
            message = {**message, **mapping(event.get("delta"))}
            message["usage"] = {**mapping(message.get("usage")), **mapping(event.get("usage"))}
        elif kind == "message_stop":
            return {**message, "content": [_whole(block) for block in blocks.values()]}
        elif kind == "content_block_start":
            blocks[_index(event)] = dict(mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            if _index(event) not in blocks:
                raise NotAReplyError(f"{where} adds to a block that was not started")
            _add(blocks[_index(event)], mapping(event.get("delta")))
    raise NotAReplyError("the stream broke off: it has no message_stop")


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else -1


def _add(block: dict[str, Any], delta: Mapping[str, Any]) -> None:
    key = _GROWING.get(string(delta.get("type")))
    if key is not None:
        block[key] = string(block.get(key)) + string(delta.get(key))
    elif "citation" in delta:
        block["citations"] = [*(block.get("citations") or []), delta["citation"]]


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its input in place of the JSON text that it was sent as."""
    text = block.pop("partial_json", "")
    return {**block, "input": decoded(text)} if text else block


# As a fixture's response


def _response(message: dict[str, Any]) -> dict[str, Any]:
    blocks = mappings(message["content"])
    reason = message.get("stop_reason")
    explanation = string(mapping(message.get("stop_details")).get("explanation"))
    refusal = explanation if reason == REFUSAL else ""
    return fixture_response(
        _joined(blocks, "text"),
        [_call(block) for block in blocks if block.get("type") == "tool_use"],
        "stop" if refusal else FINISH_REASONS.get(string(reason), reason),
        _usage(mapping(message.get("usage"))),
        refusal=refusal,
        reasoning=_joined(blocks, "thinking"),
    )


def _joined(blocks: list[dict[str, Any]], kind: str) -> str:
    return "".join(string(block.get(kind)) for block in blocks if block.get("type") == kind)


def _call(block: Mapping[str, Any]) -> dict[str, Any]:
    given = block.get("input")
    arguments = given if isinstance(given, str) else compact(given)
    return chat_call(block.get("id"), block.get("name"), arguments)


def _usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Tokens that were written to a cache or read from one are tokens of the prompt in chat."""
    counts = {key: value for key, value in usage.items() if isinstance(value, int)}
    if not {"input_tokens", "output_tokens"} <= counts.keys():
        return {}
    cached = counts.get("cache_read_input_tokens", 0)
    written_to_cache = counts.get("cache_creation_input_tokens", 0)
    found: dict[str, Any] = {
        "prompt_tokens": counts["input_tokens"] + cached + written_to_cache,
        "completion_tokens": counts["output_tokens"],
    }
    return {**found, "prompt_tokens_details": {"cached_tokens": cached}} if cached else found


def ends_stream(body: bytes | bytearray) -> bool:
    """Whether the last event of a stream was received: clients may close it then."""
    tail = body[-_TAIL:]
    return tail.endswith((b"\n\n", b"\r\n\r\n")) and any(end in tail for end in _END_EVENTS)


def left_out(content_type: str, body: bytes) -> list[str]:
    """The keys and blocks of a whole reply that no fixture holds, each once, in the order seen;
    those without a value (null, empty, zero) are not named.
    """
    return list(dict.fromkeys(_unknown(read_message(content_type, body))))


def _unknown(message: dict[str, Any]) -> Iterator[str]:
    yield from _others(message, "")
    for name in ("usage", "stop_details"):
        yield from _others(message.get(name), name)
    for block in mappings(message["content"]):
        kind = string(block.get("type"))
        if kind in _KNOWN:
            yield from _others(block, kind)
        else:
            yield f"{kind or 'unknown'} blocks"


def _others(value: object, known_as: str) -> Iterator[str]:
    prefix = f"{known_as}." if known_as else ""
    return unknown_keys(value, _KNOWN[known_as].split(), prefix)
