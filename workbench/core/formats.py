"""Checks values against our formats with pydantic.

A format is a dataclass or a pydantic model. pydantic is loaded when the first value is checked:
programs that only write start without it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.core.json.values import json_type

if TYPE_CHECKING:
    from pydantic import TypeAdapter
    from pydantic_core import ErrorDetails

T = TypeVar("T")

# Building one takes milliseconds.
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}

# The expected JSON type by pydantic's type of error, whose own messages name Python's types.
_EXPECTED = {
    "dataclass_type": "an object",
    "model_type": "an object",
    "dict_type": "an object",
    "list_type": "a list",
    "tuple_type": "a list",
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "a string",
    "bool_type": "true or false",
}


class FormatError(ValueError):
    """A value with an invalid format; the message has the place and the reason."""


def parse_json(data: bytes) -> Any:
    """The JSON value in a file, or in a line of one. Raises FormatError."""
    try:
        return json.loads(data)
    except UnicodeDecodeError as error:
        raise FormatError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise FormatError(f"not JSON: {error.msg} at {line}column {error.colno}") from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}") from None


def checked(kind: type[T], value: object, at: str = "") -> T:
    """Read ``value``, as ``json.loads`` returns it, as an instance of ``kind``.

    Unknown keys are ignored.

    Args:
        at: the place of ``value`` in its document, for the message.

    Raises:
        FormatError: it does not have that format; the text has the place of the first problem, such
            as ``queries[0].runs[1].passed is missing``.
    """
    from pydantic import TypeAdapter, ValidationError

    adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
    try:
        instance: T = adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise FormatError(f"{_place(first['loc'], at) or 'it'} {_problem(first)}") from None
    return instance


def _problem(error: ErrorDetails) -> str:
    """The problem, as the end of a sentence that begins with the place."""
    if error["type"] == "missing":
        return "is missing"
    expected, actual = _EXPECTED.get(error["type"]), json_type(error["input"])
    if expected is None:
        return error["msg"].removeprefix("Input ")
    return "is too large" if expected == actual else f"should be {expected}, not {actual}"


def _place(loc: Iterable[str | int], at: str = "") -> str:
    """A path of keys and indices as text: ``queries[0].id``, after ``at``."""
    text = at
    for part in loc:
        if part == "[key]":  # pydantic's word for a key that is wrong itself
            continue
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
