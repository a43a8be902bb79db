"""The parts of a chat request that are in its digest, for ``workbench hash --explain``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from workbench.core.digest import MESSAGE_KEYS, Canonical
from workbench.core.json.values import json_type


def left_out_of_digest(payload: Mapping[str, Any]) -> Iterator[str]:
    """The parts of a request that its digest does not depend on, a line each."""
    others = [key for key in payload if key not in Canonical._fields]
    if others:
        yield ", ".join(others)
    messages = payload.get("messages")
    if not isinstance(messages, list):
        if messages:
            yield f"messages: {json_type(messages)}, which counts as an empty list"
        return
    for index, message in enumerate(messages):
        if not isinstance(message, dict):
            yield f"messages[{index}]: {json_type(message)}, which is not a message"
            continue
        others = [key for key in message if key not in MESSAGE_KEYS]
        if others:
            yield f"messages[{index}]: {', '.join(others)}"


def compared_with_script(payload: Mapping[str, Any], digest: str) -> Iterator[str]:
    """Why the script in the documentation of mock_llm.py gives another digest; nothing if it gives
    the same one.
    """
    script = "the script in the documentation of mock_llm.py"
    try:
        other = _script_digest(payload)
    except (AttributeError, TypeError):
        yield f"{script} fails on this request, because it needs messages to be a list of objects"
        return
    if other == digest:
        return
    yield f"{script} gives another digest, which no server looks up:"
    yield f"  {other}"
    yield "the script leaves out absent keys, but the server hashes them as null:"
    for index, message in enumerate(payload["messages"]):
        absent = [key for key in ("role", "content") if key not in message]
        if absent:
            yield f"  messages[{index}] has no {' and no '.join(absent)}"


def _script_digest(payload: Mapping[str, Any]) -> str:
    """The digest by that script, which hashes only the keys that a message has."""
    hashed = {
        "model": payload.get("model"),
        "messages": [
            {key: value for key, value in message.items() if key in MESSAGE_KEYS}
            for message in payload.get("messages", [])
        ],
        "tool_choice": payload.get("tool_choice"),
    }
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
