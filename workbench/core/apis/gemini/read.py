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
_FINISH_REASONS: Final = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"), _FILTERED),
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
    whole = _assembled(_chunks(content_type, body))
    if whole.finish_reason is None:
        raise NotAReplyError("it is not a whole reply: it has no finishReason")
    reason = _FINISH_REASONS.get(whole.finish_reason, whole.finish_reason)
    if whole.calls and reason == "stop":
        reason = "tool_calls"
    return fixture_response(
        whole.content,
        map(_call, whole.calls),
        reason,
        _usage(whole.usage),
        refusal=whole.finish_message if reason == _FILTERED else "",
        reasoning=whole.thoughts,
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


class _Whole:
    """The content of a reply.

    Attributes:
        thoughts: what the model thought.
        calls: the values of ``functionCall``.
        finish_reason: None where no chunk has one.
        finish_message: what the API says about it.
        usage: the last counts.
    """

    def __init__(self) -> None:
        self.content = ""
        self.thoughts = ""
        self.calls: list[dict[str, Any]] = []
        self.finish_reason: str | None = None
        self.finish_message = ""
        self.usage: dict[str, Any] = {}


def _assembled(chunks: Iterable[_Chunk]) -> _Whole:
    """The chunks of a stream put together, as the official client does; a plain reply is one chunk.
    Of several candidates the first one counts.
    """
    whole = _Whole()
    for chunk in chunks:
        whole.usage = next(iter(objects(chunk, "usageMetadata")), whole.usage)
        for feedback in objects(chunk, "promptFeedback"):
            if reason := text(feedback, "blockReason"):
                whole.finish_reason = "SAFETY"
                whole.finish_message = text(feedback, "blockReasonMessage") or reason
        for candidate in objects(chunk, "candidates"):
            if not candidate.get("index"):
                _add(whole, candidate)
    return whole


def _add(whole: _Whole, candidate: dict[str, Any]) -> None:
    for part in objects(field(candidate, "content"), "parts"):
        said = text(part, "text")
        if part.get("thought") is True:
            whole.thoughts += said
        elif "text" in part:
            whole.content += said
        whole.calls += objects(part, "functionCall")
    whole.finish_reason = text(candidate, "finishReason") or whole.finish_reason
    whole.finish_message = text(candidate, "finishMessage") or whole.finish_message


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
        return _assembled(_chunks("application/json", last)).finish_reason is not None
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
