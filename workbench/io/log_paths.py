"""Which logs a command line means."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path


def expand(patterns: Sequence[str]) -> list[Path]:
    """The log files that names and patterns mean, each file once, in the order given.

    A pattern that matches nothing is a file to wait for, as it is written.
    """
    found: dict[str, Path] = {}
    for pattern in patterns:
        for path in _matches(pattern):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _matches(pattern: str) -> list[Path]:
    # A file may have brackets in its name.
    if not os.path.lexists(pattern):
        matches = sorted(glob.glob(pattern, recursive=True))
        if files := [Path(match) for match in matches if not os.path.isdir(match)]:
            return files
    return [Path(pattern)]
