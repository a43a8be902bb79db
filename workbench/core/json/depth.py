"""How deeply JSON may be nested."""

from __future__ import annotations

MAX_DEPTH = 300
"""How deeply the JSON of a fixture may be nested; that of a request, which it holds, one less."""


def is_too_deep(text: str | bytes, value: object, most: int = MAX_DEPTH) -> bool:
    """True if ``value``, read from JSON ``text``, is nested deeper than ``most``."""
    if isinstance(text, str):
        opened = text.count("{") + text.count("[")
    else:
        opened = text.count(b"{") + text.count(b"[")
    if opened <= most:
        return False
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(most):
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True
