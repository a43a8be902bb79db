"""The default log: the newest ``workbench run`` of a project."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from workbench.io.state_folder import StateFolder

# In the state folder: the log of the newest run, under a second name.
RUN_LOG: Final = "run.log"
# Beside it: the misses of the last session of pytest, and the fixtures that its mocks used.
PYTEST_LOG: Final = "pytest.log"
USED_LOG: Final = "pytest-used.log"
# As people who start a stub server themselves name its log.
SUITE_LOGS: Final = ("mock-llm.log", "mock_llm.log")
_MOST_SECONDS: Final = 7 * 24 * 3600


def newest_log(start: Path) -> Path | None:
    """The log of the newest ``workbench run`` of the project around ``start``, else
    ``mock-llm.log`` in ``start`` or in the project's folder; None if there is none.
    """
    state_folder = StateFolder.locate(start)
    folders = dict.fromkeys((start.absolute(), state_folder.path.parent))
    logs = [folder / name for folder in folders for name in SUITE_LOGS]
    # Where a file system has no links, the logs have only their own names.
    runs = sorted(state_folder.path.glob(run_log_name("*")), key=_written, reverse=True)
    return next((log for log in (state_folder.path / RUN_LOG, *runs, *logs) if log.exists()), None)


def naming(log: str, folder: Path | None = None) -> list[str]:
    """The words that name a log to a command in ``folder``, by default the working folder; none if
    the command finds the log without them.
    """
    here = folder or Path.cwd()
    newest, path = newest_log(here), here / log
    is_newest = newest is not None and path.exists() and newest.samefile(path)
    return [] if is_newest else ["--log", log]


def _written(log: Path) -> float:
    with contextlib.suppress(OSError):
        return log.stat().st_mtime
    return 0.0


def run_log_name(port: int | str) -> str:
    """The name of the log of a run whose server has this port: two runs at a time have two."""
    return f"run-{port}.log"


def begin_run_log(log: Path) -> None:
    """Make an empty log for a run. ``run.log`` stays the log of the run before. Logs of runs that
    ended long ago are deleted.

    Raises:
        OSError: the log cannot be written.
    """
    for old in log.parent.glob(run_log_name("*")):
        if time.time() - _written(old) > _MOST_SECONDS:
            old.unlink(missing_ok=True)
    newest = log.with_name(RUN_LOG)
    if newest.is_symlink() and shown_run_log(log) == newest:
        log.replace(newest)
    log.unlink(missing_ok=True)
    os.close(os.open(log, os.O_WRONLY | os.O_CREAT, 0o600))  # it will hold requests


def make_newest(log: Path) -> None:
    """Make ``run.log`` a second name of the log of a run, whose command has started. A file system
    without links just has no ``run.log``.
    """
    newest = log.with_name(RUN_LOG)
    beside = log.with_name(f"{log.name}.new")
    with contextlib.suppress(OSError):
        beside.unlink(missing_ok=True)
        try:
            # A second name, not a pointer: it stays right when the first is gone, and works where
            # symbolic links need a privilege.
            os.link(log, beside)
        except OSError:
            beside.symlink_to(log.name)
        beside.replace(newest)


def shown_run_log(log: Path) -> Path:
    """``run.log`` if it is the log of the newest run, else ``log`` itself."""
    newest = log.with_name(RUN_LOG)
    with contextlib.suppress(OSError):
        if newest.samefile(log):
            return newest
    return log
