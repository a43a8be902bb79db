"""``.workbench``: the folder for everything that is not a fixture."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path
from typing import NamedTuple

from workbench.io.files.atomic import write_atomic
from workbench.io.files.path_text import no_folder

NAME = ".workbench"
# Files that mark the top folder of a project.
_PROJECT_MARKS = ("pyproject.toml", ".git")


class StateFolder(NamedTuple):
    """The folder at ``path``; created when something is written into it."""

    path: Path

    @classmethod
    def locate(cls, start: Path) -> StateFolder:
        """The state folder beside the nearest ``pyproject.toml`` or ``.git`` from ``start``
        upwards, or else in ``start``.
        """
        start = start.absolute()
        return cls((project_folder(start) or start) / NAME)

    @property
    def drafts(self) -> Path:
        return self.path / "drafts"

    @property
    def cache(self) -> Path:
        """Data that can be computed again."""
        return self.path / "cache"

    @property
    def recordings(self) -> Path:
        return self.path / "runs"

    @property
    def evals(self) -> Path:
        """Reports of golden queries."""
        return self.path / "evals"

    @property
    def rekeyed(self) -> Path:
        """By which words the requests of re-keyed fixtures were changed."""
        return self.path / "rekeyed.json"

    def ensure(self) -> Path:
        """Create the folder unless it exists, for its owner only and ignored by git. To be called
        before anything is written into it.

        Raises:
            OSError: it cannot be created.
        """
        make_folder(self.path, 0o700)
        ignore = self.path / ".gitignore"
        if not ignore.exists():
            with contextlib.suppress(FileExistsError):
                write_atomic(ignore, b"*\n", create=True)
        return self.path


def project_folder(start: Path) -> Path | None:
    """The nearest folder with a ``pyproject.toml`` or ``.git``, from ``start`` (absolute) upwards;
    None if there is none.
    """
    folders = (start, *start.parents)
    return next((f for f in folders if any(os.path.lexists(f / m) for m in _PROJECT_MARKS)), None)


def make_folder(path: Path, mode: int = 0o777) -> None:
    """Create a folder and its parents, unless it exists.

    Raises:
        NotADirectoryError: a file, or a link to nothing, has its name.
        OSError: it cannot be created.
    """
    try:
        path.mkdir(mode, parents=True, exist_ok=True)
    except FileExistsError:
        raise NotADirectoryError(errno.ENOTDIR, no_folder(path), str(path)) from None


def rotate(file: Path, max_bytes: int) -> None:
    """Rename a file larger than ``max_bytes`` to ``<name>.1``, replacing an older one. Raises
    OSError.
    """
    with contextlib.suppress(FileNotFoundError):
        if file.stat().st_size > max_bytes:
            file.replace(file.with_name(f"{file.name}.1"))
