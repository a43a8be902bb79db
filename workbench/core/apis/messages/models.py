"""How the Messages API lists models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from workbench.core.apis.models import ModelLists

_CREATED: Final = "1970-01-01T00:00:00Z"


def _several(names: Iterable[str]) -> dict[str, Any]:
    models = [_single(name) for name in names]
    first, last = (models[0]["id"], models[-1]["id"]) if models else (None, None)
    return {"data": models, "has_more": False, "first_id": first, "last_id": last}


def _single(name: str) -> dict[str, Any]:
    return {"type": "model", "id": name, "display_name": name, "created_at": _CREATED}


MODELS: Final = ModelLists(_several, _single)
