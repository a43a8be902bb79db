"""How the Ollama API lists models, and tells of itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any, Final

from workbench.core.apis.models import ModelLists

VERSION: Final = "0.20.0"
_MODIFIED: Final = "1970-01-01T00:00:00Z"
_EXPIRES: Final = "9999-12-31T23:59:59Z"
_SIZE: Final = 4_000_000_000
_CONTEXT: Final = 131_072
_DETAILS: Final = {
    "parent_model": "",
    "format": "gguf",
    "family": "workbench",
    "families": ["workbench"],
    "parameter_size": "8B",
    "quantization_level": "Q4_K_M",
}
# Some clients look in the template for whether a model takes tools.
_TEMPLATE: Final = "{{ .System }} {{ .Tools }} {{ .Prompt }} {{ .Response }}"


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_listed(name) for name in names]}


def _listed(name: str) -> dict[str, Any]:
    """A model, which is loaded, too."""
    return {
        "name": name,
        "model": name,
        "modified_at": _MODIFIED,
        "size": _SIZE,
        "digest": hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest(),
        "details": _DETAILS,
        "expires_at": _EXPIRES,
        "size_vram": _SIZE,
        "context_length": _CONTEXT,
    }


def _single(name: str) -> dict[str, Any]:  # noqa: ARG001
    """What is shown of any model: the name is in the body of the request, and not in the reply."""
    return {
        "license": "",
        "modelfile": "",
        "parameters": "",
        "template": _TEMPLATE,
        "details": _DETAILS,
        "model_info": {
            "general.architecture": "workbench",
            "general.parameter_count": 8_000_000_000,
            "workbench.context_length": _CONTEXT,
            "workbench.embedding_length": 768,
        },
        "capabilities": ["completion", "tools", "vision", "thinking", "embedding"],
        "modified_at": _MODIFIED,
    }


MODELS: Final = ModelLists(_several, _single)
