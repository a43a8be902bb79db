"""Paths as they are shown in sentences."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def shown(path: Path, here: Path | None = None) -> Path:
    """``path``, relative if it is below the folder ``here``, by default the working directory."""
    with contextlib.suppress(ValueError):
        return path.absolute().relative_to(here or Path.cwd())
    return path


def end_of(path: Path, width: int) -> str:
    """``path`` as in ``shown``; of a longer one than ``width`` the end: ``…/fixtures``."""
    name = str(shown(path))
    if len(name) <= width:
        return name
    end = name[-width + 1 :]
    return "…" + end[max(end.find(os.sep), 0) :]


def cannot_write(path: Path, error: OSError) -> str:
    """``cannot write to fixtures: permission denied``: part of a sentence."""
    reason = no_folder(path) if isinstance(error, FileExistsError) else reason_of(error)
    return f"cannot write to {shown(path)}: {reason}"


def no_folder(path: Path) -> str:
    """``it is a file``: why no folder can be made at ``path``, which is taken."""
    if path.is_symlink() and not path.exists():
        return "it is a link to a folder that does not exist"
    return "it is a file"


def reason_of(error: OSError) -> str:
    """``permission denied``: the reason of an error without its file."""
    reason = error.strerror or str(error)
    return f"{reason[:1].lower()}{reason[1:]}"


def error_text(error: OSError) -> str:
    """``fixtures: permission denied``: the file of an error, if it has one, and its reason."""
    reason = reason_of(error)
    if not error.filename or not isinstance(error.filename, str | bytes):
        return reason
    return f"{shown(Path(os.fsdecode(error.filename)))}: {reason}"


def why_unreadable(error: Exception) -> str:
    """``run.jsonl: No such file or directory`` for a file, else the text of the error."""
    if isinstance(error, OSError) and error.filename:
        return f"{os.path.basename(error.filename)}: {error.strerror}"
    return str(error)
