"""Writes an answer as Cohere's chat does: as a message, as a stream, as an error.

After recordings of 2025 and 2026. A text beside calls is the plan of the tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final
from uuid import UUID

from workbench.core.apis.ndjson import STREAM_JSON
from workbench.core.apis.replies import (
    COMPLETION_DETAILS,
    CUSTOM_CALLS,
    TEXT_BESIDE_REFUSAL,
    ModelLists,
)
from workbench.core.json.values import compact_bytes
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import argument_pieces, split_content
from workbench.core.replies.http_reply import Frame, FrameKind, Headers, Writer, typed_event
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.requests.messages import FunctionCall, chat_call

LIMITS: Final = (CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS)
# Chat's finish reasons as the API's. Other values are sent and read unchanged.
WRITTEN_REASONS: Final = {
    "stop": "COMPLETE",
    "tool_calls": "TOOL_CALL",
    "length": "MAX_TOKENS",
    "content_filter": "ERROR_TOXIC",
}
FAILED: Final = "ERROR"
# The other way round, with words that are only read.
FINISH_REASONS: Final = {
    **{written: reason for reason, written in WRITTEN_REASONS.items()},
    "STOP_SEQUENCE": "stop",
    "ERROR_LIMIT": "length",
    # Chat has no word for these.
    FAILED: FAILED,
    "TIMEOUT": "TIMEOUT",
}
COUNTS: Final = {"prompt_tokens": "input_tokens", "completion_tokens": "output_tokens"}
"""The counts of a usage block, each with the word of the API."""
DONE: Final = b"data: [DONE]\n\n"
# The id of errors, which are written without the request.
_ERROR_ID: Final = str(UUID(int=0))


def envelope(answer: Answer, created: int) -> bytes:  # noqa: ARG001
    """The body of a plain reply."""
    reply = answer.reply
    message: dict[str, Any] = {"role": "assistant"}
    if blocks := _blocks(reply):
        message["content"] = [{"type": kind, kind: text} for kind, text in blocks]
    if plan := _plan(reply):
        message["tool_plan"] = plan
    if calls := reply.function_calls:
        message["tool_calls"] = [chat_call(call.id, call.name, call.arguments) for call in calls]
    return compact_bytes({"id": reply_id(answer.digest), "message": message, **_end(answer)})


def reply_id(digest: str) -> str:
    """The id of a reply."""
    return str(UUID(hex=digest[:32]))


def _blocks(reply: NeutralReply) -> list[tuple[str, str]]:
    """Type and text of each block of content; the type is also the key of the text."""
    blocks = [("thinking", reply.reasoning)] if reply.reasoning else []
    return blocks if reply.function_calls else [*blocks, ("text", reply.refusal or reply.text)]


def _plan(reply: NeutralReply) -> str:
    return (reply.refusal or reply.text) if reply.function_calls else ""


def _end(answer: Answer) -> dict[str, Any]:
    """Why the message ends, and what it took."""
    reply = answer.reply
    reason = str(reply.end_reason)
    counts = {"input_tokens": answer.prompt_tokens, "output_tokens": answer.completion_tokens}
    return {
        "finish_reason": WRITTEN_REASONS.get(reason, reason),
        "usage": {
            "billed_units": counts,
            "tokens": counts,
            "cached_tokens": reply.usage_detail("prompt_tokens_details", "cached_tokens"),
        },
    }


# As a stream


def frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a streamed reply."""
    reply = answer.reply
    empty: dict[str, Any] = {"content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    begun = _message(role="assistant", **empty)
    yield typed_event("event", "message-start", id=reply_id(answer.digest), delta=begun)
    for index, (kind, text) in enumerate(_blocks(reply)):
        begun = _message(content={"type": kind, kind: ""})
        yield typed_event("event", "content-start", index=index, delta=begun)
        for piece in split_content(text):
            delta = _message(content={kind: piece})
            frame_kind: FrameKind = "reasoning" if kind == "thinking" else "content"
            yield typed_event(frame_kind, "content-delta", piece, index=index, delta=delta)
        yield typed_event("event", "content-end", index=index)
    if plan := _plan(reply):
        for piece in split_content(plan):
            yield typed_event("content", "tool-plan-delta", piece, delta=_message(tool_plan=piece))
    for index, call in enumerate(reply.function_calls):
        yield from _call_frames(index, call, reply)
    end = _end(answer)
    finish = typed_event("finish", "message-end", delta=end)
    yield finish._replace(finish_reason=end["finish_reason"])
    yield Frame("done", DONE)


def _call_frames(index: int, call: FunctionCall, reply: NeutralReply) -> Iterator[Frame]:
    begun = _message(tool_calls=chat_call(call.id, call.name, ""))
    yield typed_event("call", "tool-call-start", index=index, delta=begun)._replace(note=call.name)
    for piece in argument_pieces(call.arguments, reply.argument_frames):
        delta = _message(tool_calls={"function": {"arguments": piece}})
        yield typed_event("argument", "tool-call-delta", piece, index=index, delta=delta)
    yield typed_event("event", "tool-call-end", index=index)


def _message(**message: Any) -> dict[str, Any]:
    """The changes of a message in an event."""
    return {"message": message}


# Errors


def error(reply: ErrorReply) -> bytes:
    """The body of an error, which has no type and no code."""
    return compact_bytes({"id": _ERROR_ID, "message": reply.message})


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:
    """An error in a stream whose status was sent already."""
    end = {**_end(answer), "finish_reason": FAILED, "error": reply.message}
    return [typed_event("error", "message-end", delta=end)]


def headers(answer: Answer) -> Headers:
    """The id by which support finds a request."""
    return (("x-debug-trace-id", answer.digest[:32]),)


WRITER: Final = Writer(
    "Cohere's API",
    envelope,
    frames,
    error,
    late_error,
    stream_type="text/event-stream",
    headers=headers,
    # Clients take such an error for the end of the message.
    is_late_error_cut=True,
)


def _line_frames(answer: Answer, created: int) -> Iterator[Frame]:
    """The events of a stream, each as a line of JSON."""
    for frame in frames(answer, created):
        if frame.kind != "done":
            yield _line(frame)


def _late_line(reply: ErrorReply, answer: Answer) -> list[Frame]:
    return list(map(_line, late_error(reply, answer)))


def _line(frame: Frame) -> Frame:
    data = frame.data.partition(b"\ndata: ")[2]
    return frame._replace(data=data.rstrip(b"\n") + b"\n")


LINES: Final = WRITER._replace(
    writes_as="Cohere's API, streams as lines",
    frames=_line_frames,
    late_error=_late_line,
    stream_type=STREAM_JSON,
    waiting=b" ",
)


# Models


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_single(name) for name in names]}


def _single(name: str) -> dict[str, Any]:
    endpoints = ["embed"] if name.startswith("embed-") else ["chat"]
    return {"name": name, "endpoints": endpoints, "finetuned": False}


MODELS: Final = ModelLists(_several, _single)
