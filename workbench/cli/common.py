"""Arguments and output that several verbs share."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.io.settings import Settings

DEFAULT_FIXTURES = "fixtures"


def add_fixtures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fixtures",
        type=Path,
        default=Path(DEFAULT_FIXTURES),
        metavar="DIR",
        help="folder of fixture files (default: ./fixtures)",
    )


def resolve_settings(
    flags: Mapping[str, Any], defaults: Mapping[str, Any] | None = None
) -> Settings:
    """The settings of a command, as ``Settings.resolve``; what is no setting is told.

    Raises:
        UsageError: a setting is of no use.
    """
    from workbench.cli import UsageError
    from workbench.core.inert import escaped
    from workbench.io.settings import Settings, SettingsError

    try:
        settings = Settings.resolve(flags, defaults=defaults)
    except SettingsError as error:
        raise UsageError(str(error)) from None
    for sentence in settings.passed_over:
        print(f"workbench: {escaped(sentence)}", file=sys.stderr)
    return settings


def add_profile(parser: argparse.ArgumentParser) -> None:
    from workbench.core.wire import DEFAULT_PROFILE, PROFILES

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


def print_json(value: object) -> None:
    """Write ``value`` for programs: indented, unescaped, lone surrogates as their escapes."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    write_data(text.encode("utf-8", "backslashreplace") + b"\n")


def write_data(data: bytes) -> None:
    """Write to standard output as it is, whatever characters the terminal is said to have."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def read_input(name: str) -> bytes:
    """The bytes of the file ``name``, or of standard input for ``-``.

    Raises:
        UsageError: where it cannot be read.
    """
    from workbench.cli import UsageError

    if name == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise UsageError(f"{name}: {error.strerror}") from None
