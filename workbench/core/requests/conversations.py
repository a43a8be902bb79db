"""Conversations: requests that each continue the one before, as the turns of one agent flow.

The turns of a conversation begin with the same messages, up to the first answer. These messages
identify the conversation, independent of later turns and answers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from workbench.core.json.values import mapping, sorted_json
from workbench.core.requests.messages import FunctionCall
from workbench.core.requests.view import RequestView

_HASH_BYTES: Final = 16


def beginnings(request: RequestView) -> Iterator[bytes]:
    """A hash of the first message of a request, one of the first two, and so on."""
    hashed = hashlib.blake2b(digest_size=_HASH_BYTES)
    for message in request.raw_messages:
        hashed.update(_written(message) + b"\n")
        yield hashed.digest()


def conversation_id(request: RequestView) -> str:
    """The same for all turns of a conversation: a hash, in hex, of the model and the messages
    before the first answer. "" for a request without messages.
    """
    messages = request.raw_messages
    if not messages:
        return ""
    hashed = hashlib.blake2b(request.model.encode("utf-8", "replace"), digest_size=_HASH_BYTES)
    for number, message in enumerate(messages):
        if number and mapping(message).get("role") == "assistant":
            break
        hashed.update(b"\n" + _written(message))
    return hashed.hexdigest()


def quoted_answers(
    request: RequestView, begun: Sequence[bytes]
) -> Iterator[tuple[bytes, frozenset[int]]]:
    """The answers that a request quotes: of each the hash of the messages before it, which is one
    of its ``beginnings``, and its marks.
    """
    for message in request.answers:
        marks = answer_marks(message.text, message.tool_calls)
        if message.position and marks:
            yield begun[message.position - 1], marks


def answer_marks(text: str, calls: Iterable[FunctionCall]) -> frozenset[int]:
    """Hashes of an answer's text and of each of its calls. A client may quote only a part of an
    answer, with other whitespace and other JSON layout; the answer and the quotation still have a
    hash in common.
    """
    texts = [_value(text)] if text.strip() else []
    return frozenset(
        map(hash, (*texts, *(f"{call.name} {_value(call.arguments)}" for call in calls)))
    )


def _value(text: str) -> str:
    """A text without its blanks; of JSON, its value."""
    try:
        return sorted_json(json.loads(text))
    except (ValueError, RecursionError):
        return "".join(text.split())


def _written(message: Any) -> bytes:
    return sorted_json(message).encode("utf-8", "surrogatepass")
