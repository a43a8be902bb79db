"""Words that the sentences of several places share."""

from __future__ import annotations

import contextlib
from pathlib import Path


def counted(number: int, noun: str) -> str:
    """``1 draft``, ``1,200 drafts``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def shown(path: Path) -> Path:
    """``path`` as short as it can be copied: relative where it is below the working directory."""
    with contextlib.suppress(ValueError):
        return path.absolute().relative_to(Path.cwd())
    return path


def cannot_write(path: Path, error: OSError) -> str:
    """``cannot write to fixtures: permission denied``: a part of a sentence."""
    reason = "it is a file" if isinstance(error, FileExistsError) else error.strerror or str(error)
    return f"cannot write to {shown(path)}: {reason[:1].lower()}{reason[1:]}"
