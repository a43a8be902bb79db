"""Arguments and output that several verbs share."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from io import BufferedReader
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from workbench.io.settings import Settings
    from workbench.io.store import FixtureStore


from workbench.cli.output import print_message


def add_fixtures(
    parser: argparse.ArgumentParser, default: str = "what the settings say, else ./fixtures"
) -> None:
    parser.add_argument(
        "--fixtures",
        type=path,
        metavar="DIR",
        help=f"folder of fixture files (default: {default})",
    )


def filled(text: str) -> str:
    """Text that says something as an argument: an empty one comes of a variable that is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("it is empty")
    return text


def path(text: str) -> Path:
    """A path as an argument."""
    return Path(filled(text))


def api_url(text: str) -> str:
    """The URL of an API as an argument."""
    from workbench.io.upstream_url import host_of

    try:
        host_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def typed_text(text: str) -> str:
    """Text as an argument: the UTF-8 that its bytes are, whatever the locale takes them for, else
    what the locale says.
    """
    with suppress(UnicodeError):
        return os.fsencode(text).decode()
    with suppress(UnicodeError):
        text.encode()
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8")


def whole_number(text: str) -> int:
    """A number from 0 on as an argument; Python reads none of more digits."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def resolve_settings(
    flags: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a command, as ``Settings.resolve``; what is no setting is told.

    Raises:
        UsageError: a setting is of no use, or there is something else in the fixtures' place.
    """
    from workbench.cli import UsageError
    from workbench.io.settings import Settings, SettingsError

    try:
        settings = Settings.resolve(flags, defaults=defaults)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    for sentence in settings.passed_over:
        print_message(f"workbench: {sentence}")
    if os.path.exists(settings.fixtures) and not os.path.isdir(settings.fixtures):
        raise UsageError(f"{settings.fixtures}: it is no folder")
    return settings


def find_fixture(store: FixtureStore, prefix: str) -> str:
    """The digest of the fixture that begins with ``prefix``. Raises UsageError."""
    from workbench.cli import UsageError

    if not prefix:
        raise UsageError("the digest is empty")
    found = sorted(d for d in store.digests() if d.startswith(prefix.removesuffix(".json")))
    if len(found) == 1:
        return found[0]
    how_many = f"begins {len(found)} fixtures" if found else "is no fixture"
    raise UsageError(f"{prefix} {how_many} of {store.folder}")


def add_profile(parser: argparse.ArgumentParser) -> None:
    from workbench.core.apis.chat.wire import DEFAULT_PROFILE, PROFILES

    ways = ", ".join(f"{name} as {profile.writes_as}" for name, profile in PROFILES.items())
    parser.add_argument(
        "--profile",
        choices=list(PROFILES),
        default=DEFAULT_PROFILE,
        help=f"how replies are written: {ways} (default: {DEFAULT_PROFILE})",
    )


def add_format(parser: argparse.ArgumentParser, *more: str) -> None:
    parser.add_argument(
        "--format", choices=["text", "json", *more], default="text", help="default: text"
    )


def read_input(name: str) -> bytes:
    """The bytes of the file ``name``, or of standard input for ``-``.

    Raises:
        UsageError: where it cannot be read.
    """
    from workbench.cli import UsageError

    try:
        with open_input(name) as file:
            return file.read()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None


def open_input(name: str) -> AbstractContextManager[BufferedReader]:
    """The file ``name``, or standard input for ``-``, which is not closed. Raises OSError."""
    from workbench.io.regular import open_named

    return _standard_input() if name == "-" else open_named(name)


def open_log(name: str) -> AbstractContextManager[BufferedReader]:
    """As ``open_input``; a log may be a named pipe, too, which is read until its writers are done.
    Says so, because nothing happens until somebody writes to it. Raises OSError.
    """
    from workbench.io.regular import open_finite

    if name == "-":
        return _standard_input()
    if Path(os.path.realpath(name)).is_fifo():
        print_message(f"workbench: {name} is a pipe: reading until whoever writes to it is done")
    return open_finite(name)


def _standard_input() -> AbstractContextManager[BufferedReader]:
    return nullcontext(cast(BufferedReader, sys.stdin.buffer))
