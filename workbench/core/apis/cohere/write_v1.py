"""Writes an answer as version 1 of Cohere's chat does: as a reply, or as lines of JSON.

A reply repeats the conversation, which clients send with their next message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis.cohere import write
from workbench.core.apis.ndjson import STREAM_JSON
from workbench.core.json.values import compact_bytes, mappings, string
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import split_content
from workbench.core.replies.http_reply import Frame, FrameKind
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.requests.view import Payload


def _envelope(answer: Answer, created: int) -> bytes:  # noqa: ARG001
    """The body of a plain reply."""
    return compact_bytes(_response(answer))


def _response(answer: Answer) -> dict[str, Any]:
    message = _message(answer.reply)
    history = [*_history(answer.request.payload), {"role": "CHATBOT", "message": "", **message}]
    counts = {"input_tokens": answer.prompt_tokens, "output_tokens": answer.completion_tokens}
    return {
        "response_id": write.reply_id(answer.digest),
        "generation_id": write.reply_id(answer.digest),
        "text": message.pop("message"),
        **message,
        "chat_history": history,
        "finish_reason": _finish_reason(answer.reply),
        "meta": {"api_version": {"version": "1"}, "billed_units": counts, "tokens": counts},
    }


def _message(reply: NeutralReply) -> dict[str, Any]:
    """The text and the calls, as the conversation repeats them."""
    message: dict[str, Any] = {"message": reply.refusal or reply.text}
    if calls := _calls(reply):
        message["tool_calls"] = calls
    return message


def _calls(reply: NeutralReply) -> list[dict[str, Any]]:
    """The calls. Arguments that are not an object, which the API does not have, are none."""
    return [
        {"name": call.name, "parameters": call.arguments_object or {}}
        for call in reply.function_calls
    ]


def _history(payload: Payload) -> Iterator[dict[str, Any]]:
    """The conversation before the reply."""
    yield from mappings(payload.get("chat_history"))
    if message := string(payload.get("message")):
        yield {"role": "USER", "message": message}
    if results := mappings(payload.get("tool_results")):
        yield {"role": "TOOL", "tool_results": results}


def _finish_reason(reply: NeutralReply) -> str:
    reason = str(reply.end_reason)
    # A reply with calls is as complete as any other.
    return "COMPLETE" if reason == "tool_calls" else write.WRITTEN_REASONS.get(reason, reason)


def _frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a streamed reply."""
    yield _line("event", "stream-start", generation_id=write.reply_id(answer.digest))
    calls, text = _calls(answer.reply), answer.reply.refusal or answer.reply.text
    for piece in split_content(text) if text else ():
        kind = "tool-calls-chunk" if calls else "text-generation"
        yield _line("content", kind, piece, text=piece)
    if calls:
        yield _line("calls", "tool-calls-generation", text=text, tool_calls=calls)
    reason = _finish_reason(answer.reply)
    end = _line("finish", "stream-end", finish_reason=reason, response=_response(answer))
    yield end._replace(finish_reason=reason)


def _line(kind: FrameKind, name: str, piece: str = "", **data: Any) -> Frame:
    """A frame. If it adds no text, its note is the name of the event."""
    event = {"is_finished": name == "stream-end", "event_type": name, **data}
    line = compact_bytes(event) + b"\n"
    return Frame(kind, line, note=name) if kind == "event" else Frame(kind, line, piece)


def _late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:
    """An error in a stream whose status was sent already."""
    response = {**_response(answer), "text": reply.message}
    failed: dict[str, Any] = {
        "finish_reason": write.FAILED,
        "response": response,
        "error": reply.message,
    }
    return [_line("error", "stream-end", **failed)]


WRITER: Final = write.WRITER._replace(
    writes_as="Cohere's API, version 1",
    envelope=_envelope,
    frames=_frames,
    late_error=_late_error,
    stream_type=STREAM_JSON,
    waiting=b" ",
    repeats_request=True,
)
