"""Writes an answer as the Messages API does: as a message, as a stream, as an error.

After recordings. A ping follows the start of the first block, or of a message without blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from workbench.core.apis.replies import (
    COMPLETION_DETAILS,
    CUSTOM_CALLS,
    TEXT_BESIDE_REFUSAL,
    ModelLists,
)
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.json.values import compact_bytes, decoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import argument_pieces, split_content
from workbench.core.replies.http_reply import Frame, FrameKind, Headers, Writer, typed_event
from workbench.core.replies.response import ErrorReply, NeutralReply

PING: Final = b'event: ping\ndata: {"type":"ping"}\n\n'
"""Also sent while a client waits for a stream."""

LIMITS: Final = (CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS)
# Chat's finish reasons as the API's. Other values are sent and read unchanged.
STOP_REASONS: Final = {
    "stop": "end_turn",
    "tool_calls": "tool_use",
    "length": "max_tokens",
    "content_filter": "refusal",
}
REFUSAL: Final = "refusal"
# The request id of errors, which are written without the request.
_REQUEST_ID: Final = "req_workbench"
_ERROR_TYPES: Final = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}


def envelope(answer: Answer, created: int) -> bytes:  # noqa: ARG001
    """The body of a plain reply."""
    reply = answer.reply
    content = [{**block.begun, **block.rest} for block in _blocks(reply, answer.digest)]
    message = _message(answer, _usage(answer), content, **_stop(reply))
    return compact_bytes(message) + b"\n"


def _message(
    answer: Answer, usage: dict[str, Any], content: list[dict[str, Any]], **stop: Any
) -> dict[str, Any]:
    cache_creation = {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0}
    return {
        "model": answer.request.echoed_model,
        # A request that continues the thread names this id; the digest in it leads to the fixture.
        "id": f"msg_{answer.digest}",
        "type": "message",
        "role": "assistant",
        "content": content,
        **stop,
        "usage": {**usage, "cache_creation": cache_creation, "service_tier": "standard"},
    }


def _usage(answer: Answer) -> dict[str, int]:
    """Tokens that were read from a cache count apart here."""
    cached = answer.cached_tokens
    return {
        "input_tokens": answer.prompt_tokens - cached,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": answer.completion_tokens,
    }


def _stop(reply: NeutralReply) -> dict[str, Any]:
    """Why the message ends. The text of a refusal is here, not in its content."""
    if reply.refusal:
        details = {"type": REFUSAL, "category": None, "explanation": reply.refusal}
        return {"stop_reason": REFUSAL, "stop_sequence": None, "stop_details": details}
    ours = reply.end_reason
    reason = STOP_REASONS.get(ours, ours) if isinstance(ours, str) else ours
    return {"stop_reason": reason, "stop_sequence": None}


class _Block(NamedTuple):
    """A content block.

    Attributes:
        begun: as a stream begins it.
        rest: the values it has at its end.
        deltas: what a stream adds: the kind of frame, the type of delta, its key, and the piece.
    """

    begun: dict[str, Any]
    rest: dict[str, Any]
    deltas: list[tuple[FrameKind, str, str, str]]


def _blocks(reply: NeutralReply, digest: str) -> Iterator[_Block]:
    """The reasoning, the text and the calls, in this order."""
    if thinking := reply.reasoning:
        yield _Block(
            {"type": "thinking", "thinking": "", "signature": ""},
            {"thinking": thinking, "signature": digest},
            [
                *_deltas("reasoning", "thinking_delta", "thinking", split_content(thinking)),
                ("event", "signature_delta", "signature", digest),
            ],
        )
    if (text := reply.text) and not reply.refusal:
        deltas = _deltas("content", "text_delta", "text", split_content(text))
        yield _Block({"type": "text", "text": ""}, {"text": text}, deltas)
    for call in reply.calls:
        if call.is_custom:
            continue
        pieces: list[str] = []
        if call.arguments != "{}" or reply.argument_frames:
            pieces = argument_pieces(call.arguments, reply.argument_frames)
        yield _Block(
            {"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
            {"input": decoded(call.arguments or "{}")},
            [
                ("event", "input_json_delta", "partial_json", ""),
                *_deltas("argument", "input_json_delta", "partial_json", pieces),
            ],
        )


def _deltas(
    kind: FrameKind, type_: str, key: str, pieces: list[str]
) -> list[tuple[FrameKind, str, str, str]]:
    return [(kind, type_, key, piece) for piece in pieces]


# As a stream


def frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a streamed reply."""
    reply = answer.reply
    usage = _usage(answer)
    begun = {**usage, "output_tokens": min(1, answer.completion_tokens)}
    started = _message(answer, begun, [], stop_reason=None, stop_sequence=None)
    yield typed_event("event", "message_start", message=started)
    ping = Frame("event", PING, note="ping")
    blocks = [*_blocks(reply, answer.digest)]
    if not blocks:
        yield ping
    for index, block in enumerate(blocks):
        yield _start(index, block.begun)
        if index == 0:
            yield ping
        for kind, type_, key, piece in block.deltas:
            delta = {"type": type_, key: piece}
            yield typed_event(kind, "content_block_delta", piece, index=index, delta=delta)
        yield typed_event("event", "content_block_stop", index=index)
    stop = _stop(reply)
    finish = typed_event("finish", "message_delta", delta=stop, usage=usage)
    yield finish._replace(finish_reason=stop["stop_reason"])
    yield typed_event("event", "message_stop")


def _start(index: int, block: dict[str, Any]) -> Frame:
    """The first frame of a block; for a call, its note is the name of the function."""
    frame = typed_event("event", "content_block_start", index=index, content_block=block)
    if block["type"] != "tool_use":
        return frame
    return frame._replace(kind="call", note=block["name"])


# Errors


def error(reply: ErrorReply) -> bytes:
    """The body of an error. A type that the API does not have is replaced by the type for the
    status; so is chat's type for any error below 500.
    """
    general = _ERROR_TYPES[400]
    others = "api_error" if reply.status >= 500 else general
    of_status = _ERROR_TYPES.get(reply.status, others)
    is_own = reply.type in {*_ERROR_TYPES.values(), "api_error"} - {general}
    kind = reply.type if is_own else of_status
    described: dict[str, Any] = {"type": kind, "message": reply.message}
    if reply.code is not None:
        described["details"] = {"error_code": reply.code}
    body = {"type": "error", "error": described, "request_id": _REQUEST_ID}
    return compact_bytes(body) + b"\n"


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error in a stream whose status was sent already."""
    return [Frame("error", b"event: error\ndata: " + error(reply) + b"\n")]


def headers(answer: Answer) -> Headers:
    """The id by which clients name a request that failed."""
    return (("request-id", f"req_{answer.digest[:24]}"),)


WRITER: Final = Writer(
    "the Messages API",
    envelope,
    frames,
    error,
    late_error,
    CONTENT_TYPE,
    headers=headers,
    waiting=PING,
)


# Models

_CREATED: Final = "1970-01-01T00:00:00Z"


def _several(names: Iterable[str]) -> dict[str, Any]:
    models = [_single(name) for name in names]
    first, last = (models[0]["id"], models[-1]["id"]) if models else (None, None)
    return {"data": models, "has_more": False, "first_id": first, "last_id": last}


def _single(name: str) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name, "created_at": _CREATED}


MODELS: Final = ModelLists(_several, _single)
