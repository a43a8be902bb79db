"""Reads the fields of Gemini's JSON objects, which clients write in camelCase or in snake_case.

A value of a wrong type counts as absent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any


def field(value: object, name: str) -> Any:
    """The value of a field, named in camelCase; None where there is none."""
    if not isinstance(value, dict):
        return None
    found = value.get(name)
    return value.get(_snake_case(name)) if found is None else found


@lru_cache
def _snake_case(name: str) -> str:
    return re.sub("(?=[A-Z])", "_", name).lower()


def text(value: object, name: str) -> str:
    """The text of a field, or ""."""
    found = field(value, name)
    return found if isinstance(found, str) else ""


def objects(value: object, name: str) -> list[dict[str, Any]]:
    """The objects of a list; a single object counts as a list of one, as the API reads it."""
    found = field(value, name)
    given = found if isinstance(found, list) else [found]
    return [item for item in given if isinstance(item, dict)]


def camel_keys(value: dict[str, Any]) -> dict[str, Any]:
    """An object with its keys in camelCase. Those of the objects inside stay as they are."""
    return {_camel_case(key): item for key, item in value.items()}


@lru_cache
def _camel_case(name: str) -> str:
    return re.sub("_([a-z])", lambda found: found[1].upper(), name)
