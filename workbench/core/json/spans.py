"""JSON with places: the span of each value in its text.

``scan`` reads a text once and keeps the span of every value, for edits that keep every other byte
(``core.json.edits``). No JSON library gives spans, hence a scanner of our own.
Grammar: RFC 8259, with ``NaN`` and ``Infinity`` accepted and reported, as Python's reader does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # C speed; exact error places
from typing import Any, Literal, TypeAlias

MAX_DEPTH = 300

# Longer texts are checked by the library first: finding an error here takes seconds per 10 MB.
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


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str


class JSONSyntaxError(ValueError):
    """A text that is not JSON.

    Attributes:
        offset: index of the first wrong character.
        fix: an edit that corrects it, if only one makes sense.
        conflict: whether the file has markers of a merge conflict.
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
        """The member with ``key``; of duplicates the last, as for every reader."""
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
    """A key of an object, with its span, and the value."""

    key: str
    start: int
    end: int
    node: Node


@dataclass(frozen=True, slots=True)
class Scan:
    """A text, its root value, and what some readers accept although it is a mistake.

    Attributes:
        duplicates: members whose key occurred before in the same object.
        not_finite: values that are ``NaN`` or ``Infinity``, which are not JSON.
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
            "the file has the markers of an unresolved merge conflict",
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
    """Raise JSONSyntaxError if the library finds an error; it is fast, but says less."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        message = _ERRORS.get(error.msg, "not a valid escape in a string")
        raise JSONSyntaxError(message, error.pos) from None
    except (RecursionError, ValueError):
        pass  # too deep, or too many digits: the scanner finds the place


class _Scanner:
    """One pass over a text, not recursive, so that any depth can be read."""

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
        """Read a scalar, or open a container; returns it and the offset to continue at."""
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


def is_json(text: str) -> bool:
    """Whether ``text`` is JSON that Python can read."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_too_deep(text: str, value: object) -> bool:
    """Whether ``value``, read from ``text``, is nested deeper than ``scan`` accepts."""
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return False
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            child
            for container in level
            if isinstance(container, dict | list)
            for child in (container.values() if isinstance(container, dict) else container)
        ]
    return any(isinstance(value, dict | list) for value in level)


def same(a: object, b: object) -> bool:
    """Whether two values have the same JSON text, apart from the order of keys: 1, 1.0 and True are
    different.
    """
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b or (a != a and b != b)


def dumps(value: object, *, indent: int | str | None = None) -> str:
    """JSON as in our files: unescaped but for lone surrogates, which UTF-8 cannot encode."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
