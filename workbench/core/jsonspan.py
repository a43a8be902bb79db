"""JSON with places: where each value stands in its text, and edits that touch nothing else.

``scan`` reads a text once and keeps the span of every value. ``rewrite`` changes the text so that
it means a new value, replacing the spans of what differs and leaving every other byte as it was:
key order, spacing, escapes, unknown keys. No JSON library keeps bytes, hence a scanner of our own.
Grammar: RFC 8259, with ``NaN`` and ``Infinity`` accepted and reported, as Python's reader does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # C speed; exact error places
from typing import Any, Literal, TypeAlias

MAX_DEPTH = 300

# A longer text that is no JSON is not read to its error here: that takes seconds for each 10 MB.
_LONGEST_READ_TO_ERROR = 1_000_000

Path: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_WORD = re.compile(r"-?[A-Za-z]+")
_CONFLICT = re.compile(r"^(<{7}|={7}|>{7})( |$)", re.MULTILINE)
_INDENT = re.compile(r"[ \t]*")
_INDENTED_LINE = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str


class JSONSyntaxError(ValueError):
    """A text that is no JSON.

    Attributes:
        offset: index of the first character that cannot be right.
        fix: an edit that mends it, where there is only one sensible one.
        conflict: whether the cause is a merge conflict left in the file.
    """

    def __init__(
        self, message: str, offset: int, *, fix: Edit | None = None, conflict: bool = False
    ) -> None:
        super().__init__(message)
        self.offset = offset
        self.fix = fix
        self.conflict = conflict


@dataclass(slots=True)
class Node:
    """One value and its span ``text[start:end]``."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int = -1
    scalar: Any = None
    members: list[Member] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)

    def member(self, key: str) -> Member | None:
        """The member with ``key``; of several the last, which is the one readers take."""
        return next((m for m in reversed(self.members) if m.key == key), None)

    def at(self, path: Sequence[str | int]) -> Node | None:
        """The value at ``path``, or None."""
        node: Node | None = self
        for step in path:
            if node is None:
                return None
            if isinstance(step, str):
                member = node.member(step)
                node = member.node if member else None
            else:
                node = node.items[step] if step < len(node.items) else None
        return node

    def value(self) -> Any:
        """The Python value, as ``json.loads`` gives it."""
        if self.kind == "object":
            return {m.key: m.node.value() for m in self.members}
        if self.kind == "array":
            return [item.value() for item in self.items]
        return self.scalar


@dataclass(slots=True)
class Member:
    """A key of an object with the span of the key and the value."""

    key: str
    start: int
    end: int
    node: Node


@dataclass(frozen=True, slots=True)
class Scan:
    """A text, its root value, and what is legal to some readers but surely not meant.

    Attributes:
        duplicates: members whose key stood before in the same object.
        not_finite: values that are ``NaN`` or ``Infinity``, which JSON does not have.
    """

    text: str
    root: Node
    duplicates: list[Member]
    not_finite: list[Node]


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of ``offset``, both from 1; only ``\\n`` ends a line."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def scan(text: str) -> Scan:
    """Read ``text``.

    Raises:
        JSONSyntaxError: with the place, for anything that is not one JSON value.
    """
    try:
        if len(text) > _LONGEST_READ_TO_ERROR:
            _require_json(text)
        return _Scanner(text).run()
    except JSONSyntaxError as error:
        marker = _CONFLICT.search(text)
        if marker is None:
            raise
        raise JSONSyntaxError(
            "the file holds the markers of an unresolved merge conflict",
            marker.start(),
            conflict=True,
        ) from error


# The library's words for an error -> ours.
_ERRORS = {
    "Expecting value": "a value is expected here",
    "Expecting ',' delimiter": "a comma is expected here",
    "Expecting ':' delimiter": "a colon is missing after the key",
    "Expecting property name enclosed in double quotes": "a key must be a string in double quotes",
    "Extra data": "more text after the end of the value",
    "Unterminated string starting at": "this string has no end",
    "Invalid control character at": "a control character inside a string must be escaped",
}


def _require_json(text: str) -> None:
    """Raise JSONSyntaxError where the library finds one; it is fast, and says less."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        message = _ERRORS.get(error.msg, "not a valid escape in a string")
        raise JSONSyntaxError(message, error.pos) from None
    except (RecursionError, ValueError):
        pass  # too deep, or too many digits: the scanner knows where


class _Scanner:
    """One pass over a text with a stack of its own, so that no depth exhausts Python's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.stack: list[Node] = []
        self.keys: list[set[str]] = []
        self.duplicates: list[Member] = []
        self.not_finite: list[Node] = []

    def run(self) -> Scan:
        at = self.skip(0)
        root, at = self.value(at)
        while self.stack:
            at = self.next_part(at)
        at = self.skip(at)
        if at < len(self.text):
            raise JSONSyntaxError("more text after the end of the value", at)
        return Scan(self.text, root, self.duplicates, self.not_finite)

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def value(self, at: int) -> tuple[Node, int]:
        """Read a scalar whole, or open a container; return it and where to go on."""
        char = self.text[at : at + 1]
        if char in ("{", "["):
            node = Node("object" if char == "{" else "array", at)
            if len(self.stack) == MAX_DEPTH:
                raise JSONSyntaxError(f"nested more than {MAX_DEPTH} deep", at)
            self.stack.append(node)
            self.keys.append(set())
            return node, at + 1
        node = Node("scalar", at)
        if char == '"':
            node.scalar, node.end = self.string(at)
        elif match := _NUMBER.match(self.text, at):
            node.scalar, node.end = self.number(match), match.end()
        else:
            node.scalar, node.end = self.word(at)
            if isinstance(node.scalar, float):
                self.not_finite.append(node)
        return node, node.end

    def string(self, at: int) -> tuple[str, int]:
        try:
            return scanstring(self.text, at + 1, True)  # type: ignore[no-any-return]
        except json.JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                raise JSONSyntaxError("this string has no end", at) from None
            if error.msg.startswith("Invalid control character"):
                code = ord(self.text[error.pos])
                name = {9: "a tab", 10: "a line break", 13: "a line break"}.get(
                    code, f"control character {code:#04x}"
                )
                raise JSONSyntaxError(
                    f"{name} inside a string must be escaped", error.pos
                ) from None
            raise JSONSyntaxError("not a valid escape in a string", error.pos) from None

    def number(self, match: re.Match[str]) -> int | float:
        try:
            return float(match[0]) if match[1] or match[2] else int(match[0])
        except ValueError:
            raise JSONSyntaxError("a number with too many digits", match.start()) from None

    def word(self, at: int) -> tuple[Any, int]:
        match = _WORD.match(self.text, at)
        if match and match[0] in _WORDS:
            return _WORDS[match[0]], match.end()
        if at >= len(self.text):
            raise JSONSyntaxError("the text ends where a value is expected", at)
        if match:
            raise JSONSyntaxError(f"{match[0][:20]} is not a JSON value", at)
        raise JSONSyntaxError(f"expected a value, found {self.text[at]!r}", at)

    def next_part(self, at: int) -> int:
        """Read the next member or item of the innermost open container, or its end."""
        node = self.stack[-1]
        at = self.skip(at)
        closing = "}" if node.kind == "object" else "]"
        char = self.text[at : at + 1]
        first = not (node.members or node.items)
        if char == closing:
            node.end = at + 1
            self.stack.pop()
            self.keys.pop()
            return node.end
        if not first:
            comma = at
            if char != ",":
                raise self.missing_comma(node, at, closing)
            at = self.skip(at + 1)
            if self.text[at : at + 1] == closing:
                raise JSONSyntaxError(
                    f"a comma before {closing} has nothing after it",
                    comma,
                    fix=Edit(comma, comma + 1, ""),
                )
        if node.kind == "array":
            item, at = self.value(at)
            node.items.append(item)
            return at
        return self.read_member(node, at)

    def read_member(self, node: Node, at: int) -> int:
        if self.text[at : at + 1] != '"':
            if at >= len(self.text):
                raise JSONSyntaxError("the text ends inside an object", at)
            raise JSONSyntaxError("a key must be a string in double quotes", at)
        key, key_end = self.string(at)
        colon = self.skip(key_end)
        if self.text[colon : colon + 1] != ":":
            raise JSONSyntaxError(
                "a colon is missing after the key", colon, fix=Edit(key_end, key_end, ":")
            )
        keys = self.keys[-1]
        value, end = self.value(self.skip(colon + 1))
        member = Member(key, at, key_end, value)
        if key in keys:
            self.duplicates.append(member)
        keys.add(key)
        node.members.append(member)
        return end

    def missing_comma(self, node: Node, at: int, closing: str) -> JSONSyntaxError:
        if at >= len(self.text):
            kind = "an object" if node.kind == "object" else "a list"
            return JSONSyntaxError(f"the text ends inside {kind}: {closing} is missing", at)
        last = node.members[-1].node.end if node.members else node.items[-1].end
        if self.text[at] == '"' or (node.kind == "array" and self.text[at] in "{["):
            line, _ = line_column(self.text, last)
            here, _ = line_column(self.text, at)
            where = f"after line {line}" if here != line else "here"
            return JSONSyntaxError(f"a comma is missing {where}", at, fix=Edit(last, last, ","))
        return JSONSyntaxError(f"expected a comma or {closing}, found {self.text[at]!r}", at)


def same(a: object, b: object) -> bool:
    """Equality that tells 1 from 1.0 and True, as the text of a document does.

    Whether keys are in the same order does not matter.
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


def dumps(value: object, *, indent: int | str | None = None) -> str:
    """JSON as our files hold it: unescaped, except for lone surrogates, which UTF-8 cannot hold."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def apply(text: str, edits: Sequence[Edit]) -> str:
    """``text`` with ``edits`` made, which do not overlap; those of one place keep their order."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def layout(document: Scan, indent: int | None) -> str:
    """The text of ``document`` laid out anew, every scalar and key as it was written.

    Args:
        indent: spaces a level, or None for one line.
    """
    text = document.text
    parts: list[str] = []

    def write(node: Node, level: int) -> None:
        pairs = [(text[m.start : m.end] + ": ", m.node) for m in node.members]
        pairs += [("", item) for item in node.items]
        if not pairs:
            parts.append(text[node.start : node.end] if node.kind == "scalar" else "")
            parts.append({"object": "{}", "array": "[]", "scalar": ""}[node.kind])
            return
        inner = "" if indent is None else "\n" + " " * indent * (level + 1)
        outer = "" if indent is None else "\n" + " " * indent * level
        parts.append("{" if node.kind == "object" else "[")
        for number, (key, value) in enumerate(pairs):
            separator = ", " if indent is None else ","
            parts.append((separator if number else "") + inner + key)
            write(value, level + 1)
        parts.append(outer + ("}" if node.kind == "object" else "]"))

    write(document.root, 0)
    return "".join(parts)


def rewrite(document: Scan, new: object) -> str:
    """The text of ``document`` changed as little as needed to mean ``new``.

    A key that ``new`` adds goes behind the key before it in ``new``; the rest keeps its place.
    """
    return apply(document.text, edits(document, new))


def edits(document: Scan, new: object, path: Path = ()) -> list[Edit]:
    """The edits that make the value at ``path``, which exists, mean ``new``."""
    node = document.root.at(path)
    return [] if node is None else list(_edits(document.text, node, new))


def _edits(text: str, node: Node, new: object) -> Iterator[Edit]:
    if same(node.value(), new):
        return
    if node.kind == "object" and node.members and isinstance(new, dict) and new:
        yield from _object_edits(text, node, new)
    elif node.kind == "array" and node.items and isinstance(new, list) and new:
        yield from _array_edits(text, node, new)
    else:
        yield Edit(node.start, node.end, _styled(text, node.start, new))


def _object_edits(text: str, node: Node, new: dict[str, Any]) -> Iterator[Edit]:
    spans = [(m.start, m.node.end) for m in node.members]
    kept = [i for i, m in enumerate(node.members) if m.key in new]
    if not kept:
        yield Edit(node.start, node.end, _styled(text, node.start, new))
        return
    yield from _removals(spans, kept)
    separator, colon = _separators(text, node, spans)
    members = {m.key: m for m in node.members}
    anchor: Member | None = None
    pending: list[str] = []
    for key, value in new.items():
        member = members.get(key)
        if member is None:
            added = f"{dumps(key)}{colon}{_styled(text, spans[0][0], value)}"
            if anchor is None:
                pending.append(added + separator)
            else:
                yield Edit(anchor.node.end, anchor.node.end, separator + added)
        else:
            yield from _edits(text, member.node, value)
            anchor = member
    if pending:
        first = spans[kept[0]][0]
        yield Edit(first, first, "".join(pending))


def _array_edits(text: str, node: Node, new: list[Any]) -> Iterator[Edit]:
    old = [item.value() for item in node.items]
    head = 0
    while head < min(len(old), len(new)) and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    changed = min(len(old), len(new)) - head - tail
    for index in range(head, head + changed):
        yield from _edits(text, node.items[index], new[index])
    spans = [(item.start, item.end) for item in node.items]
    if len(old) > len(new):
        gone = range(head + changed, len(old) - tail)
        yield from _removals(spans, [i for i in range(len(old)) if i not in gone])
    elif len(new) > len(old):
        separator, _ = _separators(text, node, spans)
        added = [_styled(text, spans[0][0], v) for v in new[head + changed : len(new) - tail]]
        at = head + changed
        if at:
            end = spans[at - 1][1]
            yield Edit(end, end, "".join(separator + a for a in added))
        else:
            start = spans[0][0]
            yield Edit(start, start, "".join(a + separator for a in added))


def _removals(spans: list[tuple[int, int]], kept: list[int]) -> Iterator[Edit]:
    """Cut the parts that are not kept, each with the comma and space that belong to it."""
    for index, (_, end) in enumerate(spans):
        if index in kept:
            continue
        if index < kept[0]:
            yield Edit(spans[index][0], spans[index + 1][0], "")
        else:
            yield Edit(spans[index - 1][1], end, "")


def _separators(text: str, node: Node, spans: list[tuple[int, int]]) -> tuple[str, str]:
    """What stands between two parts of this container, and between a key and its value."""
    if len(spans) > 1:
        between = text[spans[0][1] : spans[1][0]]
    else:
        lead = text[node.start + 1 : spans[0][0]]
        between = "," + (lead if "\n" in lead else " ")
    colon = ": "
    if node.members:
        first = node.members[0]
        colon = text[first.end : first.node.start]
    return between, colon


def _styled(text: str, at: int, value: object) -> str:
    """``value`` written as a part that stands at ``at``: indented like the line it stands in."""
    if not isinstance(value, dict | list) or not value:
        return dumps(value)
    unit = _indent_unit(text)
    if unit is None:
        return dumps(value)
    line = _INDENT.match(text, text.rfind("\n", 0, at) + 1)
    indent = line[0] if line else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    return dumps(value, indent=unit).replace("\n", newline + indent)


def _indent_unit(text: str) -> str | None:
    """The indentation of the first indented line, or None where all stands on one line."""
    match = _INDENTED_LINE.search(text)
    return match[1] if match else None
