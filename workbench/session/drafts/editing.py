"""Edits of a fixture document by field. Each returns a new document that differs only there.

Arguments and JSON content are edited on several lines and stored on one; unchanged text keeps its
exact string. ``at`` is the path of the edited response: ``response``, or one of ``first``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from workbench.core.fixture.document import FixtureDocument, set_key
from workbench.core.json.holes import filled
from workbench.core.json.layout import layout
from workbench.core.json.spans import Path
from workbench.core.json.text import is_json
from workbench.core.json.values import mapping, sequence, string
from workbench.core.replies.fixture_form import FIXTURE_FORM, RESPONSE_FORM
from workbench.core.replies.response import RESPONSE
from workbench.core.replies.response import calls as reply_calls
from workbench.core.requests.messages import FunctionCall


@lru_cache(maxsize=16)  # called each time the same answer is shown
def expanded(text: str) -> str:
    """A JSON object or list on several lines, for editing; any other text unchanged."""
    return layout(text, 2) if "\n" not in text and holds_lines(text) else text


def one_line(text: str) -> str:
    """A JSON object or list on one line, for storing; any other text unchanged."""
    return layout(text, None) if holds_lines(text) else text


def stored(text: str, before: str, *, keep_lines: bool) -> str:
    """The string to store for edited text; for unchanged text, exactly the previous one.

    Args:
        before: the string stored now, as ``expanded`` for editing.
        keep_lines: store JSON on several lines, as typed.
    """
    if text == expanded(before):
        return before
    return text if keep_lines else one_line(text)


def holds_lines(text: str) -> bool:
    """True if ``text`` is a JSON object or list, possibly with holes, which can be written on
    several lines.
    """
    return text.lstrip(" \t\r\n")[:1] in ("{", "[") and is_json(filled(text))


def content(document: FixtureDocument, at: Path = RESPONSE) -> str:
    return string(document.response_at(at).get("content"))


def calls(document: FixtureDocument, at: Path = RESPONSE) -> list[FunctionCall]:
    """The tool calls that are objects."""
    return reply_calls(document.response_at(at))


def with_content(document: FixtureDocument, text: str, at: Path = RESPONSE) -> FixtureDocument:
    if isinstance(document.response_at(at).get("content"), str):
        return document.with_string((*at, "content"), text)
    return _with(document, at, content=text)


def with_function(
    document: FixtureDocument,
    index: int,
    key: Literal["name", "arguments"],
    text: str,
    at: Path = RESPONSE,
) -> FixtureDocument:
    """Replace the name or the arguments of call ``index``. The arguments of a custom tool are its
    input.
    """
    edited = _tool_calls(document, at)
    place = _call_places(document, at)[index]
    call = edited[place]
    is_custom = call.get("type") == "custom"
    kind = "custom" if is_custom else "function"
    written = "input" if is_custom and key == "arguments" else key
    function = mapping(call.get(kind))
    if isinstance(function.get(written), str):
        return document.with_string((*at, "tool_calls", place, kind, written), text)
    edited[place] = {**call, kind: {**function, written: text}}
    return _with(document, at, tool_calls=edited)


def with_call(
    document: FixtureDocument, call: Mapping[str, Any], at: Path = RESPONSE
) -> FixtureDocument:
    """Append a call, and change the finish reason ``stop`` to ``tool_calls``."""
    document = _with(document, at, tool_calls=[*_tool_calls(document, at), dict(call)])
    if string(document.response_at(at).get("finish_reason")) in ("", "stop"):
        document = _with(document, at, finish_reason="tool_calls")
    return document


def without_call(document: FixtureDocument, index: int, at: Path = RESPONSE) -> FixtureDocument:
    """Remove call ``index``; with the last one also the finish reason ``tool_calls``."""
    edited = _tool_calls(document, at)
    del edited[_call_places(document, at)[index]]
    if edited:
        return _with(document, at, tool_calls=edited)
    response = {k: v for k, v in document.response_at(at).items() if k != "tool_calls"}
    if response.get("content") is None:
        response = set_key(response, "content", "", RESPONSE_FORM)
    if response.get("finish_reason") == "tool_calls":
        response["finish_reason"] = "stop"
    return document.with_response(response, at)


def without_request(document: FixtureDocument) -> FixtureDocument:
    """Remove the request the fixture answers."""
    return document.with_value({k: v for k, v in document.value.items() if k != "request"})


def with_recorded(document: FixtureDocument, response: Mapping[str, Any]) -> FixtureDocument:
    """Replace the response by a real model's response, and record its source."""
    document = document.with_response(response)
    edited = {**mapping(document.value.get("workbench")), "source": "recorded"}
    return document.with_value(set_key(document.value, "workbench", edited, FIXTURE_FORM))


def with_allowed(document: FixtureDocument, rule: str, allowed: bool) -> FixtureDocument:
    """Allow or disallow ``rule`` in this fixture."""
    if (rule in document.allowed) == allowed:
        return document
    value = document.value
    edited = dict(mapping(value.get("workbench")))
    rules = sequence(edited.get("allow"))
    edited["allow"] = [*rules, rule] if allowed else [r for r in rules if r != rule]
    if not edited["allow"]:
        del edited["allow"]
    if not edited:
        return document.with_value({k: v for k, v in value.items() if k != "workbench"})
    return document.with_value(set_key(value, "workbench", edited, FIXTURE_FORM))


def relaid(document: FixtureDocument, *, keep_lines: bool) -> FixtureDocument:
    """Put JSON content and arguments on several lines, or each on one, in all responses."""
    lay_out = expanded if keep_lines else one_line
    for at in document.response_paths:
        text = content(document, at)
        if lay_out(text) != text:
            document = with_content(document, lay_out(text), at)
        for index, call in enumerate(calls(document, at)):
            if lay_out(call.arguments) != call.arguments:
                text = lay_out(call.arguments)
                document = with_function(document, index, "arguments", text, at)
    return document


def _with(document: FixtureDocument, at: Path, **fields: object) -> FixtureDocument:
    response = document.response_at(at)
    for key, value in fields.items():
        response = set_key(response, key, value, RESPONSE_FORM)
    return document.with_response(response, at)


def _tool_calls(document: FixtureDocument, at: Path) -> list[Any]:
    return [*sequence(document.response_at(at).get("tool_calls"))]


def _call_places(document: FixtureDocument, at: Path) -> list[int]:
    """The indexes of the calls that are objects."""
    return [i for i, call in enumerate(_tool_calls(document, at)) if isinstance(call, dict)]
