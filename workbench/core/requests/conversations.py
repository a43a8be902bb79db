"""Conversations: requests of which each continues the one before, as the turns of one agent flow.

The turns of a conversation begin with the same messages: those before the first answer. So a
conversation is known by them, whichever of its turns are there and whatever was answered.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from workbench.core.requests.view import RequestView

# Made once: ``json.dumps`` makes one for each call with options.
_SORTED: Final = json.JSONEncoder(sort_keys=True)
_HASH_BYTES: Final = 16


def beginnings(request: RequestView) -> Iterator[bytes]:
    """A hash of the first message of a request, one of the first two, and so on."""
    hashed = hashlib.blake2b(digest_size=_HASH_BYTES)
    for message in request.raw_messages:
        hashed.update(_SORTED.encode(message).encode("ascii") + b"\n")
        yield hashed.digest()


def conversation_id(request: RequestView) -> str:
    """The same for all turns of a conversation: a hash, in hex, of the model and the messages
    before the first answer. "" for a request without messages.
    """
    messages = request.raw_messages
    if not messages:
        return ""
    asked = [messages[0], *takewhile(lambda message: not _is_answer(message), messages[1:])]
    hashed = hashlib.blake2b(request.model.encode("utf-8", "replace"), digest_size=_HASH_BYTES)
    for message in asked:
        hashed.update(b"\n" + _SORTED.encode(message).encode("ascii"))
    return hashed.hexdigest()


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and message.get("role") == "assistant"
