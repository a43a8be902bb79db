"""State and arguments as JSON values, dates included, and back."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any, Final

# What stands for a date is an object with one of these keys alone; an object of the application
# that looks like one gets another mark in front.
_MARK: Final = "$"
_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "$datetime": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$time": time.fromisoformat,
}


class NotAValueError(TypeError):
    """Something that is neither a JSON value nor a date; the text says where it is."""


def encode(value: Any, where: str = "value", *, exact: bool = False) -> Any:
    """``value`` as JSON has it. Tuples become lists; dates and times are marked. Pydantic models
    and dataclasses become objects, and ``decode`` leaves them so.

    Args:
        exact: refuse models and dataclasses.

    Raises:
        NotAValueError: for anything else, NaN and keys that are no strings too.
    """
    try:
        return _encode(value, where, exact)
    except RecursionError:
        raise NotAValueError(f"{where} is nested too deeply, or holds itself") from None


def decode(value: Any) -> Any:
    """What ``encode`` made ``value`` of, with lists for tuples.

    Raises:
        ValueError: a mark stands before something that is no date.
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
        case None | bool() | int() | str():
            return value
        case float():
            if value != value or value in (float("inf"), float("-inf")):
                raise NotAValueError(f"{where} is {value}, which JSON has not")
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
    fields = None if exact else _fields(value)
    if fields is not None:
        return _encode(fields, where, exact)
    raise NotAValueError(
        f"{where} is a {type(value).__name__}: JSON values, dates and times can be kept"
    )


def _encode_object(value: dict[Any, Any], where: str, exact: bool) -> dict[str, Any]:
    for key in value:
        if not isinstance(key, str):
            raise NotAValueError(f"{where} has the key {key!r}, which is no string")
    looks_marked = len(value) == 1 and next(iter(value)).startswith(_MARK)
    return {
        (_MARK + key if looks_marked else key): _encode(item, f"{where}.{key}", exact)
        for key, item in value.items()
    }


def _fields(value: Any) -> Any:
    """What a pydantic model or a dataclass holds; None for another object."""
    if hasattr(type(value), "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None
