"""Checking values against our formats with pydantic.

A format is a dataclass or a pydantic model. pydantic is loaded when the first value is checked, so
that programs which only write, or read nothing of ours, start without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")

# Building one takes milliseconds.
_ADAPTERS: dict[type, TypeAdapter[Any]] = {}

# Errors of pydantic, by type, whose own messages speak of Python instead of JSON.
_MESSAGES = {
    "missing": "missing",
    "dataclass_type": "should be an object",
    "model_type": "should be an object",
    "dict_type": "should be an object",
    "list_type": "should be a list",
}


class FormatError(ValueError):
    """A value that does not have its format; the text says where and why."""


def checked(kind: type[T], value: object) -> T:
    """Read ``value``, as ``json.loads`` returns it, as an instance of ``kind``.

    Unknown keys are ignored.

    Raises:
        FormatError: it does not have that format; the first problem is named by its place, such as
            ``queries[0].runs[1].passed``.
    """
    from pydantic import TypeAdapter, ValidationError

    adapter = _ADAPTERS.get(kind) or _ADAPTERS.setdefault(kind, TypeAdapter(kind))
    try:
        found: T = adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        message = _MESSAGES.get(first["type"]) or first["msg"][:1].lower() + first["msg"][1:]
        where = place(first["loc"])
        raise FormatError(f"{where}: {message}" if where else message) from None
    return found


def place(loc: Iterable[str | int]) -> str:
    """A path of keys and indices as text: ``queries[0].id``."""
    text = ""
    for part in loc:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
