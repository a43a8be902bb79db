"""What to print if there is no terminal: the commands to use instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.cli.logs import session_of
from workbench.core.digest import short
from workbench.core.text import shell
from workbench.core.text.inert import excerpt
from workbench.core.user_error import UserError
from workbench.io.logs.log_files import expand
from workbench.session.misses.states import open_misses

COMMANDS_SHOWN = 20


def what_to_use(patterns: Sequence[str], fixtures: Path | None) -> list[str]:
    """The commands that do the same, one per line, with one for each open miss."""
    logs = list(map(str, expand([pattern for pattern in patterns if pattern != "-"])))
    folder = ["--fixtures", str(fixtures)] if fixtures is not None else []
    checked = [str(fixtures)] if fixtures is not None else []
    return [
        "this needs a terminal. Without one:",
        f"  {_command('misses', *(logs or ['LOG']), *folder)}",
        *(line for log in logs for line in _commands_for_misses(log, fixtures, folder)),
        f"  {_command('validate', *checked)}",
        "  workbench --demo    shows all of it once",
    ]


def _commands_for_misses(log: str, fixtures: Path | None, folder: list[str]) -> Iterator[str]:
    try:
        with session_of([log], fixtures) as session:
            misses = open_misses(session)
    except UserError as error:
        yield f"  ({error})"
        return
    for miss in misses[:COMMANDS_SHOWN]:
        command = _command("promote", log, short(miss.digest), *folder)
        said = excerpt(miss.summary.last_user_text if miss.summary else "", 40)
        yield f"  {command} --content TEXT    # {said}"
    if len(misses) > COMMANDS_SHOWN:
        rest = len(misses) - COMMANDS_SHOWN
        yield f"  … {rest} more: {_command('misses', log, *folder)}"


def _command(*words: str) -> str:
    return shell.command(["workbench", *words])
