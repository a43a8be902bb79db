"""How Cohere's API lists models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from workbench.core.apis.models import ModelLists


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_single(name) for name in names]}


def _single(name: str) -> dict[str, Any]:
    endpoints = ["embed"] if name.startswith("embed-") else ["chat"]
    return {"name": name, "endpoints": endpoints, "finetuned": False}


MODELS: Final = ModelLists(_several, _single)
