"""Arguments that several commands share, and what they read from them."""

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

from workbench.cli.output import print_message
from workbench.core.user_error import UserError

if TYPE_CHECKING:
    from workbench.core.replies.profile_names import ProfileName
    from workbench.io.network.upstream import Upstream
    from workbench.io.settings import Settings


def add_profile(parser: argparse.ArgumentParser, default: ProfileName) -> None:
    from workbench.core.apis.chat.write import WRITERS

    ways = ", ".join(f"{name}: like {writer.writes_as}" for name, writer in WRITERS.items())
    parser.add_argument(
        "--profile",
        choices=list(WRITERS),
        help=f"format of the replies; {ways} (default: the settings, else {default})",
    )


def add_record(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record",
        action="store_true",
        help="send requests without a fixture to --upstream and save the replies as fixtures",
    )
    parser.add_argument(
        "--upstream",
        metavar="URL",
        help="base URL of the real API, such as https://api.openai.com/v1 (default: the settings); "
        "the key is the one that the client sends, or WORKBENCH_UPSTREAM_KEY",
    )


def upstream_of(args: argparse.Namespace) -> Upstream | None:
    """The upstream to record from, as the arguments of ``add_record`` or else the settings name it;
    None if nothing is to be recorded. Raises UserError where it is missing or cannot be one.
    """
    if not args.record:
        if args.upstream:
            raise UserError("--upstream URL needs --record")
        return None
    url = needed_upstream(args.upstream, "--record")
    from workbench.io.network.upstream import Upstream  # takes as long to load as a server

    try:
        return Upstream.from_environment(url)
    except ValueError as error:
        raise UserError(f"--upstream: {error}") from None


def needed_upstream(url: str | None, what: str = "this command") -> str:
    """``url``, else the ``upstream`` of the settings, for ``what``. Raises UserError if both are
    missing.
    """
    upstream = url or resolve_settings({}).upstream
    if not upstream:
        raise UserError(f"{what} needs --upstream URL, or upstream in pyproject.toml")
    return upstream


def add_format(parser: argparse.ArgumentParser, *more: str) -> None:
    parser.add_argument(
        "--format",
        choices=["text", "json", *more],
        default="text",
        help="output format (default: text)",
    )


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would be written without writing it"
    )


def filled(text: str) -> str:
    """An argument that must not be empty: an empty one usually is a variable that is not set."""
    if not text.strip():
        raise argparse.ArgumentTypeError("the value is empty; is a shell variable not set?")
    return text


def path(text: str) -> Path:
    """A path as an argument."""
    return Path(filled(text))


def api_url(text: str) -> str:
    """The URL of an API as an argument."""
    from workbench.io.network.upstream_url import host_of

    try:
        host_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return text


def server_url(text: str) -> str:
    """The URL of a stub server as an argument."""
    from workbench.io.network.ports import DEFAULT_PORT
    from workbench.io.network.upstream_url import host_of

    try:
        host_of(text)
    except ValueError:
        shown = "this" if "@" in text else repr(text)  # it may have a password
        raise argparse.ArgumentTypeError(
            f"{shown} is not a URL such as http://127.0.0.1:{DEFAULT_PORT}"
        ) from None
    return text


def typed_text(text: str) -> str:
    """Text as an argument: UTF-8 if it is valid UTF-8, else in the encoding of the locale."""
    with suppress(UnicodeError):
        return os.fsencode(text).decode()
    with suppress(UnicodeError):
        text.encode()
        return text
    raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8")


def whole_number(text: str) -> int:
    """A number from 0 as an argument."""
    if not re.fullmatch("[0-9]{1,18}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def resolve_settings(
    flags: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a command, as ``Settings.resolve``; warns of unknown ones.

    Raises:
        SettingsError: a setting cannot be used.
        UserError: the fixtures folder is not a folder.
    """
    from workbench.io.settings import Settings

    settings = Settings.resolve(flags, defaults=defaults)
    for place, warning in settings.passed_over:
        print_message("warning", f"{place} {warning}")
    if os.path.exists(settings.fixtures) and not os.path.isdir(settings.fixtures):
        raise UserError(f"{settings.fixtures} is not a folder; name one with --fixtures DIR")
    return settings


def read_input(name: str) -> bytes:
    """The bytes of the file ``name``, or of standard input for ``-``. Raises OSError."""
    with open_input(name) as file:
        return file.read()


def open_input(name: str) -> AbstractContextManager[BufferedReader]:
    """The file ``name``, or standard input for ``-``, which stays open. Raises OSError."""
    from workbench.io.files.regular import open_finite

    return standard_input() if name == "-" else open_finite(name)


def standard_input() -> AbstractContextManager[BufferedReader]:
    """Standard input; leaving the context does not close it."""
    return nullcontext(cast(BufferedReader, sys.stdin.buffer))
