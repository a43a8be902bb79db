"""Reads a reply of Gemini's generateContent as the ``response`` of a fixture."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

from workbench.core.apis.gemini.calls import Calls
from workbench.core.apis.gemini.fields import camel_keys
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    checked_object,
    fixture_response,
    json_value,
    read_stream,
)
from workbench.core.apis.sse import is_stream
from workbench.core.json.values import mappings
from workbench.core.replies.response import NotAReplyError

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
# By their numbers, as far as the Gemini API and Vertex agree on them.
_NUMBERED: Final = ("", "STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER")
# Keys that are not part of the answer, or that the server writes for each reply.
_ABOUT_REPLY: Final = ("modelVersion", "responseId", "createTime")
_ABOUT_USAGE: Final = (
    *("totalTokenCount", "trafficType", "serviceTier"),
    *("promptTokensDetails", "candidatesTokensDetails", "cacheTokensDetails"),
)


class _Reply:
    """A reply, to which chunks are added.

    Attributes:
        finish_message: the API's message about the end.
    """

    def __init__(self) -> None:
        self.texts = {"content": "", "reasoning": ""}
        self.calls = Calls()
        self.finish_reason = self.finish_message = ""
        self.usage: dict[str, Any] = {}

    def add(self, chunk: ReplyObject, where: str) -> None:
        chunk.skip(_ABOUT_REPLY)
        self.usage = _usage(chunk) or self.usage
        feedback = _object(chunk, "promptFeedback")
        feedback.skip(("safetyRatings",))
        if blocked := feedback.text("blockReason"):
            self.finish_reason = "SAFETY"
            self.finish_message = feedback.text("blockReasonMessage") or blocked
        further = False
        for value in _objects(chunk, "candidates"):
            if value.get("index"):
                further = True
            else:
                self._add_candidate(chunk.inner(camel_keys(value)), where)
        if further:
            chunk.leave("further candidates")

    def _add_candidate(self, candidate: ReplyObject, where: str) -> None:
        candidate.skip(("index",))
        reason = _reason(candidate)
        self.finish_reason = reason or self.finish_reason
        self.finish_message = candidate.text("finishMessage") or self.finish_message
        content = _object(candidate, "content")
        content.skip(("role",))
        for value in _objects(content, "parts"):
            self._add_part(content.inner(camel_keys(value)), where)

    def _add_part(self, part: ReplyObject, where: str) -> None:
        # Only the API can use signatures.
        part.skip(("thoughtSignature",))
        key = "reasoning" if part.take("thought") is True else "content"
        self.texts[key] += part.text("text")
        for call in _objects(part, "functionCall"):
            self.calls.add(part.inner(camel_keys(call), "functionCall."), where)

    def response(self) -> dict[str, Any]:
        """As the ``response`` of a fixture. Raises NotAReplyError if it is not whole."""
        if not self.finish_reason:
            raise NotAReplyError("it is not a whole reply: it has no finishReason")
        reason = FINISH_REASONS.get(self.finish_reason, self.finish_reason)
        calls = self.calls.finished()
        return fixture_response(
            self.texts["content"],
            calls,
            "tool_calls" if calls and reason == "stop" else reason,
            self.usage,
            refusal=self.finish_message if reason == _FILTERED else "",
            reasoning=self.texts["reasoning"],
        )


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:  # noqa: ARG001
    """A reply as the ``response`` of a fixture. Of several candidates the first counts; calls
    without an id have the id null.

    Raises:
        NotAReplyError: it is an error, not such a reply, or a stream that broke off.
    """
    reply, chunks = _Reply(), _chunks(content_type, body)
    for where, chunk in chunks:
        reply.add(chunk, where)
    response = reply.response()
    further = ReplyObject({})
    # For a usual end it adds no information.
    if reply.finish_message and reply.finish_reason != "STOP" and "refusal" not in response:
        further.leave("finishMessage")
    return Reading.of(response, [*(chunk for _, chunk in chunks), further])


def _usage(chunk: ReplyObject) -> dict[str, Any]:
    """The counts in a fixture's words; the API leaves out those that are 0."""
    counts = _object(chunk, "usageMetadata", "usageMetadata.")
    counts.skip(_ABOUT_USAGE)
    prompt, candidates, thoughts, cached = (
        counts.count(f"{name}TokenCount") or 0
        for name in ("prompt", "candidates", "thoughts", "cachedContent")
    )
    if not any((prompt, candidates, thoughts)):
        return {}
    usage: dict[str, Any] = {"prompt_tokens": prompt} if prompt else {}
    usage["completion_tokens"] = candidates + thoughts
    if cached:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    if thoughts:
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage


def _object(parent: ReplyObject, key: str, prefix: str = "") -> ReplyObject:
    """The object of a key; of several the first counts, and the rest is left."""
    objects = _objects(parent, key)
    if any(objects[1:]):
        parent.leave(key)
    return parent.inner(camel_keys(objects[0]) if objects else {}, prefix)


def _objects(parent: ReplyObject, key: str) -> list[dict[str, Any]]:
    """The objects in the list of a key; a single object counts as a list of one, as in the API.
    Other values are left.
    """
    value = parent.take(key)
    items = value if isinstance(value, list) else [value]
    if any(item for item in items if not isinstance(item, dict)):
        parent.leave(key)
    return mappings(items)


def _chunks(content_type: str, body: bytes) -> list[tuple[str, ReplyObject]]:
    """The chunks of a body, each with its name for messages: the events of a stream, the items of
    a list, or all of it.

    Raises:
        NotAReplyError: it is not JSON, or an error.
    """
    if is_stream(content_type, body):
        events = read_stream(body).events
        return [(event.where, ReplyObject(camel_keys(event.data.take_all()))) for event in events]
    value = json_value(body, "the body")
    named = (
        [(f"item {number}", item) for number, item in enumerate(value)]
        if isinstance(value, list)
        else [("the body", value)]
    )
    return [(where, ReplyObject(camel_keys(checked_object(item, where)))) for where, item in named]


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last chunk of a stream was received, which has the finish reason."""
    if body.startswith(b"["):
        last = bytes(body) if body.rstrip().endswith(b"]") else b"{}"
    elif body.endswith((b"\n\n", b"\r\n\r\n")):
        # A line end is escaped in JSON text: this is an event, not text that a reply quotes.
        last = bytes(body[max(body.rfind(b"\ndata:"), 0) :]).strip().removeprefix(b"data:")
    else:
        return False
    with suppress(NotAReplyError):
        return any(_is_end(chunk) for _, chunk in _chunks("application/json", last))
    return False


def _reason(candidate: ReplyObject) -> str:
    """The finish reason of a candidate, or "". Vertex sends numbers if a client asks for them."""
    number = candidate.count("finishReason")
    if number is None:
        return candidate.text("finishReason")
    if not 0 <= number < len(_NUMBERED):
        raise NotAReplyError(f"the finishReason {number} is unknown")
    return _NUMBERED[number]


def _is_end(chunk: ReplyObject) -> bool:
    """True if a chunk has the finish reason of the reply."""
    first = [candidate for candidate in _objects(chunk, "candidates") if not candidate.get("index")]
    reasons = [_reason(ReplyObject(camel_keys(candidate))) for candidate in first]
    return any([*reasons, _object(chunk, "promptFeedback").text("blockReason")])
