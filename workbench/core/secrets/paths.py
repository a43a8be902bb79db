"""Paths of URLs, as they may be logged and shown."""

from __future__ import annotations

from typing import Final

# No key is shorter than this.
_SHORTEST_KEY: Final = 20


def without_keys(path: str) -> str:
    """``path`` with ``...`` in place of its parameters and of what looks like a key or token."""
    has_parameters = "=" in path or "%3" in path
    if max(map(len, path.split("/"))) < _SHORTEST_KEY and not has_parameters:
        return path
    # Most paths are short; the patterns of keys take long to load.
    from workbench.core.secrets import scan as secrets
    from workbench.core.secrets.names import path_masked

    path = path_masked(path)

    for secret in reversed(secrets.find(path)):
        path = f"{path[: secret.start]}...{path[secret.end :]}"
    return path
