"""Write an answer as a response of Gemini's generateContent, whole or as a stream of chunks.

Based on recordings of 2025 and 2026. Each chunk is a whole response with some of the parts. Chunks
are sent as events or, without ``alt=sse`` in the request, as a JSON array.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from workbench.core.apis.replies import CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, Circumstances, ModelLists
from workbench.core.json.values import compact, line_encoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import split_content
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Frame, FrameKind, Writer
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.requests.messages import FunctionCall

LIMITS: Final = (CUSTOM_CALLS, TEXT_BESIDE_REFUSAL)
_FINISH_REASONS: Final = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "function_call": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
_ERROR_STATUSES: Final = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
# Others that a fixture may give as the type of its error.
_OTHER_STATUSES: Final = ("ALREADY_EXISTS", "DATA_LOSS", "FAILED_PRECONDITION", "OUT_OF_RANGE")
_ID_LENGTH: Final = 22
# The end of each frame; between the items of an array it is white space.
_END: Final = b"\r\n\r\n"
_DETAIL: Final = "type.googleapis.com/google.rpc."

Part = dict[str, Any]


def envelope(answer: Answer, created: int) -> bytes:  # noqa: ARG001
    """The body of a plain reply."""
    parts, end = _parts(answer.reply), _end(answer.reply)
    content: dict[str, Any] = {"parts": parts} if parts else {}
    if parts or end["finishReason"] != "SAFETY":
        content["role"] = "model"
    return _indented(_response(answer, {"content": content, **end, "index": 0}))


def frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a reply that is streamed as events."""
    for frame in _chunks(answer):
        yield frame._replace(data=_event(frame.data))


def array_frames(answer: Answer, created: int) -> Iterator[Frame]:  # noqa: ARG001
    """The frames of a reply that is streamed as a JSON array."""
    before = b"["
    for frame in _chunks(answer):
        after = b"," if frame.finish_reason is None else b"]"
        yield frame._replace(data=before + frame.data + after + _END)
        before = b""


def _chunks(answer: Answer) -> Iterator[Frame]:
    """The chunks of a stream as JSON; the last one has the finish reason."""
    end = _end(answer.reply)
    cut = list(_cut(_parts(answer.reply))) or [("finish", "", [])]
    for number, (kind, piece, parts) in enumerate(cut, start=1):
        candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}} if parts else {}
        reason = None
        if number == len(cut):
            candidate |= end
            reason = end["finishReason"]
        data = _compact(_response(answer, {**candidate, "index": 0}))
        yield Frame(kind, data, piece, finish_reason=reason)


def _cut(parts: list[Part]) -> Iterator[tuple[FrameKind, str, list[Part]]]:
    """Kind, piece and parts of each chunk: text is cut, and all calls are in one chunk."""
    for is_call, group in groupby(parts, key=lambda part: "functionCall" in part):
        if is_call:
            calls = list(group)
            yield "calls", "".join(compact(call["functionCall"]["args"]) for call in calls), calls
            continue
        for part in group:
            kind: FrameKind = "reasoning" if "thought" in part else "content"
            for piece in split_content(part["text"]):
                yield kind, piece, [{**part, "text": piece}]


def _parts(reply: NeutralReply) -> list[Part]:
    """Thoughts, the text, and the calls that the API can send."""
    parts: list[Part] = [{"text": reply.reasoning, "thought": True}] if reply.reasoning else []
    text = reply.content if isinstance(reply.content, str) else compact(reply.content)
    calls = [
        {"functionCall": {**_id(call), "name": call.name, "args": arguments}}
        for call in reply.function_calls
        if (arguments := call.arguments_object) is not None
    ]
    if text or (not calls and _end(reply)["finishReason"] == "STOP"):
        parts.append({"text": text})
    return [*parts, *calls]


def _id(call: FunctionCall) -> dict[str, str]:
    return {"id": call.id} if call.id else {}


def _end(reply: NeutralReply) -> dict[str, str]:
    """The finish reason in a candidate's format."""
    if reply.refusal:
        return {"finishReason": "SAFETY", "finishMessage": reply.refusal}
    is_cut = reply.finish_reason in ("length", "content_filter")
    for call in reply.function_calls:
        if call.arguments_object is None and not is_cut:
            message = f"Malformed function call: {call.name}({call.arguments})"
            return {"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": message}
    reason = str(reply.end_reason)
    return {"finishReason": _FINISH_REASONS.get(reason, reason)}


def _response(answer: Answer, candidate: dict[str, Any]) -> dict[str, Any]:
    return {
        "candidates": [candidate],
        "usageMetadata": _usage(answer),
        "modelVersion": answer.request.echoed_model,
        "responseId": answer.digest[:_ID_LENGTH],
    }


def _usage(answer: Answer) -> dict[str, Any]:
    """The counts; those that are 0 are left out, as the API does."""
    reply = answer.reply
    thoughts = reply.usage_detail("completion_tokens_details", "reasoning_tokens")
    cached = reply.usage_detail("prompt_tokens_details", "cached_tokens")
    counts = {
        "promptTokenCount": answer.prompt_tokens,
        "candidatesTokenCount": answer.completion_tokens - thoughts,
        "totalTokenCount": answer.total_tokens,
        "cachedContentTokenCount": cached,
        "promptTokensDetails": _of_text(answer.prompt_tokens),
        "cacheTokensDetails": _of_text(cached),
        "thoughtsTokenCount": thoughts,
    }
    return {name: count for name, count in counts.items() if count}


def _of_text(count: int) -> list[dict[str, Any]]:
    return [{"modality": "TEXT", "tokenCount": count}] if count else []


# Errors


def error(reply: ErrorReply) -> bytes:
    """The body of an error."""
    return _indented(_error(reply))


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error as an event of a stream."""
    return [Frame("error", _event(_compact(_error(reply))))]


def late_array_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error as the one item of an array."""
    return [Frame("error", b"[" + _compact(_error(reply)) + b"]" + _END)]


def _error(reply: ErrorReply) -> dict[str, Any]:
    others = _ERROR_STATUSES[500 if reply.status >= 500 else 400]
    is_own = reply.type in {*_ERROR_STATUSES.values(), *_OTHER_STATUSES}
    error_value: dict[str, Any] = {
        "code": reply.status,
        "message": reply.message,
        "status": reply.type if is_own else _ERROR_STATUSES.get(reply.status, others),
    }
    details = []
    if reply.code is not None:
        details.append({"@type": f"{_DETAIL}ErrorInfo", "reason": reply.code})
    if reply.retry_after is not None:
        details.append({"@type": f"{_DETAIL}RetryInfo", "retryDelay": f"{reply.retry_after}s"})
    return {"error": {**error_value, "details": details} if details else error_value}


# JSON


def _event(data: bytes) -> bytes:
    return b"data: " + data + _END


def _compact(value: object) -> bytes:
    return line_encoded(compact(value))


def _indented(value: object) -> bytes:
    return line_encoded(json.dumps(value, ensure_ascii=False, indent=2)) + b"\n"


EVENTS: Final = Writer(
    "the Gemini API",
    envelope,
    frames,
    error,
    late_error,
    stream_type="text/event-stream",
    # Its clients take comments for JSON.
    waiting=b"\r\n\r\n",
    is_late_error_cut=True,
)
ARRAY: Final = EVENTS._replace(
    writes_as="the Gemini API, streams as arrays",
    frames=array_frames,
    late_error=late_array_error,
    stream_type=ENVELOPE_TYPE,
)


def writer_for(circumstances: Circumstances) -> Writer:
    """The writer of a reply: a stream is an array if the URL does not request events."""
    request = circumstances.request
    return ARRAY if request is not None and request.payload.get("alt") == "json" else EVENTS


# Models

_PREFIX: Final = "models/"
_METHODS: Final = ("generateContent", "countTokens")
# Those of gemini-2.5: clients compare prompts with them.
_INPUT_TOKENS: Final = 1_048_576
_OUTPUT_TOKENS: Final = 65_536


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_single(name) for name in names]}


def _single(name: str) -> dict[str, Any]:
    return {
        "name": _PREFIX + name.removeprefix(_PREFIX),
        "version": "001",
        "displayName": name,
        "inputTokenLimit": _INPUT_TOKENS,
        "outputTokenLimit": _OUTPUT_TOKENS,
        "supportedGenerationMethods": list(_METHODS),
    }


MODELS: Final = ModelLists(_several, _single)
