"""Puts the chunks of a stream together, as the official client does; a plain reply is one chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.core.apis import sse
from workbench.core.apis.bodies import checked_object, is_stream, json_value, reply_object
from workbench.core.apis.gemini import fields

Chunk = dict[str, Any]


@dataclass(slots=True)
class Assembled:
    """The content of a reply.

    Attributes:
        pieces: of the text, one for each part.
        thoughts: what the model thought.
        calls: the values of ``functionCall``.
        finish_reason: None where no chunk has one.
        finish_message: what the API says about it.
        usage: the last counts.
    """

    pieces: list[str] = field(default_factory=list)
    thoughts: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    finish_reason: str | None = None
    finish_message: str = ""
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def content(self) -> str:
        return "".join(self.pieces)


def assembled(chunks: Iterable[Chunk]) -> Assembled:
    """What ``chunks`` say. Of several candidates the first one counts."""
    whole = Assembled()
    for chunk in chunks:
        whole.usage = next(iter(fields.objects(chunk, "usageMetadata")), whole.usage)
        for feedback in fields.objects(chunk, "promptFeedback"):
            if reason := fields.text(feedback, "blockReason"):
                whole.finish_reason = "SAFETY"
                whole.finish_message = fields.text(feedback, "blockReasonMessage") or reason
        for candidate in fields.objects(chunk, "candidates"):
            if not candidate.get("index"):
                _add(whole, candidate)
    return whole


def _add(whole: Assembled, candidate: dict[str, Any]) -> None:
    for part in fields.objects(fields.field(candidate, "content"), "parts"):
        said = fields.text(part, "text")
        if part.get("thought") is True:
            whole.thoughts += said
        elif "text" in part:
            whole.pieces.append(said)
        whole.calls += fields.objects(part, "functionCall")
    whole.finish_reason = fields.text(candidate, "finishReason") or whole.finish_reason
    whole.finish_message = fields.text(candidate, "finishMessage") or whole.finish_message


def chunks(content_type: str, body: bytes) -> Iterator[Chunk]:
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
