"""Symbolic links among the fixtures: what a save may write through them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from workbench.io.state_folder import project_folder


def refuse_stray_link(path: Path) -> None:
    """Raise OSError where ``path`` is a link through which a save would leave the project: to
    nothing, so that a file would be created there, or to a file outside.

    The project is the nearest folder upwards with a ``pyproject.toml`` or ``.git``, or else the
    folder above that of ``path``. The folders of ``path`` may be links themselves.
    """
    if not path.is_symlink():
        return
    what = f"{path.name[:12]}… is a symbolic link"
    target = Path(os.path.realpath(path))
    if not target.exists():
        raise OSError(errno.ENOENT, f"{what} to a file that does not exist", str(path))
    folders = (path.parent.absolute(), path.parent.resolve())
    projects = [project_folder(folder) or folder.parent for folder in folders]
    if not any(target.is_relative_to(project.resolve()) for project in projects):
        raise OSError(errno.EPERM, f"{what} to a file outside the project", str(path))
