"""What is kept for a user, whatever the project: the hint was shown, the theme that was chosen.

None of it is worth an error: where it cannot be kept, it is as on the first day.
"""

from __future__ import annotations

import contextlib
from pathlib import Path


def is_first_start() -> bool:
    """Whether this user never started the application before; from now on, they did."""
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
    """The name of the theme that was chosen last; "" for none."""
    try:
        return (_folder() / "theme").read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""


def keep_theme(name: str) -> None:
    """Begin with this theme from now on."""
    path = _folder() / "theme"
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name}\n", "utf-8")


def _folder() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("workbench", appauthor=False))
