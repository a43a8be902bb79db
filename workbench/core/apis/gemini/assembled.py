"""Puts the chunks of a stream together, as the official client does; a plain reply is one chunk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from workbench.core.apis import sse
from workbench.core.apis.gemini import fields
from workbench.core.digest import json_type
from workbench.core.replies.response import NotAReplyError

Chunk = dict[str, Any]

_LONGEST_MESSAGE: Final = 200


@dataclass(slots=True)
class Assembled:
    """What a reply says.

    Attributes:
        pieces: of the text, one for each part.
        thoughts: what the model thought.
        calls: the values of ``functionCall``.
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
    """The chunks of a body: the events of a stream, the items of a list, or all of it. Raises
    NotAReplyError if it is not JSON, or an error.
    """
    if content_type.partition(";")[0].strip().lower() == "text/event-stream":
        for number, event in enumerate(sse.events(body)):
            yield _chunk(_json(event.data, f"frame {number}"), f"frame {number}")
        return
    value = _json(body, "the body")
    if not isinstance(value, list):
        yield _chunk(value, "the body")
        return
    for number, item in enumerate(value):
        yield _chunk(item, f"item {number}")


def _json(text: bytes | str, where: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAReplyError(f"{where} is not JSON: {error}") from None


def _chunk(value: Any, where: str) -> Chunk:
    if not isinstance(value, dict):
        raise NotAReplyError(f"{where} is {json_type(value)}, not an object")
    error = value.get("error")
    if error:
        message = fields.text(error, "message") or str(error)
        raise NotAReplyError(f"{where} is an error: {message[:_LONGEST_MESSAGE]}")
    return value
