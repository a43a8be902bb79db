"""Use pasted text as an answer: a fixture, a response, or plain text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.fixture.document import FixtureDocument
from workbench.core.json.spans import Path
from workbench.core.json.values import decoded
from workbench.core.replies.fixture_form import RESPONSE_FORM
from workbench.core.text.wording import counted
from workbench.session.drafts import editing

# The keys taken from a pasted fixture; its other keys belong to its own request.
_ANSWER_KEYS = ("first", "response")
# Keys of a response beside its text; pasted text replaces them.
_BESIDE_TEXT = ("tool_calls", "refusal", "error", "disconnect_after")


def pasted_as(text: str) -> str:
    """A name for pasted text: ``the pasted fixture``, ``the 120 pasted characters``."""
    value = decoded(text)
    if _is_fixture(value):
        return "the pasted fixture"
    if _is_response(value):
        return "the pasted response"
    many = counted(len(text), "character")
    number, _, noun = many.partition(" ")
    return f"the {number} pasted {noun}"


def with_pasted(document: FixtureDocument, text: str, at: Path) -> FixtureDocument:
    """The document with pasted text as its answer; from a pasted fixture all answers are taken.

    Args:
        at: path of the response that a pasted response or text replaces.
    """
    value = decoded(text)
    if _is_fixture(value):
        kept = {k: v for k, v in document.value.items() if k not in _ANSWER_KEYS}
        return document.with_value({**kept, **{k: value[k] for k in _ANSWER_KEYS if k in value}})
    if _is_response(value):
        return document.with_response(value, at)
    response = document.response_at(at)
    if any(key in response for key in _BESIDE_TEXT):
        return document.with_response({"content": text, "finish_reason": "stop"}, at)
    return editing.with_content(document, text, at)


def _is_fixture(value: Any) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("response"), Mapping)


def _is_response(value: Any) -> bool:
    """True if a value is the response of a fixture, not a structured answer with such keys."""
    if not isinstance(value, Mapping):
        return False
    has_form = {key.name for key in RESPONSE_FORM.keys}.issuperset(value)
    return has_form and ("finish_reason" in value or isinstance(value.get("tool_calls"), list))
