"""State of a user across projects: the theme, and a mark that the welcome was shown.

Errors are ignored: without this state the application starts as for the first time.
"""

from __future__ import annotations

import contextlib
from pathlib import Path


def is_first_start() -> bool:
    """True if this user starts the application for the first time. Remembers the start."""
    mark = _folder() / "welcomed"
    try:
        if mark.exists():
            return False
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        return False
    return True


def kept_theme() -> str:
    """The name of the theme chosen last; "" if none was."""
    try:
        return (_folder() / "theme").read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def keep_theme(name: str) -> None:
    """Remember a theme for the next start."""
    path = _folder() / "theme"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n", "utf-8")


def _folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("workbench", appauthor=False))
