"""JSON as coloured lines, made one by one: a large value costs only what is seen of it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from itertools import islice
from typing import Any, Final, NamedTuple

from textual.content import Content, Span

from workbench.core.json.values import dumps
from workbench.core.text.wording import counted
from workbench.tui.lines.line_layout import Line, OneRow, TextLine
from workbench.tui.lines.sections import Section
from workbench.tui.lines.text_lines import capped, safe, spans_within
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import JSON_KEY, JSON_LITERAL, JSON_NUMBER, JSON_STRING, MUTED

# The rest of a line with more tokens has no colours.
TOKEN_LIMIT: Final = 1_000
# Limits of JSON that is laid out for a width, to be read rather than copied.
STRING_LIMIT: Final = 20_000
DEPTH_LIMIT: Final = 40

_TOKEN: Final = re.compile(
    r'(?P<key>"[^"\\]*+(?:\\.[^"\\]*+)*+"(?=\s*:))'
    r'|(?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?$))'
    r"|(?P<number>(?<!\w)-?\d[\w.+-]*)"
    r"|(?P<literal>\b(?:true|false|null)\b|<\w+>)"
    r"|(?P<mark>[{}\[\],:]+)"
)
_STYLES: Final = {
    "key": JSON_KEY,
    "string": JSON_STRING,
    "number": JSON_NUMBER,
    "literal": JSON_LITERAL,
    "mark": MUTED,
}


# Colours


@lru_cache(maxsize=1024)
def tokens(line: str) -> list[Span]:
    """The coloured parts of a line, from left to right. Strings in JSON never contain a line end,
    so each line is coloured by itself, even while the document is incomplete.
    """
    return [
        Span(*match.span(), _STYLES[match.lastgroup or ""])
        for match in islice(_TOKEN.finditer(line), TOKEN_LIMIT)
    ]


class JsonLine(TextLine):
    """A line of JSON in colours."""

    __slots__ = ()

    def cut(self, start: int, end: int) -> Content:
        return Content(self[start:end], list(spans_within(tokens(self), start, end)))


# Layout


class Named(NamedTuple):
    """A value that is shown by name: ``<clock>``."""

    name: str


def json_lines(
    value: object, *, width: int = 0, depth: int = 0, lead: str = "", tail: str = ""
) -> Iterator[str]:
    """Lay out ``value`` with an indent of 2, as ``json.dumps`` does, after the key ``lead`` and
    with the comma ``tail`` at its end.

    Args:
        width: objects and lists that fit in this width are on one line, long strings and deeply
            nested values are cut. 0 lays out everything as ``json.dumps`` does.
    """
    pad = "  " * depth
    text = _flat(value, width - len(pad) - len(lead) - len(tail)) if width else None
    if text is None and width and depth >= DEPTH_LIMIT and isinstance(value, dict | list):
        text = "…"
    if text is None and not (isinstance(value, dict | list) and value):
        text = _scalar(value, STRING_LIMIT if width else None)
    if text is not None or not isinstance(value, dict | list):
        yield f"{pad}{lead}{text}{tail}"
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield pad + lead + opening
    for number, (key, item) in enumerate(_items(value, cuts=bool(width)), start=1):
        comma = "," if number < len(value) else ""
        yield from json_lines(item, width=width, depth=depth + 1, lead=key, tail=comma)
    yield pad + closing + tail


def _items(value: dict[str, object] | list[object], *, cuts: bool) -> Iterator[tuple[str, object]]:
    """The items, each with its prefix: a key, or nothing in a list."""
    if isinstance(value, list):
        yield from (("", item) for item in value)
    else:
        for key, item in value.items():
            yield f"{dumps(cut(key) if cuts else key)}: ", item


def _flat(value: object, room: int) -> str | None:
    """``value`` on one line; None if it is longer than ``room``, which is found out early."""
    if isinstance(value, str) and len(value) + 2 > room:
        return None
    if not isinstance(value, dict | list):
        text = _scalar(value, None)
        return text if len(text) <= room else None
    if max(len(value) * 2, 2) > room:
        return None
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    parts: list[str] = []
    left = room - 2
    for key, item in _items(value, cuts=True):
        flat = _flat(item, left - len(key))
        if flat is None:
            return None
        parts.append(key + flat)
        left -= len(parts[-1]) + 2
    return f"{opening}{', '.join(parts)}{closing}"


def _scalar(value: object, limit: int | None) -> str:
    """A value on one line, a string cut to ``limit`` characters."""
    if isinstance(value, Named):
        return value.name
    if limit is not None and isinstance(value, str) and len(value) > limit:
        return f"{dumps(value[:limit])}… {len(value) - limit:,} more characters"
    return dumps(value)


def cut(text: str, limit: int = STRING_LIMIT) -> str:
    """The first ``limit`` characters of ``text``, and how many are left out."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}… {len(text) - limit:,} more characters"


# Sections


def as_json(payload: Mapping[str, Any]) -> Iterator[Section]:
    """A JSON object as sections: one for each key, and for each element of a list of objects."""
    if not payload:
        yield Section("", TextLine("{}"))
        return
    yield Section("", JsonLine("{"))
    for number, (key, value) in enumerate(payload.items(), start=1):
        comma = "," if number < len(payload) else ""
        lead = f"{dumps(key)}: "
        if isinstance(value, list) and value and all(isinstance(v, dict) and v for v in value):
            yield Section("", safe(f"  {lead}[", JsonLine))
            for place, element in enumerate(value):
                tail = "," if place < len(value) - 1 else ""
                yield _section(f"{key} {place}", element, 2, "", tail)
            yield Section("", JsonLine(f"  ]{comma}"))
        else:
            yield _section(key, value, 1, lead, comma)
    yield Section("", JsonLine("}"))


def _section(key: str, value: object, depth: int, lead: str, tail: str) -> Section:
    head = next(json_lines(value, depth=depth, lead=lead, tail=tail))
    folded = partial(_folded, head, value, tail) if isinstance(value, dict | list) else None
    return Section(
        key,
        safe(head, JsonLine),
        folded=folded if value else None,
        body=lambda: _body(value, depth, lead, tail),
        copied=lambda: value if isinstance(value, str) else dumps(value, indent=2),
    )


def _body(value: object, depth: int, lead: str, tail: str) -> Iterable[Line]:
    following = islice(json_lines(value, depth=depth, lead=lead, tail=tail), 1, None)
    return capped((safe(line, JsonLine) for line in following), "  " * depth)


def _folded(head: str, value: Mapping[str, Any] | list[Any], tail: str) -> OneRow:
    """One line for an object or a list: its name and the number of its items."""
    closing = "}" if isinstance(value, dict) else "]"
    kind = "key" if isinstance(value, dict) else "item"
    name, count = _name(value), counted(len(value), kind)
    facts = f"{name}, {count}" if name else count
    shown = safe(f"{head}…{closing}{tail}", JsonLine)
    line = shown.cut(0, len(shown)) if isinstance(shown, TextLine) else shown
    return OneRow(line + Content("  ") + one_line(facts, MUTED))


def _name(value: object) -> str:
    """The role of a message or the name of a tool; "" for anything else."""
    if not isinstance(value, dict):
        return ""
    function = value.get("function")
    named = [value.get("role"), function.get("name") if isinstance(function, dict) else None]
    return next((name for name in named if isinstance(name, str)), "")
