"""Reads the fields of Gemini's JSON objects, which clients write in camelCase or in snake_case.

A value of a wrong type counts as absent.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any


def field(value: object, name: str) -> Any:
    """The value of a field whose name is in camelCase, or None."""
    if not isinstance(value, dict):
        return None
    member = value.get(name)
    return value.get(_snake_case(name)) if member is None else member


@lru_cache
def _snake_case(name: str) -> str:
    return re.sub("(?=[A-Z])", "_", name).lower()


def text(value: object, name: str) -> str:
    """The text of a field, or ""."""
    member = field(value, name)
    return member if isinstance(member, str) else ""


def objects(value: object, name: str) -> list[dict[str, Any]]:
    """The objects of a list; a single object counts as a list of one, as the API reads it."""
    member = field(value, name)
    items = member if isinstance(member, list) else [member]
    return [item for item in items if isinstance(item, dict)]


def camel_keys(value: dict[str, Any]) -> dict[str, Any]:
    """An object with its keys in camelCase. Those of the objects inside stay as they are."""
    return {_camel_case(key): item for key, item in value.items()}


@lru_cache
def _camel_case(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name)
