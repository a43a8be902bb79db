"""Logs as arguments, and the session that is read from them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.arguments import filled, standard_input
from workbench.cli.fixtures_folder import folder_warning, settings_for
from workbench.cli.output import Progress, print_message
from workbench.core.log.lines import MARK
from workbench.core.text import shell
from workbench.core.text.digests import LEAST_DIGITS
from workbench.core.user_error import NotFoundError, UserError
from workbench.io.command_options import finding
from workbench.io.files.path_text import reason_of, shown
from workbench.io.logs.newest_log import RUN_LOG, SUITE_LOGS, newest_log
from workbench.io.logs.server_of_log import named_server

if TYPE_CHECKING:
    from workbench.core.log.events import LogEvent
    from workbench.core.log.reader import LogParser
    from workbench.io.logs.kept_logs import KeptLogs
    from workbench.io.logs.spool import Spool
    from workbench.io.settings import Settings
    from workbench.io.state_folder import StateFolder
    from workbench.session.session import Session

SLICE = 1 << 20


class NoLogError(UserError):
    """No log is given, and none is found."""


_NEWEST_LOG: Final = (
    "server log to read: a file, a quoted pattern such as 'logs/*.log', or - for standard input; "
    f"repeatable (default: .workbench/{RUN_LOG}, which workbench run writes, else "
    f"{SUITE_LOGS[0]})"
)


def add_log(parser: argparse.ArgumentParser, help: str = _NEWEST_LOG) -> None:
    """Add ``--log PATH``. ``help`` describes the logs and the default."""
    parser.add_argument(
        "--log",
        type=filled,
        action="append",
        default=[],
        metavar="PATH",
        help=help,
    )


def add_logs(parser: argparse.ArgumentParser) -> None:
    """Add logs as arguments, and ``--log PATH``."""
    parser.add_argument(
        "logs",
        type=filled,
        nargs="*",
        metavar="LOG",
        help="log to read, the same as --log LOG",
    )
    add_log(parser)


def add_digests(parser: argparse.ArgumentParser, help: str, *, required: bool = True) -> None:
    """Add a digest as argument, logs in any order beside it, and ``--log PATH``.
    ``digests_and_logs`` distinguishes them.
    """
    parser.add_argument(
        "digest",
        nargs=None if required else "?",
        metavar="DIGEST",
        help=f"{help}; the first {LEAST_DIGITS} digits are enough",
    )
    parser.add_argument(
        "logs",
        nargs="*",
        metavar="LOG",
        default=[],
        help="log to read, the same as --log LOG",
    )
    add_log(parser)


def words_of(args: argparse.Namespace) -> list[str]:
    """The arguments of ``add_digests``, in their order."""
    return list(args.logs if args.digest is None else [args.digest, *args.logs])


def digests_and_logs(
    words: Iterable[str], logs: Sequence[str], *, needs_log: bool = True
) -> tuple[list[str], list[str]]:
    """The digests among the arguments of a command, and the logs to read: the other arguments and
    the logs of ``--log``, by default the newest log.

    Args:
        needs_log: raise NoLogError if there is no log; else no log is read.

    Raises:
        UserError: an argument is neither, or there is no log.
    """
    # Not before it is needed: the help of every command that reads logs would load it.
    from workbench.core.fixture.name_prefix import is_prefix

    digests, paths = [], []
    for word in words:
        if not word.strip():
            raise UserError("DIGEST or LOG: the value is empty; is a shell variable not set?")
        if is_prefix(word):
            digests.append(word)
        elif word != "-" and not any(map(os.path.lexists, expanded([word]))):
            raise UserError(_neither(word))
        else:
            paths.append(word)
    try:
        return digests, logs_to_read([*paths, *logs])
    except NoLogError:
        if needs_log:
            raise
        return digests, []


def _neither(word: str) -> str:
    """The error for an argument that is neither a digest nor a log."""
    from workbench.core.fixture.name_prefix import WrongLengthError, read_prefix

    try:
        read_prefix(word)
    except WrongLengthError as error:
        return str(error)
    except NotFoundError:
        pass
    if "." in word or os.sep in word:
        return f"{word}: no such file or directory"
    return f"{word} is neither a digest (hex digits, at least {LEAST_DIGITS}) nor a log"


def one_digest(digests: Sequence[str]) -> str:
    """The digest of a command that takes one. Raises UserError."""
    if len(digests) != 1:
        raise UserError("give exactly one digest (list them: workbench misses)")
    return digests[0]


def logs_to_read(named: Sequence[str]) -> list[str]:
    """The logs in ``named``, or by default the newest log. Then a note with its path is printed.

    Raises:
        NoLogError: there is no log.
    """
    if named:
        return list(named)
    log = newest_log(Path.cwd())
    if log is None:
        raise NoLogError(
            f"there is no log: neither .workbench/{RUN_LOG} nor {SUITE_LOGS[0]} exists here",
            "run your tests: workbench run -- COMMAND",
            "or name the log of your server: --log PATH",
        )
    name = os.fspath(shown(log))
    print_message("note", f"reading {name}")
    return [name]


def expanded(logs: Sequence[str]) -> list[str]:
    """The logs for names and patterns, each once; ``-`` stays."""
    from workbench.io.logs.log_files import expand

    return list(map(str, expand(logs)))


def new_session(
    settings: Settings, state_folder: StateFolder, spool: Spool | None = None
) -> Session:
    """A session that has read nothing yet."""
    from workbench.io.fixture.store import FixtureStore
    from workbench.session.session import Session

    return Session(
        FixtureStore(settings.fixtures),
        state_folder,
        store_request=settings.store_request,
        request_limit=settings.request_limit,
        profile=settings.profile,
        normalise=settings.normalise,
        spool=spool,
    )


@contextmanager
def session_of(
    logs: list[str],
    fixtures: Path | None,
    *,
    creates: bool = False,
    writes: bool = False,
    decides: bool = False,
    kept: KeptLogs | None = None,
) -> Iterator[Session]:
    """A session that has read ``logs`` to their ends.

    Args:
        creates: the command creates the fixtures folder, so there is no warning if it is missing.
        writes: the command writes into the fixtures folder.
        decides: the logs decide about a build, so each has to be a log of a stub server.
        kept: data that earlier sessions read from the logs; then there is no message on the folder.

    Raises:
        UserError: a log cannot be read or, with ``decides``, is not a log of a stub server; or a
            setting cannot be used.
        OSError: a log that is kept cannot be read.
    """
    from workbench.io.state_folder import StateFolder
    from workbench.session.misses.other_server import other_digests

    logs = expanded(logs)
    server = named_server(Path(log) for log in logs if log != "-")
    settings = settings_for(fixtures, server)
    spool = kept.spool if kept is not None else None
    session = new_session(settings, StateFolder.locate(Path.cwd()), spool)
    session.take_files([session.ignore.path.name])
    try:
        for log in logs:
            if kept is not None:
                session.take_log(kept.events(Path(log)))
            else:
                _read_log(session, log, decides=decides)
            session.miss_index.start_run()
        if kept is None and (mistake := other_digests(session.miss_index)):
            print_message("warning", mistake)
        for problem in session.miss_index.unreadable:
            print_message("warning", f"cannot read a line of the log: {problem.reason}")
        warning = folder_warning(
            settings.fixtures, fixtures, server, creates=creates, writes=writes
        )
        if warning and kept is None and (session.miss_index.misses or writes):
            print_message("warning", warning)
        yield session
    except NotFoundError as error:
        misses = shell.command(["workbench", "misses", *finding(logs, settings.fixtures)])
        raise UserError(str(error), f"list the misses: {misses}") from None
    finally:
        if kept is None:
            session.spool.close()


def _read_log(session: Session, log: str, *, decides: bool) -> None:
    from workbench.core.log.reader import LogParser

    parser, count = LogParser(), 0
    for batch in _batches(log, parser):
        session.take_log(session.intake.read(batch))
        count += 1
    if parser.is_of_stub_server:
        return
    problem = f"{_name(log)} does not look like a server log (no '{MARK.strip()}' lines)"
    if decides:
        raise UserError(f"{problem}; name the log of the server that your tests used")
    if count > 1:  # an empty log is fine
        print_message("warning", problem)


def events(log: str) -> Iterator[LogEvent]:
    """Every event of a log. Raises UserError if it cannot be read."""
    from workbench.core.log.reader import LogParser

    return chain.from_iterable(_batches(log, LogParser()))


def _batches(log: str, parser: LogParser) -> Iterator[list[LogEvent]]:
    """The events of each slice of a log, and last the events of an unfinished line."""
    yield from map(parser.feed, _slices(log))
    yield parser.close()


def _slices(log: str) -> Iterator[bytes]:
    with _opened(log) as file:
        size = os.path.getsize(log) if log != "-" else 0  # 0 of a pipe, too
        with Progress(f"Reading {_name(log)}, MB", size >> 20) as progress:
            while data := file.read(SLICE):
                yield data
                if size:
                    progress(os.lseek(file.fileno(), 0, os.SEEK_CUR) >> 20)


@contextmanager
def _opened(log: str) -> Iterator[BufferedIOBase]:
    """A log, decompressed if it is gzip. Raises UserError, also while it is read."""
    from zlib import error as PackingError  # noqa: N812  (an exception)

    from workbench.io.files.regular import open_finite
    from workbench.io.logs.log_files import unpacked, why_not_a_log

    if Path(os.path.realpath(log)).is_fifo():
        print_message("note", f"{log} is a pipe; reading until its writers close it")
    try:
        with (
            standard_input() if log == "-" else open_finite(log, named_pipes=True) as plain,
            unpacked(plain) as file,
        ):
            if file is plain and (why := why_not_a_log(plain.peek())):
                raise UserError(f"{_name(log)}: {why}")
            yield file
    except (OSError, EOFError, PackingError) as error:
        reason = reason_of(error) if isinstance(error, OSError) else error
        hint = (
            f"; name the logs in it: '{log}/*.log'" if isinstance(error, IsADirectoryError) else ""
        )
        raise UserError(f"{_name(log)}: {reason}{hint}") from None


def _name(log: str) -> str:
    return "standard input" if log == "-" else log
