"""The one-line fields of a fixture: finish reason, token counts, note, delivery. As in ``editing``,
an edit returns a new document that differs only there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.fixture.document import FixtureDocument, set_key
from workbench.core.json.spans import Path
from workbench.core.json.values import dumps
from workbench.core.replies.fixture_form import FIXTURE_FORM

# The fields by name, with their paths in the document.
PATHS: Final[dict[str, Path]] = {
    "finish": ("response", "finish_reason"),
    "prompt": ("response", "usage", "prompt_tokens"),
    "completion": ("response", "usage", "completion_tokens"),
    "note": ("description",),
    "status": ("response", "error", "status"),
    "message": ("response", "error", "message"),
    "type": ("response", "error", "type"),
    "code": ("response", "error", "code"),
    "retry_after": ("response", "error", "retry_after"),
    "disconnect_after": ("response", "disconnect_after"),
    "delay_ms": ("response", "delay_ms"),
    "chunk_delay_ms": ("response", "chunk_delay_ms"),
}
# The fields of how a reply is delivered.
DELIVERY: Final = frozenset(PATHS) - {"finish", "prompt", "completion", "note"}

# Longer texts are not numbers; validation reports them.
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?")


def values(document: FixtureDocument) -> dict[str, str]:
    """The value of each field as written, "" if absent."""
    return {name: _shown(_found(document.value, path)) for name, path in PATHS.items()}


def with_values(document: FixtureDocument, typed: Mapping[str, str]) -> FixtureDocument:
    """The document with fields as typed; "" removes a value, and unchanged fields stay. A text that
    is not a number is stored as text, so that validation reports it.
    """
    before = value = document.value
    for name, text in typed.items():
        if text != _shown(_found(before, PATHS[name])):
            value = _with(value, (), PATHS[name], _meant(name, text))
    return document if value is before else document.with_value(value)


def at(path: Path) -> str | None:
    """The field in which the value at ``path`` is edited; the first one for a value of several."""
    if len(path) == 1:
        return next((name for name, place in PATHS.items() if place == path), None)
    near = [name for name, place in PATHS.items() if place[:2] == path[:2]]
    return next((name for name in near if PATHS[name] == path), near[0] if near else None)


def _found(value: Any, path: Path) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _shown(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return dumps(value)


def _meant(name: str, text: str) -> Any:
    """The value of a typed text; None for an empty one. A description that was emptied stays empty:
    a save would write one in place of none.
    """
    if PATHS[name] == ("description",):
        return text
    *place, key = PATHS[name]
    kind = FIXTURE_FORM.inner(tuple(place)).key(str(key)).kind
    if kind.is_number and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text or None


def _with(value: Mapping[str, Any], at: Path, path: Path, new: Any) -> dict[str, Any]:
    """An object, which is at ``at`` in the document, with ``new`` at ``path``; None removes what is
    there, and an error or a usage that is empty then.
    """
    key, *inner = path
    if inner:
        inside = value.get(str(key))
        new = _with(inside if isinstance(inside, dict) else {}, (*at, key), tuple(inner), new)
        new = new if new or not at else None
    if new is None:
        return {k: v for k, v in value.items() if k != key}
    return set_key(value, str(key), new, FIXTURE_FORM.inner(at))
