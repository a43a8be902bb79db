"""Mistakes in JSON texts, and their places.

``scan`` says what is wrong with a text more exactly than the standard library, maybe with a fix,
and finds what other readers accept without a word.
Grammar: RFC 8259, with ``NaN`` and ``Infinity`` accepted and reported, as Python's reader does.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from json.decoder import scanstring  # type: ignore[attr-defined]  # C speed; exact error places
from typing import Literal, NamedTuple, TypeAlias

from workbench.core.digest import MAX_DEPTH

# Longer texts are checked by the library first: finding an error here takes seconds per 10 MB.
_LONGEST_READ_TO_ERROR = 1_000_000

Path: TypeAlias = tuple[str | int, ...]

_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_WORDS = ("true", "false", "null", *_NOT_FINITE)
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
    """

    def __init__(self, message: str, offset: int, *, fix: Edit | None = None) -> None:
        super().__init__(message)
        self.offset = offset
        self.fix = fix


class Oddity(NamedTuple):
    """What some readers accept although it is a mistake: the key or word, and its place."""

    word: str
    path: Path
    offset: int


@dataclass(frozen=True, slots=True)
class Scan:
    """The oddities of a text.

    Attributes:
        duplicates: keys that occurred before in the same object.
        not_finite: ``NaN`` and ``Infinity``, which are not JSON.
    """

    duplicates: list[Oddity] = field(default_factory=list)
    not_finite: list[Oddity] = field(default_factory=list)


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of ``offset``, both from 1; only ``\\n`` ends a line."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def scan(text: str) -> Scan:
    """The oddities of ``text``.

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
        message = "the file has the markers of an unresolved merge conflict"
        raise JSONSyntaxError(message, marker.start()) from error


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


@dataclass(slots=True)
class _Container:
    """An object or list that is being read.

    Attributes:
        keys: those so far.
        step: the key or index of its current part; None before the first.
    """

    closing: Literal["}", "]"]
    keys: set[str] = field(default_factory=set)
    step: str | int | None = None


class _Scanner:
    """One pass over a text, not recursive, so that any depth can be read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.open: list[_Container] = []
        self.found = Scan()

    def run(self) -> Scan:
        at = self.value(self.skip(0))
        while self.open:
            at = self.next_part(at)
        at = self.skip(at)
        if at < len(self.text):
            raise JSONSyntaxError("more text after the end of the value", at)
        return self.found

    def skip(self, at: int) -> int:
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def oddity(self, word: str, at: int) -> Oddity:
        path = tuple(part.step for part in self.open if part.step is not None)
        return Oddity(word, path, at)

    def value(self, at: int) -> int:
        """Read a scalar, or open a container; returns the offset to continue at."""
        char = self.text[at : at + 1]
        if char in ("{", "["):
            if len(self.open) == MAX_DEPTH:
                raise JSONSyntaxError(f"nested more than {MAX_DEPTH} deep", at)
            self.open.append(_Container("}" if char == "{" else "]"))
            return at + 1
        if char == '"':
            return self.string(at)[1]
        if match := _NUMBER.match(self.text, at):
            self.check_number(match)
            return match.end()
        return self.word(at)

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

    def check_number(self, match: re.Match[str]) -> None:
        try:
            float(match[0]) if match[1] or match[2] else int(match[0])
        except ValueError:
            raise JSONSyntaxError("a number with too many digits", match.start()) from None

    def word(self, at: int) -> int:
        match = _WORD.match(self.text, at)
        if match and match[0] in _WORDS:
            if match[0] in _NOT_FINITE:
                self.found.not_finite.append(self.oddity(match[0], at))
            return match.end()
        if at >= len(self.text):
            raise JSONSyntaxError("the text ends where a value is expected", at)
        if match:
            raise JSONSyntaxError(f"{match[0][:20]} is not a JSON value", at)
        raise JSONSyntaxError(f"expected a value, found {self.text[at]!r}", at)

    def next_part(self, end: int) -> int:
        """Read the next member or item of the innermost open container, or its end; ``end`` is that
        of the part before.
        """
        container = self.open[-1]
        at = self.skip(end)
        if self.text[at : at + 1] == container.closing:
            self.open.pop()
            return at + 1
        if container.step is not None:
            if self.text[at : at + 1] != ",":
                raise self.missing_comma(container.closing, end, at)
            comma, at = at, self.skip(at + 1)
            if self.text[at : at + 1] == container.closing:
                raise JSONSyntaxError(
                    f"a comma before {container.closing} has nothing after it",
                    comma,
                    fix=Edit(comma, comma + 1, ""),
                )
        if container.closing == "]":
            container.step = container.step + 1 if isinstance(container.step, int) else 0
            return self.value(at)
        return self.member(container, at)

    def member(self, container: _Container, at: int) -> int:
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
        container.step = key
        if key in container.keys:
            self.found.duplicates.append(self.oddity(key, at))
        container.keys.add(key)
        return self.value(self.skip(colon + 1))

    def missing_comma(self, closing: str, last: int, at: int) -> JSONSyntaxError:
        """The error for a part that follows another one, which ends at ``last``."""
        if at >= len(self.text):
            kind = "an object" if closing == "}" else "a list"
            return JSONSyntaxError(f"the text ends inside {kind}: {closing} is missing", at)
        if self.text[at] == '"' or (closing == "]" and self.text[at] in "{["):
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
