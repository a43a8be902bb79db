"""Reads a reply of Converse, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.apis import eventstream
from workbench.core.apis.converse.write import REFUSAL, STOP_REASONS
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    StreamEvent,
    call_with_input,
    fixture_response,
    read_messages,
    reply_object,
    usage_beside_cache,
)
from workbench.core.json.values import decoded, json_type, mapping, string
from workbench.core.replies.response import NotAReplyError

FINISH_REASONS: Final = {
    **{theirs: ours for ours, theirs in STOP_REASONS.items()},
    REFUSAL: "content_filter",
    "stop_sequence": "stop",
    "model_context_window_exceeded": "length",
}
# Keys that are not part of the answer. The last is padding, which hides the size of replies.
_ABOUT_REPLY: Final = ("metrics", "trace", "performanceConfig", "serviceTier", "p")


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:  # noqa: ARG001
    """A reply as the ``response`` of a fixture.

    Raises:
        NotAReplyError: it is an error, not a reply of Converse, or a stream that broke off.
    """
    if eventstream.is_stream(content_type, body):
        events = read_messages(body)
        value, objects = _put_together(events), [event.data for event in events]
    else:
        value, objects = reply_object(body, "the body"), []
        if not isinstance(
            mapping(mapping(value.get("output")).get("message")).get("content"), list
        ):
            raise NotAReplyError("the body is not a reply of Converse: it has no output.message")
    reply = ReplyObject(value)
    reply.skip(_ABOUT_REPLY)
    message = reply.mapping("output").mapping("message", "message.")
    message.skip(("role",))
    return Reading.of(_response(reply, message), [reply, message, *objects])


def _response(reply: ReplyObject, message: ReplyObject) -> dict[str, Any]:
    texts = {"text": "", "reasoningContent": ""}
    calls = []
    for block in message.objects("content"):
        texts["text"] += block.text("text")
        thought = block.mapping("reasoningContent", "reasoningContent.")
        inner = thought.mapping("reasoningText", "reasoningText.")
        # Only the API can use signatures.
        inner.skip(("signature",))
        texts["reasoningContent"] += inner.text("text")
        for cited in block.mapping("citationsContent", "citationsContent.").objects("content"):
            texts["text"] += cited.text("text")
        if block.is_object("toolUse"):
            calls.append(call_with_input(block.mapping("toolUse", "toolUse."), "toolUseId"))
    counts = reply.mapping("usage", "usage.")
    counts.skip(("totalTokens", "cacheDetails"))
    usage = usage_beside_cache(
        counts,
        "inputTokens",
        "outputTokens",
        cached="cacheReadInputTokens",
        written="cacheWriteInputTokens",
    )
    reason = reply.take("stopReason")
    refusal = texts["text"] if reason == REFUSAL else ""
    return fixture_response(
        "" if refusal else texts["text"],
        calls,
        "stop" if refusal else FINISH_REASONS.get(string(reason), reason),
        usage,
        refusal=refusal,
        reasoning=texts["reasoningContent"],
    )


# A stream


def _put_together(events: list[StreamEvent]) -> dict[str, Any]:
    """The reply of a stream."""
    reply: dict[str, Any] = {}
    blocks: dict[int | None, dict[str, Any]] = {}
    for event in events:
        data = event.data
        data.skip(_ABOUT_REPLY)
        match event.kind:
            case "messageStart":
                data.skip(("role",))
            case "contentBlockStart":
                start = data.mapping("start", "start.")
                block = blocks.setdefault(data.count("contentBlockIndex"), {})
                if start.is_object("toolUse"):
                    block["toolUse"] = {**start.take("toolUse"), "input": ""}
            case "contentBlockDelta":
                _add(blocks.setdefault(data.count("contentBlockIndex"), {}), data, event.where)
            case "contentBlockStop":
                data.skip(("contentBlockIndex",))
            case "messageStop":
                reply["stopReason"] = data.take("stopReason")
            case "metadata":
                reply["usage"] = data.take("usage")
            case "initial-response":
                pass
            case kind:
                data.take_all()
                data.leave(f"{kind or 'unknown'} events")
    for key, event_name in (("stopReason", "messageStop"), ("usage", "metadata")):
        if key not in reply:
            raise NotAReplyError(f"the stream broke off: it has no {event_name}")
    content = [_whole(block) for block in blocks.values()]
    return {**reply, "output": {"message": {"content": content}}}


def _add(block: dict[str, Any], data: ReplyObject, where: str) -> None:
    """Add the delta of an event to its block."""
    delta = data.mapping("delta", "delta.")
    if delta.is_given("text"):
        block["text"] = block.get("text", "") + _piece(delta, "text", where)
    if delta.is_object("reasoningContent"):
        thought = delta.mapping("reasoningContent", "reasoningContent.")
        thought.skip(("signature",))
        before = mapping(block.get("reasoningContent")).get("reasoningText", {"text": ""})
        text = before["text"] + thought.text("text")
        block["reasoningContent"] = {"reasoningText": {"text": text}}
    if delta.is_object("toolUse"):
        if "toolUse" not in block:
            raise NotAReplyError(f"{where} adds to a call that was not started")
        piece = _piece(delta.mapping("toolUse", "toolUse."), "input", where)
        block["toolUse"]["input"] += piece


def _piece(delta: ReplyObject, key: str, where: str) -> str:
    piece = delta.take(key)
    if not isinstance(piece, str):
        raise NotAReplyError(f"{where}: {key} is {json_type(piece)}, not a string")
    return piece


def _whole(block: dict[str, Any]) -> dict[str, Any]:
    """A block with its input in place of the JSON text that it was sent as."""
    if "toolUse" not in block:
        return block
    call = block["toolUse"]
    text = call["input"]
    value = decoded(text) if text else {}
    return {**block, "toolUse": {**call, "input": text if isinstance(value, str) else value}}


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last event of a stream was received."""
    last = eventstream.last(body)
    return last is not None and last.kind == "metadata"
