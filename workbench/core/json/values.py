"""JSON values: read by their type, compared, written."""

from __future__ import annotations

import json
from typing import Any, Final, TypeGuard

from workbench.core.json.spans import Path
from workbench.core.text.wording import cut

_LINE_ENDS: Final = {ord(end): f"\\u{ord(end):04x}" for end in "\u0085\u2028\u2029"}
# Made once: ``json.dumps`` makes an encoder for each call with options.
_SORTED = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)

# One of a wrong type counts as absent.


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def part(value: object, path: Path) -> Any:
    """The value at ``path`` inside another value, or None."""
    for step in path:
        if isinstance(step, str):
            value = mapping(value).get(step)
        else:
            value = sequence(value)[step] if step < len(sequence(value)) else None
    return value


def is_number(value: object) -> TypeGuard[int | float]:
    """True if a JSON value is a number. In Python, True and False are ints, but they do not count
    here.
    """
    return isinstance(value, int | float) and not isinstance(value, bool)


def same(a: object, b: object) -> bool:
    """True if two values have the same JSON text, apart from the order of keys: 1, 1.0 and True are
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


def compact(value: object) -> str:
    """JSON without blanks that are not needed."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def compact_bytes(value: object) -> bytes:
    return encoded(compact(value))


def sorted_json(value: object) -> str:
    """JSON with sorted keys, without blanks and escapes that are not needed."""
    return _SORTED.encode(value)


def indented(value: object, indent: int = 2) -> bytes:
    """JSON on several lines, with a line end."""
    return encoded(json.dumps(value, ensure_ascii=False, indent=indent)) + b"\n"


def encoded(text: str) -> bytes:
    # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
    return text.encode("utf-8", "backslashreplace")


def line_encoded(text: str) -> bytes:
    """A JSON text, with escapes for the characters that some readers take for line ends."""
    return encoded(text.translate(_LINE_ENDS))


def decoded(text: str) -> Any:
    """The value of a JSON text; any other text as it is."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# In messages


def json_type(value: object) -> str:
    """The JSON name of a value's type, with its article: "a list", "null"."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a string"
    return "a list" if isinstance(value, list) else "an object"


def quoted(text: str) -> str:
    """``text`` as JSON writes it, cut where it gets long."""
    return dumps(cut(text))


def shown(value: object) -> str:
    """A scalar as JSON writes it; the type of anything larger."""
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, dict | list):
        return json_type(value)
    try:
        return cut(dumps(value))
    except ValueError:  # Python writes no number of more than 4,300 digits
        return json_type(value)
