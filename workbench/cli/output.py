"""Prints results to standard output, and messages to standard error.

Everything is printed through here: control characters in logs, files and arguments are escaped, so
that they cannot act on the terminal. In a workflow of GitHub, so are its commands.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import Final, Literal, NamedTuple, Self, TextIO

from workbench.core.text.inert import escaped, json_escaped
from workbench.io.github_workflow import in_workflow, without_commands

Severity = Literal["error", "warning", "info"]
Level = Literal["error", "warning", "note"]
Colour = Literal["red", "yellow", "green", "cyan", "grey"]
ColourChoice = Literal["auto", "always", "never"]

COLOUR_OF_SEVERITY: Final[dict[Level | Severity, Colour]] = {
    "error": "red",
    "warning": "yellow",
    "note": "cyan",
    "info": "cyan",
}
_QUIET_SECONDS: Final = 0.5
_STEP_SECONDS: Final = 0.1
_CLEAR_LINE: Final = "\r\x1b[K"
_CODES: Final[dict[Colour, str]] = {
    "red": "1;31",
    "yellow": "33",
    "green": "32",
    "cyan": "36",
    "grey": "2",
}


class Painted(NamedTuple):
    """A part of a line that has a colour, where colours are shown."""

    text: str
    colour: Colour


class OutputStyle(NamedTuple):
    """How the running command prints.

    Attributes:
        command: the prefix of messages: ``workbench misses``.
        is_quiet: notes are left out.
        is_verbose: details are printed as notes.
        colour: ``--color``: lines have colours always, never, or with ``auto`` on a terminal.
    """

    command: str = "workbench"
    is_quiet: bool = False
    is_verbose: bool = False
    colour: ColourChoice = "auto"


_style = OutputStyle()


def use_style(style: OutputStyle) -> None:
    """Print in this style from now on."""
    global _style
    _style = style


def print_result(*parts: str | Painted) -> None:
    """Write one line of a result for people."""
    _print_line(sys.stdout, parts)


def print_message(level: Level, text: str, *more: str) -> None:
    """Write ``workbench COMMAND: LEVEL: text`` to standard error, and lines that belong to it.
    Notes are left out with ``--quiet``.
    """
    if level == "note" and _style.is_quiet:
        return
    # Both may go to one file, so earlier output is written before a message.
    with contextlib.suppress(OSError):  # the end of the command meets it again
        sys.stdout.flush()
    painted = Painted(f"{level}:", COLOUR_OF_SEVERITY[level])
    _print_line(sys.stderr, (f"{_style.command}: ", painted, f" {text}"))
    for line in more:
        print_line(line)


def print_detail(text: str) -> None:
    """Write a note that is only for ``--verbose``."""
    if _style.is_verbose:
        print_message("note", text)


def print_line(*parts: str | Painted) -> None:
    """Write one line to standard error that is not a message: part of a list, or of a message."""
    _print_line(sys.stderr, parts)


def _print_line(stream: TextIO, parts: tuple[str | Painted, ...]) -> None:
    # A workflow command may begin in one part and end in the next: looked for in the whole line.
    text = "".join(part if isinstance(part, str) else part.text for part in parts)
    if not shows_colours(stream) or without_commands(text) != text:
        print(without_commands(escaped(text)), file=stream)
        return
    print("".join(map(_coloured, parts)), file=stream)


def _coloured(part: str | Painted) -> str:
    if isinstance(part, str):
        return escaped(part)
    return f"\x1b[{_CODES[part.colour]}m{escaped(part.text)}\x1b[0m"


def shows_colours(stream: TextIO) -> bool:
    """True if lines on this stream have colours, which depends on ``--color``, then on the
    variables ``NO_COLOR`` and ``FORCE_COLOR``, then on the stream being a terminal.
    """
    if _style.colour != "auto":
        return _style.colour == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        stream.isatty() and os.environ.get("TERM") != "dumb"
    )


def confirmed(question: str) -> bool:
    """Ask a question on the terminal. Return True if the answer is yes."""
    print(escaped(f"{question} [y/N] "), end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def print_annotation(level: str, message: str, **properties: str | int) -> None:
    """Write a workflow command of GitHub that makes an annotation."""
    parameters = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    print("::" + without_commands(escaped(f"{level} {parameters}::{_data(message)}")))


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def print_json(value: object) -> None:
    """Write ``value`` as indented JSON."""
    import json

    text = json_escaped(json.dumps(value, indent=2, ensure_ascii=False))
    write_data(text.encode("utf-8") + b"\n")


def write_data(data: bytes) -> None:
    """Write JSON, or a stream of it, unchanged; to a terminal with control characters escaped, and
    in a workflow of GitHub its commands.
    """
    is_terminal = sys.stdout.isatty()
    if is_terminal or in_workflow():
        text = data.decode("utf-8", "surrogateescape")
        shown = without_commands(json_escaped(text) if is_terminal else text)
        data = shown.encode("utf-8", "surrogateescape")
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


class Progress:
    """A line like ``Checking 4,200 of 10,000`` on standard error while work goes on; removed at the
    end. Nothing is written where standard error is not a terminal.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = escaped(what)
        self._total = total
        self._is_shown = False
        self._next = time.monotonic() + _QUIET_SECONDS if sys.stderr.isatty() else float("inf")

    def __call__(self, done: int) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _STEP_SECONDS
            self._is_shown = True
            text = f"{_CLEAR_LINE}{self._what} {done:,} of {self._total:,}"
            print(text, end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_shown:
            print(_CLEAR_LINE, end="", file=sys.stderr, flush=True)
