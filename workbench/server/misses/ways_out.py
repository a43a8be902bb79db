"""The commands that answer a request of this server, for the error that it gets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from workbench.core.answering.unanswered import promote_command, rekey_command, run_command
from workbench.core.fixture.names import digest_of
from workbench.core.requests.view import RequestView
from workbench.core.user_error import SettingsError
from workbench.io.files.path_text import shown
from workbench.io.logs.newest_log import naming, shown_run_log
from workbench.io.settings import Settings


def ways_out(
    request: RequestView, log: Path | None, fixtures: Path, test: str, stale: str
) -> Iterator[str]:
    """A line for each command, the best one first.

    Args:
        log: of the server; None if it has only standard error, where commands do not find requests.
        fixtures: the folder of the server.
        test: that sent the request, or "".
        stale: the name of the fixture that the request had before volatile text changed, or "".
    """
    options = [] if log is None else _options(log, fixtures)
    if log is not None and stale:
        yield f"Move the fixture: {rekey_command(digest_of(stale), request.digest, options)}"
    promote = "" if log is None else promote_command(request, options)
    if promote:
        yield f"Answer it: {promote}"
    begin = "Or answer it while the test waits" if promote else "Answer it"
    # A test name may also be the name in a base URL; only a test file can be run.
    if "::" in test and os.path.isfile(test.partition("::")[0]):
        yield f"{begin}: {run_command(test)}"
    elif not promote:
        yield f"{begin}: {run_command()} (or the command of your suite)"


def _options(log: Path, fixtures: Path) -> list[str]:
    """The options with which commands find the log and the folder, none where they do without."""
    named = naming(os.fspath(shown(shown_run_log(log))))
    # A folder that exists is taken from the log.
    if fixtures.exists() or fixtures == _default_folder():
        return named
    return [*named, "--fixtures", os.fspath(shown(fixtures))]


def _default_folder() -> Path | None:
    try:
        return Settings.resolve().fixtures
    except SettingsError:
        return None
