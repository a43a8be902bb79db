"""How the Gemini API lists models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from workbench.core.apis.models import ModelLists

_PREFIX: Final = "models/"
_METHODS: Final = ("generateContent", "countTokens")
# Those of gemini-2.5: clients compare prompts with them.
_INPUT_TOKENS: Final = 1_048_576
_OUTPUT_TOKENS: Final = 65_536


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_single(name) for name in names]}


def _single(name: str) -> dict[str, Any]:
    return {
        "name": _PREFIX + name.removeprefix(_PREFIX),
        "version": "001",
        "displayName": name,
        "inputTokenLimit": _INPUT_TOKENS,
        "outputTokenLimit": _OUTPUT_TOKENS,
        "supportedGenerationMethods": list(_METHODS),
    }


MODELS: Final = ModelLists(_several, _single)
