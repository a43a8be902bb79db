"""Query git about a folder: is it in a repository, and which of its files are committed."""

from __future__ import annotations

import subprocess
from pathlib import Path


def is_in_repository(folder: Path) -> bool:
    """True if a folder is in a working tree of git."""
    folder = folder.absolute()
    return any((each / ".git").exists() for each in (folder, *folder.parents))


def committed_files(folder: Path) -> frozenset[str]:
    """The names of the files in ``folder`` that are in the last commit and unchanged since; empty
    without a commit, a repository or git.
    """
    tracked = _names(folder, "ls-files", "-z", "-v", "--", ".")
    changed = _names(folder, "diff", "-z", "--name-only", "--relative", "HEAD", "--", ".")
    if tracked is None or changed is None:
        return frozenset()
    # Git checks only files with the tag H for changes, not files that are assumed unchanged
    # (h, S).
    looked_at = (name.removeprefix("H ") for name in tracked if name.startswith("H "))
    return frozenset(looked_at) - changed


def _names(folder: Path, *words: str) -> frozenset[str] | None:
    """The names that a command of git prints; None where it fails."""
    try:
        ran = subprocess.run(
            ["git", "--no-optional-locks", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    names = ran.stdout.decode("utf-8", "surrogateescape").split("\0")
    return frozenset(filter(None, names))
