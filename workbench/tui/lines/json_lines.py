"""JSON laid out in lines that are made one by one: a large value costs what is looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import Any

from textual.content import Content, Span

from workbench.core.json.spans import dumps
from workbench.tui.lines.json_colours import tokens
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.outline import Section
from workbench.tui.lines.text_lines import capped, safe
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import MUTED


class JsonLine(TextLine):
    """A line of JSON in its colours."""

    __slots__ = ()

    def cut(self, start: int, end: int) -> Content:
        return Content(self[start:end], list(self._spans(start, end)))

    def _spans(self, start: int, end: int) -> Iterator[Span]:
        for first, behind, style in tokens(self):
            if first >= end:
                return
            a, b = max(first, start), min(behind, end)
            if a < b:
                yield Span(a - start, b - start, style)


def json_lines(value: object, depth: int = 0, lead: str = "", tail: str = "") -> Iterator[str]:
    """The lines of ``value`` as ``json.dumps`` lays it out with an indent of 2.

    Args:
        lead: stands before the first line, a key; ``tail`` behind the last, a comma.
    """
    pad = "  " * depth
    if isinstance(value, dict) and value:
        yield f"{pad}{lead}{{"
        last = len(value) - 1
        for number, (key, inner) in enumerate(value.items()):
            comma = "," if number < last else ""
            yield from json_lines(inner, depth + 1, f"{dumps(key)}: ", comma)
        yield f"{pad}}}{tail}"
    elif isinstance(value, list) and value:
        yield f"{pad}{lead}["
        last = len(value) - 1
        for number, inner in enumerate(value):
            yield from json_lines(inner, depth + 1, "", "," if number < last else "")
        yield f"{pad}]{tail}"
    else:
        yield f"{pad}{lead}{dumps(value)}{tail}"


def as_json(payload: Mapping[str, Any], _: object = None) -> Iterator[Section]:
    """A request as it was received, laid out: a section for each key, and for each element of a
    list of objects.
    """
    if not payload:
        yield Section("", TextLine("{}"))
        return
    yield Section("", JsonLine("{"))
    last = len(payload) - 1
    for number, (key, value) in enumerate(payload.items()):
        comma = "," if number < last else ""
        lead = f"{dumps(key)}: "
        if isinstance(value, list) and value and all(isinstance(v, dict) and v for v in value):
            yield Section("", safe(f"  {lead}[", JsonLine))
            yield from _elements(key, value)
            yield Section("", JsonLine(f"  ]{comma}"))
        else:
            yield _section(key, value, 1, lead, comma)
    yield Section("", JsonLine("}"))


def _elements(key: str, values: list[Any]) -> Iterator[Section]:
    last = len(values) - 1
    for number, value in enumerate(values):
        yield _section(f"{key} {number}", value, 2, "", "," if number < last else "")


def _section(key: str, value: object, depth: int, lead: str, tail: str) -> Section:
    lines = json_lines(value, depth, lead, tail)
    head = next(lines)
    folded = partial(_folded, head, value, tail) if isinstance(value, dict | list) else None
    return Section(
        key,
        safe(head, JsonLine),
        folded=folded if value else None,
        body=lambda: _body(value, depth, lead, tail),
        copied=lambda: value if isinstance(value, str) else dumps(value, indent=2),
    )


def _body(value: object, depth: int, lead: str, tail: str) -> Iterable[Line]:
    following = islice(json_lines(value, depth, lead, tail), 1, None)
    return capped((safe(line, JsonLine) for line in following), "  " * depth)


def _folded(head: str, value: Mapping[str, Any] | list[Any], tail: str) -> OneRow:
    """One line for an object or a list: what it is and how much there is."""
    closing = "}" if isinstance(value, dict) else "]"
    kind = "key" if isinstance(value, dict) else "item"
    name, count = _name(value), f"{len(value)} {kind}{'s' * (len(value) != 1)}"
    what = f"{name}, {count}" if name else count
    shown = safe(f"{head}…{closing}{tail}", JsonLine)
    line = shown.cut(0, len(shown)) if isinstance(shown, TextLine) else shown
    return OneRow(line + Content("  ") + one_line(what, MUTED))


def _name(value: object) -> str:
    """What tells an element from the others: a message's role, a tool's name."""
    if not isinstance(value, dict):
        return ""
    function = value.get("function")
    named = [value.get("role"), function.get("name") if isinstance(function, dict) else None]
    return next((name for name in named if isinstance(name, str)), "")
