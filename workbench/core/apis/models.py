"""The models that clients list and look up: nothing is known of them but their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

MODELS: Final = "/models"
"""The path of the list, after the base URL; behind it and a slash the path of one model."""


def model(name: str) -> dict[str, Any]:
    """The reply to a request for one model: there is any that is asked for."""
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


def model_list(names: Iterable[str]) -> dict[str, Any]:
    """The reply to a request for the list."""
    return {"object": "list", "data": [model(name) for name in names]}
