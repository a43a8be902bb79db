"""How APIs list models, of which nothing but the name is known; every name is a model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple


class ModelLists(NamedTuple):
    """The JSON in which an API lists models.

    Attributes:
        several: of a list of names.
        single: of one name.
    """

    several: Callable[[Iterable[str]], dict[str, Any]]
    single: Callable[[str], dict[str, Any]]


def _openai_list(names: Iterable[str]) -> dict[str, Any]:
    return {"object": "list", "data": [_openai_model(name) for name in names]}


def _openai_model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "workbench"}


OPENAI: Final = ModelLists(_openai_list, _openai_model)
