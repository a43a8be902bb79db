"""Syntax errors in JSON text: the errors of the standard library, with more exact messages.

Grammar: RFC 8259, with ``NaN`` and ``Infinity`` accepted, as Python's reader does.
"""

from __future__ import annotations

import json
import re
from typing import Final

from workbench.core.json.spans import STRING, line_column

MAX_DEPTH: Final = 300
"""How deeply the JSON of a fixture may be nested; that of a request, which it holds, one less."""

_SPACE: Final = " \t\n\r"
_WORD: Final = "-?[A-Za-z]+"
_WORDS: Final = ("true", "false", "null", "-0")
# The beginnings of an escape and of the rest of a number, at the end of the text.
_CUT_ESCAPE: Final = r"\\u[0-9A-Fa-f]{0,4}\Z"
_CUT_NUMBER: Final = r"\.|(?:\.\d+)?[eE][+-]?"
_CONFLICT: Final = "(?m)^(<{7}|={7}|>{7})( |$)"
# For an error of the library, the bracket that may close the container at its place.
_CLOSING: Final = {
    "Expecting value": "]",
    "Expecting property name enclosed in double quotes": "}",
}
# Strings are matched to leave out the brackets in them.
_BRACKET: Final = rf"{STRING}|[][{{}}]"
_QUOTE: Final = r'(?s)\\.|"'
_DEPTH_CHANGES: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
# Python reads no integer of more than 4,300 digits.
_LONG_NUMBER: Final = "-?[0-9]{4301,}"
_CONTROL_NAMES: Final = {"\t": "a tab", "\n": "a line break", "\r": "a line break"}


class JSONSyntaxError(ValueError):
    """Text that is not JSON.

    Attributes:
        offset: index of the first wrong character.
        is_cut: True if text only ends too early: it is the beginning of JSON text.
    """

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset
        self.is_cut = False


def explained(error: json.JSONDecodeError) -> JSONSyntaxError:
    """An error of the standard library with its cause, in words for the author of the text."""
    explanation = _explained(error)
    explanation.is_cut = _is_cut(error)
    return explanation


def _is_cut(error: json.JSONDecodeError) -> bool:
    """True if the error is at a token whose end is missing."""
    end = error.doc[error.pos :].rstrip(_SPACE)
    if error.msg.startswith("Unterminated string") or not end:
        return True
    if error.msg.startswith("Invalid \\"):
        return re.search(_CUT_ESCAPE, error.doc[error.pos - 2 :]) is not None
    if error.msg == "Expecting value" and any(word.startswith(end) for word in _WORDS):
        return True
    return error.doc[error.pos - 1 : error.pos].isdigit() and bool(re.fullmatch(_CUT_NUMBER, end))


def _explained(error: json.JSONDecodeError) -> JSONSyntaxError:
    text, at = error.doc, error.pos
    if marker := re.search(_CONFLICT, text):
        message = "the file has the markers of an unresolved merge conflict"
        return JSONSyntaxError(message, marker.start())
    before = text[:at].rstrip(_SPACE)
    character = text[at : at + 1]
    if error.msg.startswith("Illegal trailing comma"):  # from Python 3.13 on
        return _trailing_comma(text, at)
    if before.endswith(",") and character and character == _CLOSING.get(error.msg):
        return _trailing_comma(text, len(before) - 1)
    match error.msg:
        case "Expecting value":
            return _no_value(text, at)
        case "Expecting property name enclosed in double quotes":
            message = "a key must be a string in double quotes"
            return JSONSyntaxError(message if character else "the text ends inside an object", at)
        case "Expecting ',' delimiter":
            return _no_comma(text, at, len(before))
        case "Expecting ':' delimiter":
            return JSONSyntaxError("a colon is missing after the key", at)
        case "Extra data":
            return JSONSyntaxError("more text after the end of the value", at)
        case "Unterminated string starting at":
            return JSONSyntaxError("this string has no end", at)
        case "Invalid control character at":
            name = _CONTROL_NAMES.get(character, f"control character {ord(character):#04x}")
            return JSONSyntaxError(f"{name} inside a string must be escaped", at)
    return JSONSyntaxError("not a valid escape in a string", at)


def too_many_digits(text: str) -> JSONSyntaxError:
    """The error for text with a number that Python does not read."""
    match = re.search(_LONG_NUMBER, text)
    return JSONSyntaxError("a number with too many digits", match.start() if match else 0)


def is_too_deep(text: str | bytes, value: object, most: int = MAX_DEPTH) -> bool:
    """True if ``value``, read from JSON ``text``, is nested deeper than ``most``."""
    if isinstance(text, str):
        opened = text.count("{") + text.count("[")
    else:
        opened = text.count(b"{") + text.count(b"[")
    if opened <= most:
        return False
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def too_deep(text: str) -> JSONSyntaxError:
    """The error for text that is nested deeper than ``MAX_DEPTH``."""
    depth = 0
    for token in re.finditer(_BRACKET, text):
        depth += _DEPTH_CHANGES.get(token[0], 0)
        if depth > MAX_DEPTH:
            return JSONSyntaxError(f"nested more than {MAX_DEPTH} deep", token.start())
    return JSONSyntaxError("nested too deep to be read", 0)


def _trailing_comma(text: str, comma: int) -> JSONSyntaxError:
    closing = text[comma + 1 :].lstrip(_SPACE)[0]
    message = f"a comma before {closing} has nothing after it"
    return JSONSyntaxError(message, comma)


def _no_value(text: str, at: int) -> JSONSyntaxError:
    if at >= len(text):
        return JSONSyntaxError("the text ends where a value is expected", at)
    if word := re.match(_WORD, text[at:]):
        return JSONSyntaxError(f"{word[0][:20]} is not a JSON value", at)
    return JSONSyntaxError(f"expected a value, found {text[at]!r}", at)


def _no_comma(text: str, at: int, end: int) -> JSONSyntaxError:
    """The error for what follows a member or item that ends at ``end``."""
    is_object = _is_in_object(text[:end])
    closing = "}" if is_object else "]"
    if at >= len(text):
        kind = "an object" if is_object else "a list"
        return JSONSyntaxError(f"the text ends inside {kind}: {closing} is missing", at)
    has_odd_quotes = len(quotes(text)) % 2 == 1
    if has_odd_quotes and text[at] == '"':
        return JSONSyntaxError('a stray quote; inside a string it is written \\"', at)
    if text[at] == '"' or (not is_object and text[at] in "{["):
        line, _ = line_column(text, end)
        here, _ = line_column(text, at)
        where = f"after line {line}" if here != line else "here"
        return JSONSyntaxError(f"a comma is missing {where}", at)
    odd = "; the text has an odd number of quotes" if has_odd_quotes else ""
    return JSONSyntaxError(f"expected a comma or {closing}, found {text[at]!r}{odd}", at)


def quotes(text: str) -> list[int]:
    """The places of the quotes that are not escaped: where strings begin and end."""
    return [match.start() for match in re.finditer(_QUOTE, text) if match[0] == '"']


def _is_in_object(text: str) -> bool:
    """True if the innermost container that ``text`` leaves open is an object, not a list."""
    open_brackets: list[str] = []
    for token in re.findall(_BRACKET, text):
        if token in ("{", "["):
            open_brackets.append(token)
        elif token in ("}", "]"):
            open_brackets.pop()
    return open_brackets[-1] == "{"
