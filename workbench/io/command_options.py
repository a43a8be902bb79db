"""The options with which commands find the logs and the fixtures of a server."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from workbench.core.user_error import SettingsError
from workbench.io.files.path_text import shown
from workbench.io.logs.newest_log import SUITE_LOGS, naming, shown_run_log


def finding(logs: Sequence[str], fixtures: Path, here: Path | None = None) -> list[str]:
    """The options with which commands find logs and a folder, none where they do without.

    Args:
        logs: files and patterns, as the commands take them.
        here: the folder in which the commands are typed, by default the working folder.
    """
    log_options = [option for log in logs for option in naming(log, here)]
    return [*log_options, *naming_folder(fixtures, logs, here)]


def opening(log: Path, fixtures: Path) -> list[str]:
    """The same for the terminal application, which prefers a log in the working folder."""
    name = named(log)
    options = ["--log", name] if any(map(os.path.exists, SUITE_LOGS)) else naming(name)
    return [*options, *naming_folder(fixtures, [name])]


def named(log: Path) -> str:
    """The log of a server as commands take it."""
    return os.fspath(shown(shown_run_log(log)))


def naming_folder(fixtures: Path, logs: Sequence[str] = (), here: Path | None = None) -> list[str]:
    """The option that names a fixtures folder to a command; none if the command finds the folder
    without it, with the present variables and without any: in the settings, or else in the logs.

    Args:
        logs: that the command reads.
        here: as for ``finding``.
    """
    folder = here or Path.cwd()
    # A variable may be set for one command only.
    environments: tuple[Mapping[str, str], ...] = (os.environ, {})
    usual = (_usual_folder(logs, folder, environ) for environ in environments)
    if all(path and os.path.realpath(path) == os.path.realpath(fixtures) for path in usual):
        return []
    return ["--fixtures", os.fspath(shown(fixtures, here))]


def _usual_folder(logs: Sequence[str], here: Path, environ: Mapping[str, str]) -> Path | None:
    """The fixtures folder of a command without the option; None if it refuses its settings."""
    # Not needed for a help text.
    from workbench.io.logs.log_files import expand
    from workbench.io.logs.server_of_log import named_server
    from workbench.io.settings import Settings

    server = named_server(expand([os.fspath(here / log) for log in logs if log != "-"]))
    in_log = None if server is None else server.folder
    defaults = {"fixtures": in_log} if in_log else None
    try:
        return here / Settings.resolve(defaults=defaults, environ=environ, start=here).fixtures
    except SettingsError:
        return None
