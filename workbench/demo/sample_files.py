"""Installs the sample fixtures, recordings and reports of golden queries."""

from __future__ import annotations

import contextlib
from importlib import resources
from pathlib import Path

from workbench.io.files.atomic import write_atomic
from workbench.io.state_folder import StateFolder


def install_fixtures(folder: Path) -> int:
    """Copy the sample fixtures into ``folder``; returns how many. Existing files are not changed.
    Raises OSError if the folder cannot be written.
    """
    return _copy("fixtures", folder)


def install_records(state: StateFolder) -> None:
    """Copy a recording with a fork of it, and the reports of golden queries of three days, into
    a state folder. Existing files are not changed. Raises OSError if it cannot be written.
    """
    state.ensure()
    _copy("runs", state.recordings)
    _copy("evals", state.evals)


def _copy(name: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    copied = 0
    for entry in (resources.files("workbench.demo") / "samples" / name).iterdir():
        with contextlib.suppress(FileExistsError):
            write_atomic(folder / entry.name, entry.read_bytes(), create=True)
            copied += 1
    return copied
