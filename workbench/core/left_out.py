"""What a reply of an upstream says and a fixture has no key for: named, so that nobody misses it
later without knowing why.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final

from workbench.core import sse
from workbench.core.collapse import REASONING_KEYS, is_stream
from workbench.core.fixtures import USAGE_KEYS

# What is said of the reply itself, which the server writes anew for each that it sends.
_REPLY: Final = frozenset(
    {
        *("id", "object", "created", "model", "choices", "usage", "system_fingerprint"),
        *("service_tier", "obfuscation"),
    }
)
_CHOICE: Final = frozenset({"index", "message", "delta", "finish_reason"})
_MESSAGE: Final = frozenset({"role", "content", "tool_calls", "refusal", *REASONING_KEYS})
_USAGE: Final = frozenset(USAGE_KEYS)


def left_out(content_type: str, body: bytes) -> list[str]:
    """The keys of a whole reply that ``collapse`` leaves out, each once, in the order seen; those
    that say nothing (null, empty) are not named.
    """
    return list(dict.fromkeys(name for value in _values(content_type, body) for name in _of(value)))


def _values(content_type: str, body: bytes) -> Iterator[dict[str, Any]]:
    texts: list[Any] = [body]
    if is_stream(content_type):
        data = (event.data for event in sse.events(body))
        texts = list(takewhile(lambda text: text != "[DONE]", data))
    for text in texts:
        yield json.loads(text)


def _of(value: dict[str, Any]) -> Iterator[str]:
    yield from _others(value, _REPLY)
    yield from _others(value.get("usage"), _USAGE, "usage.")
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if not isinstance(choice, dict):
            continue
        if choice.get("index", 0) != 0:
            yield "further choices"
            continue
        yield from _others(choice, _CHOICE)
        for key in ("message", "delta"):
            yield from _others(choice.get(key), _MESSAGE)


def _others(value: object, known: frozenset[str], prefix: str = "") -> Iterator[str]:
    """The keys of an object that are not ``known``."""
    for key, given in value.items() if isinstance(value, dict) else ():
        if key not in known and given not in (None, "", [], {}):
            yield prefix + key
