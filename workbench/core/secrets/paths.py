"""Paths of URLs, as they may be logged and shown."""

from __future__ import annotations

from typing import Final

# No key is shorter than this.
_SHORTEST_KEY: Final = 20


def without_keys(path: str) -> str:
    """``path`` with ``...`` in place of its parameters and of what looks like a key or token."""
    may_be_named = any(sign in path for sign in ("=", "%3", "@", "%40"))
    if max(map(len, path.split("/"))) < _SHORTEST_KEY and not may_be_named:
        return path
    # Most paths are short; the patterns of keys take long to load.
    from workbench.core.secrets import scan as secrets
    from workbench.core.secrets.names import path_masked

    path = path_masked(path)

    for secret in reversed(secrets.find(path)):
        path = f"{path[: secret.start]}...{path[secret.end :]}"
    return path
