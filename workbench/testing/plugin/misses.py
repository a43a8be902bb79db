"""The misses of a test session, told at its end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from workbench.core import shell
from workbench.core.digest import is_digest, short

_MOST_SHOWN: Final = 20


def summary(
    misses: Mapping[str, list[dict[str, Any]]], log: Path, fixtures: Path, here: Path
) -> Iterable[str]:
    """The misses for the terminal: each digest once, with what came nearest; and each path that is
    not spoken here, with what to switch to.

    Args:
        misses: by digest, or method and path: ``{"test", "reason"}`` of each.
    """
    for number, (request, seen) in enumerate(misses.items()):
        if number == _MOST_SHOWN:
            yield f"… and {len(misses) - number} more"
            break
        more = f" and {len(seen) - 1} more" if len(seen) > 1 else ""
        name = short(request) if is_digest(request) else request
        yield f"{name}  {seen[0]['test']}{more}"
        yield f"    {seen[0]['reason']}"
    words = ["workbench", "--log", _shown(log, here), "--fixtures", _shown(fixtures, here)]
    what = "Answer them" if any(map(is_digest, misses)) else "See them"
    yield f"{what}: {shell.command(words)}"


def _shown(path: Path, here: Path) -> str:
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
