"""Logs as arguments, and the session made from them."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.cli import UsageError
from workbench.cli.common import filled, path

if TYPE_CHECKING:
    from workbench.core.log import Listening, LogEvent
    from workbench.io.settings import Settings
    from workbench.session.session import Session

SLICE = 1 << 20
# A server names itself in the first line it writes.
HEAD = 1 << 16


def add_log(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    parser.add_argument(
        "log",
        type=filled,
        nargs="+" if several else None,
        metavar="LOG",
        help="log of a stub server; - is standard input",
    )


def add_digest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("digest", metavar="DIGEST", help="of a miss; its first digits are enough")


def add_fixtures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fixtures",
        type=path,
        metavar="DIR",
        help="folder of fixture files (default: the one that the log names, or ./fixtures)",
    )


def named_server(logs: Iterable[Path]) -> tuple[Listening, Path] | None:
    """What the first of ``logs`` that names a server says of it, and that log."""
    from workbench.core.log import Listening, LogParser
    from workbench.io.regular import read_regular

    for log in logs:
        # What is read of a pipe is lost to the next reader.
        with suppress(OSError):
            for event in LogParser().feed(read_regular(log, HEAD)):
                if isinstance(event, Listening):
                    return event, log
    return None


def settings_for(fixtures: Path | None, logs: Iterable[Path] = ()) -> Settings:
    """The settings of a command, the fixtures folder as short as it can be shown. Where nobody says
    where the fixtures are, they are in the folder that the logs' server reads, if there is one of
    that name: an absolute one, or one beside the log or further up. A folder that only a log names
    is never created.

    Args:
        fixtures: as given on the command line.
        logs: those that are read.

    Raises:
        UsageError: a setting is of no use.
    """
    from dataclasses import replace

    from workbench.cli.common import resolve_settings
    from workbench.session.wording import shown

    found = named_server(logs)
    folder = _folder_of(*found) if found is not None else None
    settings = resolve_settings({"fixtures": fixtures}, {"fixtures": folder} if folder else None)
    return replace(settings, fixtures=shown(settings.fixtures))


def _folder_of(listening: Listening, log: Path) -> Path | None:
    if not listening.fixtures:
        return None
    # Where the name is absolute, every base gives the same.
    places = (base / listening.fixtures for base in log.absolute().parents)
    return next((place for place in places if os.path.isdir(place)), None)


@contextmanager
def session_of(logs: list[str], fixtures: Path | None) -> Iterator[Session]:
    """A session that has read ``logs`` to their ends.

    Raises:
        UsageError: a log cannot be read, or the settings are wrong.
    """
    from workbench.core.log import LogParser
    from workbench.io.state_folder import StateFolder
    from workbench.io.store import FixtureStore
    from workbench.session.session import Session

    settings = settings_for(fixtures, [Path(log) for log in logs if log != "-"])
    session = Session(
        FixtureStore(settings.fixtures),
        StateFolder.locate(Path.cwd()),
        store_request=settings.store_request,
    )
    session.take_files([session.ignore.path.name])
    try:
        for log in logs:
            parser = LogParser(brief=True)
            for data in _slices(log):
                session.take_log(session.intake.read(parser.feed(data)))
            session.take_log(session.intake.read(parser.close()))
            session.book.start_run()
        for problem in session.book.unreadable:
            print(f"workbench: a line could not be read: {problem.reason}", file=sys.stderr)
        yield session
    finally:
        session.spool.close()


def find(session: Session, digest: str) -> str:
    """The whole digest that begins with ``digest``. Raises UsageError."""
    if not digest:
        raise UsageError("the digest is empty")
    try:
        return session.find(digest)
    except LookupError as error:
        raise UsageError(str(error)) from None


def events(log: str) -> Iterator[LogEvent]:
    """Everything a log says. Raises UsageError where it cannot be read."""
    from workbench.core.log import LogParser

    parser = LogParser()
    for data in _slices(log):
        yield from parser.feed(data)
    yield from parser.close()


def _slices(log: str) -> Iterator[bytes]:
    if log == "-":
        yield from _read(sys.stdin.buffer)
        return
    try:
        with open(log, "rb") as file:
            yield from _read(file)
    except OSError as error:
        raise UsageError(f"{log}: {error.strerror}") from None


def _read(file: BinaryIO) -> Iterator[bytes]:
    while data := file.read(SLICE):
        yield data
