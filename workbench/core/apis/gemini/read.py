"""Reads a reply of Gemini's generateContent as the ``response`` of a fixture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

from workbench.core.apis.bodies import compact, fixture_response, unknown_keys
from workbench.core.apis.gemini.assembled import Chunk, assembled, chunks
from workbench.core.apis.gemini.fields import field, objects, text
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

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
    whole = assembled(chunks(content_type, body))
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
        return assembled(chunks("application/json", last)).finish_reason is not None
    return False


def left_out(content_type: str, body: bytes) -> list[str]:
    """The keys of a whole reply that no fixture holds, each once, in the order seen; those without
    a value (null, empty) are not named.
    """
    names = (name for chunk in chunks(content_type, body) for name in _unknown(chunk))
    return list(dict.fromkeys(names))


def _unknown(chunk: Chunk) -> Iterator[str]:
    yield from unknown_keys(chunk, _KNOWN_IN_REPLY)
    for candidate in objects(chunk, "candidates"):
        if candidate.get("index"):
            yield "further candidates"
            continue
        yield from unknown_keys(candidate, _KNOWN_IN_CANDIDATE)
        for part in objects(field(candidate, "content"), "parts"):
            yield from unknown_keys(part, _KNOWN_IN_PART)
