"""The one-line fields of a fixture: finish reason, token counts, description, delivery. As in
``editing``, an edit returns a new document that differs only there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from workbench.core.fixture.document import FixtureDocument, set_key
from workbench.core.json.spans import Path
from workbench.core.json.values import dumps, mapping, part
from workbench.core.replies.fixture_form import FIXTURE_FORM, RESPONSE_FORM
from workbench.core.replies.response import RESPONSE, response_of

# The field of the document; all others belong to a response.
DESCRIPTION: Final = "description"
# The fields of a response by name, with their paths in it.
PATHS: Final[dict[str, Path]] = {
    "finish": ("finish_reason",),
    "prompt": ("usage", "prompt_tokens"),
    "completion": ("usage", "completion_tokens"),
    "status": ("error", "status"),
    "message": ("error", "message"),
    "type": ("error", "type"),
    "code": ("error", "code"),
    "retry_after": ("error", "retry_after"),
    "disconnect_after": ("disconnect_after",),
    "delay_ms": ("delay_ms",),
    "chunk_delay_ms": ("chunk_delay_ms",),
}
# The fields of how a reply is delivered.
DELIVERY: Final = frozenset(PATHS) - {"finish", "prompt", "completion"}

# Longer text is not a number; validation reports it.
_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,18})?")


def values(document: FixtureDocument, at: Path = RESPONSE) -> dict[str, str]:
    """The value of each field as written, "" if absent. ``at`` is the path of the response."""
    response = document.response_at(at)
    fields = {name: _shown(part(response, path)) for name, path in PATHS.items()}
    return {**fields, DESCRIPTION: _shown(document.value.get(DESCRIPTION))}


def with_values(
    document: FixtureDocument, typed: Mapping[str, str], at: Path = RESPONSE
) -> FixtureDocument:
    """The document with fields as typed; "" removes a value, and unchanged fields stay. A text that
    is not a number is stored as text, so that validation reports it.
    """
    before = values(document, at)
    changed = {name: text for name, text in typed.items() if text != before[name]}
    if DESCRIPTION in changed:
        # One that was emptied stays empty: a save would write one in place of none.
        text = changed.pop(DESCRIPTION)
        document = document.with_value(set_key(document.value, DESCRIPTION, text, FIXTURE_FORM))
    if not changed:
        return document
    response = document.response_at(at)
    for name, text in changed.items():
        response = _with(response, (), PATHS[name], _meant(name, text))
    return document.with_response(response, at)


def at(path: Path) -> str | None:
    """The field in which the value at a path of the document is edited; the first one for a value
    of several.
    """
    inside = path[len(response_of(path)) :]
    if inside == path:
        return DESCRIPTION if path == (DESCRIPTION,) else None
    near = [name for name, place in PATHS.items() if place[:1] == inside[:1]]
    return next((name for name in near if PATHS[name] == inside), near[0] if near else None)


def _shown(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return dumps(value)


def _meant(name: str, text: str) -> Any:
    """The value of a typed text; None for an empty one."""
    *place, key = PATHS[name]
    kind = RESPONSE_FORM.inner(tuple(place)).key(str(key)).kind
    if kind.is_number and _NUMBER.fullmatch(text):
        return float(text) if "." in text else int(text)
    return text or None


def _with(value: Mapping[str, Any], at: Path, path: Path, new: Any) -> dict[str, Any]:
    """An object, which is at ``at`` in a response, with ``new`` at ``path``; None removes what is
    there, and an error or a usage that is empty then.
    """
    key, *inner = path
    if inner:
        new = _with(mapping(value.get(str(key))), (*at, key), tuple(inner), new) or None
    if new is None:
        return {k: v for k, v in value.items() if k != key}
    return set_key(value, str(key), new, RESPONSE_FORM.inner(at))
