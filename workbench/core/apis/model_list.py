"""The models that clients list and look up, of which nothing but the name is known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

MODELS: Final = "/models"
"""The path of the list, after the base URL; followed by a slash and a name, that of one model."""


def model(name: str) -> dict[str, Any]:
    """The reply to a request for one model; every name has one."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


def model_list(names: Iterable[str]) -> dict[str, Any]:
    """The reply to a request for the list."""
    return {"object": "list", "data": [model(name) for name in names]}
