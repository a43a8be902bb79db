"""State and arguments as JSON values, with dates, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any, Final

from workbench.testing.mocks.replies import fields_of

__tracebackhide__ = True  # failed tests show their own frames

# A date is an object with one of these keys alone. An object of the application that looks like one
# gets a second mark before its key.
_MARK: Final = "$"
_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "$datetime": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$time": time.fromisoformat,
}


class NotAValueError(TypeError):
    """A value has no JSON form. The message contains its place."""


def encode(value: Any, where: str = "value", *, exact: bool = False) -> Any:
    """``value`` as JSON has it. Tuples become lists; dates and times are marked. Pydantic models
    and dataclasses become objects, and ``decode`` does not restore them; ``exact`` refuses them.

    Raises:
        NotAValueError: for anything else, and for NaN and keys that are not strings.
    """
    try:
        return _encode(value, where, exact)
    except RecursionError:
        raise NotAValueError(f"{where} is nested too deeply, or contains itself") from None


def decode(value: Any) -> Any:
    """The original of an encoded value, with lists for tuples.

    Raises:
        ValueError: a value marked as a date is not one.
    """
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((key, item),) = value.items()
        if key in _READERS and isinstance(item, str):
            return _READERS[key](item)
        if key.startswith(_MARK * 2):
            return {key[1:]: decode(item)}
    return {key: decode(item) for key, item in value.items()}


def _encode(value: Any, where: str, exact: bool) -> Any:
    match value:
        case float() if not math.isfinite(value):
            raise NotAValueError(f"{where} must be a JSON value, got {value}")
        case None | bool() | int() | float() | str():
            return value
        case datetime():
            return {"$datetime": value.isoformat()}
        case date():
            return {"$date": value.isoformat()}
        case time():
            return {"$time": value.isoformat()}
        case list() | tuple():
            return [_encode(item, f"{where}[{i}]", exact) for i, item in enumerate(value)]
        case dict():
            return _encode_object(value, where, exact)
    fields = None if exact else fields_of(value)
    if fields is not None:
        return _encode(fields, where, exact)
    kind = type(value).__name__
    raise NotAValueError(f"{where} must be a JSON value, a date or a time, got {kind}")


def _encode_object(value: dict[Any, Any], where: str, exact: bool) -> dict[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise NotAValueError(f"{where} must have strings as keys, got {key!r}")
    looks_marked = len(value) == 1 and next(iter(value)).startswith(_MARK)
    return {
        (_MARK + key if looks_marked else key): _encode(item, f"{where}.{key}", exact)
        for key, item in value.items()
    }
