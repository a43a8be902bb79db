"""The options with which commands find the log and the fixtures of a server."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.core.user_error import SettingsError
from workbench.io.files.path_text import shown
from workbench.io.logs.newest_log import SUITE_LOGS, naming, shown_run_log
from workbench.io.settings import Settings


def finding(log: Path, fixtures: Path) -> list[str]:
    """The options with which commands find a log and a folder, none where they do without."""
    return [*naming(os.fspath(shown(shown_run_log(log)))), *_naming_folder(fixtures)]


def opening(log: Path, fixtures: Path) -> list[str]:
    """The same for the terminal application, which prefers a log in the working folder."""
    name = os.fspath(shown(shown_run_log(log)))
    named = ["--log", name] if any(map(os.path.exists, SUITE_LOGS)) else naming(name)
    return [*named, *_naming_folder(fixtures)]


def _naming_folder(fixtures: Path) -> list[str]:
    # A folder that exists is taken from the log.
    if fixtures.exists() or fixtures.absolute() == _default_folder():
        return []
    return ["--fixtures", os.fspath(shown(fixtures))]


def _default_folder() -> Path | None:
    try:
        return Settings.resolve().fixtures.absolute()
    except SettingsError:
        return None
