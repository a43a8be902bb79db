"""Values of any type, as they are read: one of a wrong type counts as absent."""

from __future__ import annotations

import re
from typing import Any, TypeGuard


def string(value: object) -> str:
    return value if isinstance(value, str) else ""


def mapping(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def sequence(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def mappings(value: object) -> list[dict[str, Any]]:
    return [item for item in sequence(value) if isinstance(item, dict)]


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a number: True and False are ints in Python alone."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def type_name(value: object) -> str:
    """The type of a tool or an item, as a log may have it."""
    is_name = isinstance(value, str) and re.fullmatch(r"[\w.-]{1,60}", value, re.ASCII)
    return str(value) if is_name else "of an unknown type"
