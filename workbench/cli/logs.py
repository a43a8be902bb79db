"""Logs as arguments, and the session made from them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from workbench.cli import UsageError

if TYPE_CHECKING:
    from workbench.core.log import LogEvent
    from workbench.session.session import Session

SLICE = 1 << 20


def add_log(parser: argparse.ArgumentParser, *, several: bool = False) -> None:
    parser.add_argument(
        "log",
        nargs="+" if several else None,
        metavar="LOG",
        help="log of a stub server; - is standard input",
    )


def add_digest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("digest", metavar="DIGEST", help="of a miss; its first digits are enough")


@contextmanager
def session_of(logs: list[str], fixtures: Path | None) -> Iterator[Session]:
    """A session that has read ``logs`` to their ends.

    Raises:
        UsageError: a log cannot be read, or the settings are wrong.
    """
    from workbench.core.log import LogParser
    from workbench.io.settings import Settings, SettingsError
    from workbench.io.state_folder import StateFolder
    from workbench.io.store import FixtureStore
    from workbench.session.session import Session

    try:
        settings = Settings.resolve({"fixtures": fixtures})
    except SettingsError as error:
        raise UsageError(str(error)) from None
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
