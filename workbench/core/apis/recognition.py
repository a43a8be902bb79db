"""Recognises requests and replies of any API, whole or in parts, in JSON of unknown origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_TURN_LISTS: Final = frozenset(
    {"candidates", "choices", "content", "contents", "input", "messages", "output", "system"}
)
# Keys of a turn, of a part of a turn or of a choice.
_OF_TURNS: Final = frozenset(
    {"content", "delta", "finish_reason", "parts", "role", "text", "tool_calls", "type"}
)
_PROMPTS: Final = ("content", "input", "inputs", "prompt")
TEXT_KEYS: Final = frozenset(
    {*_PROMPTS, "arguments", "completion", "instructions", "output", "system", "text"}
)
"""The keys of texts that a model reads or writes."""

CHOSEN_KEYS: Final = frozenset(
    {"args", "arguments", "input", "logprobs", "logprobsResult", "parsed"}
)
"""The keys of a reply below which a model chooses the names, or its words have one each."""


def is_conversation(value: Mapping[str, Any]) -> bool:
    """True if a JSON object is a request to a model, a reply, or a turn of one."""
    if isinstance(value.get("role"), str) and _OF_TURNS & (value.keys() - {"role", "type"}):
        return True
    if any(isinstance(value.get(key), (str, list)) for key in _PROMPTS):
        return True
    lists = [turns for key in _TURN_LISTS if isinstance(turns := value.get(key), list)]
    items = (item for turns in lists for item in turns if isinstance(item, dict))
    return any(not _OF_TURNS.isdisjoint(item) for item in items)
