"""Detect a screen for the terminal application, and the alternatives without one."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from workbench.cli.logs import session_of
from workbench.core.text import shell
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt
from workbench.core.user_error import UserError
from workbench.io.files.path_text import shown
from workbench.io.logs.log_files import expand
from workbench.io.logs.newest_log import naming, newest_log

COMMANDS_SHOWN = 20
# First supported and first unsupported major version; as in pyproject.toml.
TEXTUAL_VERSIONS = (8, 9)
_COLOUR_SYSTEMS = ("auto", "standard", "256", "truecolor", "windows")


def check_screen() -> None:
    """Check what Textual would fail on once something is drawn. Raises UserError."""
    _check_textual()
    _check_environment()


def _check_textual() -> None:
    """Check the version of Textual, which is in the name of the folder with its metadata (binary
    distribution format). ``importlib.metadata`` would load a mail parser before the first paint.

    Raises UserError for a version that is not supported.
    """
    folders = (Path(path).glob("textual-[0-9]*.dist-info") for path in sys.path)
    folder = next(chain.from_iterable(folders), None)
    if folder is None:
        return  # installed without metadata, by other means than pip
    installed = folder.stem.removeprefix("textual-")
    first, end = TEXTUAL_VERSIONS
    if not first <= int(installed.split(".")[0]) < end:
        raise UserError(
            f"the terminal application needs Textual {first}.0 or later, below {end}, but "
            f"{installed} "
            f"is installed: pip install 'textual>={first}.0,<{end}'"
        )


def _check_environment() -> None:
    """Check the variables that Textual fails on, before anything is drawn. Raises UserError."""
    colours = os.environ.get("TEXTUAL_COLOR_SYSTEM")
    if colours is not None and colours not in _COLOUR_SYSTEMS:
        raise UserError(
            f"TEXTUAL_COLOR_SYSTEM={colours}: expected one of {', '.join(_COLOUR_SYSTEMS)}"
        )
    driver = os.environ.get("TEXTUAL_DRIVER")
    if driver is not None and (problem := _why_no_driver(driver)):
        raise UserError(f"TEXTUAL_DRIVER={driver}: {problem}")


def _why_no_driver(name: str) -> str:
    """Why Textual cannot draw through the class MODULE:CLASS; "" if it can."""
    from textual.driver import Driver

    module, colon, symbol = name.partition(":")
    if not (module and colon and symbol) or module.startswith("."):
        return "expected MODULE:CLASS"
    try:
        driver = getattr(importlib.import_module(module), symbol)
    except (Exception, SystemExit) as error:  # of the module
        return " ".join(str(error).split()) or type(error).__name__
    is_driver = isinstance(driver, type) and issubclass(driver, Driver)
    return "" if is_driver else f"{symbol} is not a driver of Textual"


def has_screen(patterns: Sequence[str] = ()) -> bool:
    """True if there is a terminal to draw on and to read keys from, or another screen from the
    environment: textual-serve draws in a browser. If standard input is a log, keys are read from
    the terminal itself.
    """
    reads_log = "-" in patterns
    if os.environ.get("TEXTUAL_DRIVER"):
        return not reads_log
    is_drawn_on = sys.stdout.isatty() and sys.stderr.isatty()
    return is_drawn_on and (reads_log or sys.stdin.isatty())


def what_to_use(patterns: Sequence[str], fixtures: Path | None) -> list[str]:
    """The commands that do the same, one per line, with one for each open miss."""
    logs = list(map(str, expand([pattern for pattern in patterns if pattern != "-"])))
    if not logs and (newest := newest_log(Path.cwd())):
        logs = [str(shown(newest))]
    named_logs = list(chain.from_iterable(map(naming, logs))) if logs else ["--log", "PATH"]
    named = [] if fixtures is None else [str(fixtures)]
    folder = ["--fixtures", *named] if named else []
    return [
        "the terminal application needs a terminal; without one:",
        f"  {_command('misses', *named_logs, *folder)}",
        *(line for log in logs for line in _commands_for_misses(log, fixtures, folder)),
        f"  {_command('validate', *named)}",
        "  workbench --demo    # a demonstration",
    ]


def _commands_for_misses(log: str, fixtures: Path | None, folder: list[str]) -> Iterator[str]:
    from workbench.session.misses.states import open_misses

    try:
        with session_of([log], fixtures) as session:
            misses = open_misses(session)
    except UserError as error:
        yield f"  ({error})"
        return
    for miss in misses[:COMMANDS_SHOWN]:
        command = _command("promote", short(miss.digest), *naming(log), *folder)
        text = excerpt(miss.last_user_text or "", 40)
        yield f"  {command} --content TEXT    # {text}"
    if len(misses) > COMMANDS_SHOWN:
        rest = len(misses) - COMMANDS_SHOWN
        yield f"  … {rest} more: {_command('misses', *naming(log), *folder)}"


def _command(*words: str) -> str:
    return shell.command(["workbench", *words])
