"""Writes an answer as Converse does: whole, as a stream, as an error.

The text of a refusal is the message that a guardrail gives in place of the model's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from workbench.core.apis import aws, eventstream
from workbench.core.apis.replies import (
    COMPLETION_DETAILS,
    CUSTOM_CALLS,
    TEXT_BESIDE_REFUSAL,
)
from workbench.core.json.values import compact_bytes, decoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import argument_pieces, split_content
from workbench.core.replies.http_reply import Frame, FrameKind, Writer
from workbench.core.replies.response import NeutralReply

LIMITS: Final = (CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS)
# Chat's finish reasons as the API's. Other values are sent and read unchanged.
STOP_REASONS: Final = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "content_filtered",
}
REFUSAL: Final = "guardrail_intervened"
# How long the model took, in milliseconds.
_METRICS: Final = {"latencyMs": 1}


class _Block(NamedTuple):
    """A content block.

    Attributes:
        whole: the block in a plain reply.
        start: the block at its start in a stream; None for text, which has no start.
        deltas: additions in a stream: the kind of frame, the piece, and the delta.
    """

    whole: dict[str, Any]
    start: dict[str, Any] | None
    deltas: list[tuple[FrameKind, str, dict[str, Any]]]


def _blocks(reply: NeutralReply, digest: str) -> Iterator[_Block]:
    """The reasoning, the text and the calls, in this order."""
    if thought := reply.reasoning:
        pieces = split_content(thought)
        yield _Block(
            {"reasoningContent": {"reasoningText": {"text": thought, "signature": digest}}},
            None,
            [
                *(("reasoning", piece, {"reasoningContent": {"text": piece}}) for piece in pieces),
                ("event", "", {"reasoningContent": {"signature": digest}}),
            ],
        )
    if text := reply.refusal or reply.text:
        pieces = split_content(text)
        yield _Block(
            {"text": text}, None, [("content", piece, {"text": piece}) for piece in pieces]
        )
    for call in reply.function_calls:
        pieces = []
        if call.arguments != "{}" or reply.argument_frames:
            pieces = argument_pieces(call.arguments, reply.argument_frames)
        head = {"toolUseId": call.id, "name": call.name}
        yield _Block(
            {"toolUse": {**head, "input": decoded(call.arguments or "{}")}},
            {"toolUse": head},
            [
                ("event", "", {"toolUse": {"input": ""}}),
                *(("argument", piece, {"toolUse": {"input": piece}}) for piece in pieces),
            ],
        )


def _stop_reason(reply: NeutralReply) -> Any:
    if reply.refusal:
        return REFUSAL
    ours = reply.end_reason
    return STOP_REASONS.get(ours, ours) if isinstance(ours, str) else ours


def _usage(answer: Answer) -> dict[str, int]:
    """Tokens that were read from a cache count apart here."""
    cached = answer.cached_tokens
    return {
        "inputTokens": answer.prompt_tokens - cached,
        "outputTokens": answer.completion_tokens,
        "totalTokens": answer.total_tokens,
        "cacheReadInputTokens": cached,
        "cacheWriteInputTokens": 0,
    }


def envelope(answer: Answer, created: int) -> bytes:  # noqa: ARG001
    """The body of a plain reply."""
    content = [block.whole for block in _blocks(answer.reply, answer.digest)]
    return compact_bytes(
        {
            "metrics": _METRICS,
            "output": {"message": {"content": content, "role": "assistant"}},
            "stopReason": _stop_reason(answer.reply),
            "usage": _usage(answer),
        }
    )


# As a stream


def frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a streamed reply."""
    reply = answer.reply
    yield _frame("event", "messageStart", role="assistant")
    for index, block in enumerate(_blocks(reply, answer.digest)):
        if block.start is not None:
            yield _start(index, block.start)
        for kind, piece, delta in block.deltas:
            yield _frame(kind, "contentBlockDelta", piece, contentBlockIndex=index, delta=delta)
        yield _frame("event", "contentBlockStop", contentBlockIndex=index)
    reason = _stop_reason(reply)
    finish = _frame("finish", "messageStop", stopReason=reason)
    yield finish._replace(finish_reason=reason)
    yield _frame("usage", "metadata", metrics=_METRICS, usage=_usage(answer))


def _start(index: int, start: dict[str, Any]) -> Frame:
    """The first frame of a call, with the name of the function as its note."""
    frame = _frame("event", "contentBlockStart", contentBlockIndex=index, start=start)
    return frame._replace(kind="call", note=start["toolUse"]["name"])


def _frame(kind: FrameKind, name: str, piece: str = "", **data: Any) -> Frame:
    """A frame. If it adds no text, its note is the name of the event."""
    event = eventstream.event(name, compact_bytes(data))
    return Frame(kind, event, piece, "" if piece else name)


WRITER: Final = Writer(
    "Converse",
    envelope,
    frames,
    aws.error,
    aws.late_error,
    eventstream.CONTENT_TYPE,
    headers=aws.headers,
    error_headers=aws.error_headers,
    # Clients of AWS skip it in streams of services that have none.
    waiting=eventstream.event("initial-response", b"{}"),
)
