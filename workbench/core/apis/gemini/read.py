"""Reads a reply of Gemini's generateContent as the ``response`` of a fixture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.bodies import (
    checked_object,
    compact,
    fixture_response,
    is_stream,
    json_value,
    reply_object,
    unknown_keys,
)
from workbench.core.apis.gemini.fields import field, objects, text
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

_Chunk = dict[str, Any]

_FILTERED: Final = "content_filter"
_FILTERS: Final = (
    *("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"),
    *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION"),
)
# Chat has no word for these.
_FAILURES: Final = (
    *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"),
    *("MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE", "LANGUAGE", "OTHER"),
)
FINISH_REASONS: Final = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(_FILTERS, _FILTERED),
    **{reason: reason for reason in _FAILURES},
}
# The keys that fixtures hold, and those that the server writes for each reply.
_KNOWN_IN_REPLY: Final = frozenset(
    {"candidates", "promptFeedback", "usageMetadata", "modelVersion", "responseId", "createTime"}
)
_KNOWN_IN_CANDIDATE: Final = frozenset({"content", "finishReason", "finishMessage", "index"})
# Signatures say nothing to anybody but the API.
_KNOWN_IN_PART: Final = frozenset({"text", "thought", "thoughtSignature", "functionCall"})


def read_reply(content_type: str, body: bytes) -> dict[str, Any]:
    """The ``response`` of a fixture that answers the same. Of several candidates the first counts.

    Calls without an id have the id null.

    Raises:
        NotAReplyError: it is an error, not such a reply, or a stream that broke off.
    """
    chunks = list(_chunks(content_type, body))
    finish_reason, said = _end(chunks)
    if not finish_reason:
        raise NotAReplyError("it is not a whole reply: it has no finishReason")
    reason = FINISH_REASONS.get(finish_reason, finish_reason)
    candidates = [candidate for chunk in chunks for candidate in _candidates(chunk)]
    parts = [part for one in candidates for part in objects(field(one, "content"), "parts")]
    calls = [call for part in parts for call in objects(part, "functionCall")]
    if calls and reason == "stop":
        reason = "tool_calls"
    usages = [counts for chunk in chunks for counts in objects(chunk, "usageMetadata")[:1]]
    return fixture_response(
        "".join(text(part, "text") for part in parts if part.get("thought") is not True),
        map(_call, calls),
        reason,
        _usage(usages[-1] if usages else {}),
        refusal=said if reason == _FILTERED else "",
        reasoning="".join(text(part, "text") for part in parts if part.get("thought") is True),
    )


def _call(call: dict[str, Any]) -> dict[str, Any]:
    arguments = compact(field(call, "args") or {})
    return chat_call(text(call, "id") or None, text(call, "name"), arguments)


def _usage(counts: dict[str, Any]) -> dict[str, Any]:
    """The counts in a fixture's words; the API leaves out those that are 0."""
    prompt, candidates, thoughts, cached = (
        count if type(count := field(counts, f"{name}TokenCount")) is int else 0
        for name in ("prompt", "candidates", "thoughts", "cachedContent")
    )
    if not prompt:
        return {}
    usage: dict[str, Any] = {"prompt_tokens": prompt, "completion_tokens": candidates + thoughts}
    if cached:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    if thoughts:
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage


def _candidates(chunk: _Chunk) -> list[dict[str, Any]]:
    """What a chunk has of the first candidate."""
    return [one for one in objects(chunk, "candidates") if not one.get("index")]


def _end(chunks: Iterable[_Chunk]) -> tuple[str, str]:
    """Why a reply ends, and what the API says about it; "" where no chunk says so."""
    reason = said = ""
    for chunk in chunks:
        for feedback in objects(chunk, "promptFeedback"):
            if blocked := text(feedback, "blockReason"):
                reason, said = "SAFETY", text(feedback, "blockReasonMessage") or blocked
        for candidate in _candidates(chunk):
            reason = text(candidate, "finishReason") or reason
            said = text(candidate, "finishMessage") or said
    return reason, said


def _chunks(content_type: str, body: bytes) -> Iterator[_Chunk]:
    """The chunks of a body: the events of a stream, the items of a list, or all of it.

    Raises:
        NotAReplyError: it is not JSON, or an error.
    """
    if is_stream(content_type):
        for number, event in enumerate(sse.events(body)):
            yield reply_object(event.data, f"frame {number}")
        return
    value = json_value(body, "the body")
    if not isinstance(value, list):
        yield checked_object(value, "the body")
        return
    for number, item in enumerate(value):
        yield checked_object(item, f"item {number}")


def ends_stream(body: bytes | bytearray) -> bool:
    """Whether the last chunk of a stream was received, which says why the stream ends."""
    if body.startswith(b"["):
        last = bytes(body) if body.rstrip().endswith(b"]") else b"{}"
    elif body.endswith((b"\n\n", b"\r\n\r\n")):
        # A line end is escaped in JSON text: this is an event, not text that a reply quotes.
        last = bytes(body[max(body.rfind(b"\ndata:"), 0) :]).strip().removeprefix(b"data:")
    else:
        return False
    with suppress(NotAReplyError):
        return _end(_chunks("application/json", last))[0] != ""
    return False


def left_out(content_type: str, body: bytes) -> list[str]:
    """The keys of a whole reply that no fixture holds, each once, in the order seen; those without
    a value (null, empty) are not named.
    """
    names = (name for chunk in _chunks(content_type, body) for name in _unknown(chunk))
    return list(dict.fromkeys(names))


def _unknown(chunk: _Chunk) -> Iterator[str]:
    yield from unknown_keys(chunk, _KNOWN_IN_REPLY)
    for candidate in objects(chunk, "candidates"):
        if candidate.get("index"):
            yield "further candidates"
            continue
        yield from unknown_keys(candidate, _KNOWN_IN_CANDIDATE)
        for part in objects(field(candidate, "content"), "parts"):
            yield from unknown_keys(part, _KNOWN_IN_PART)
