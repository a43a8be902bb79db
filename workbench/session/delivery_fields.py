"""Edits of the delivery of a reply: errors, delays, a closed connection. As in ``editing``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.fixtures.document import FixtureDocument, set_key
from workbench.core.json import spans
from workbench.core.json.spans import Path
from workbench.core.replies.response import ERROR_KEYS, RESPONSE_KEYS

# The fields by name, with their paths in the response.
PATHS: Final[dict[str, Path]] = {
    "status": ("error", "status"),
    "message": ("error", "message"),
    "type": ("error", "type"),
    "code": ("error", "code"),
    "retry_after": ("error", "retry_after"),
    "disconnect_after": ("disconnect_after",),
    "delay_ms": ("delay_ms",),
    "chunk_delay_ms": ("chunk_delay_ms",),
}
_TEXTS: Final = frozenset({"message", "type", "code"})
# Longer texts are not numbers; validation reports them.
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?")


def values(document: FixtureDocument) -> dict[str, str]:
    """The value of each field as written, "" if absent."""
    return {name: _shown(_found(document.response, path)) for name, path in PATHS.items()}


def with_values(document: FixtureDocument, typed: Mapping[str, str]) -> FixtureDocument:
    """The document with fields as typed; "" removes a value, and unchanged fields stay. A text that
    is not a number is stored as text, so that validation reports it.
    """
    shown = values(document)
    changed = {name: text for name, text in typed.items() if text != shown[name]}
    response = document.response
    for name, text in changed.items():
        response = _with(response, PATHS[name], _meant(name, text))
    return document.with_response(response) if changed else document


def at(path: Path) -> str | None:
    """The field of the value at ``path``; ``status`` for an error that is not an object."""
    if path == ("response", "error"):
        return "status"
    return next((name for name, place in PATHS.items() if ("response", *place) == path), None)


def _found(response: Mapping[str, Any], path: Path) -> Any:
    value: Any = response
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _shown(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return spans.dumps(value)


def _meant(name: str, text: str) -> Any:
    """The value of a typed text; None for an empty one."""
    if name not in _TEXTS and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text or None


def _with(response: Mapping[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """A response with ``value`` at ``path``; an empty error is removed."""
    key, *inner = path
    if not inner:
        return _set(response, str(key), value, RESPONSE_KEYS)
    given = response.get("error")
    error = _set(given if isinstance(given, dict) else {}, str(inner[0]), value, ERROR_KEYS)
    return _set(response, "error", error or None, RESPONSE_KEYS)


def _set(value: Mapping[str, Any], key: str, new: Any, order: tuple[str, ...]) -> dict[str, Any]:
    if new is None:
        return {k: v for k, v in value.items() if k != key}
    return set_key(value, key, new, order)
