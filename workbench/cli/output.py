"""Prints results to standard output, and messages to standard error.

Everything is printed through here: control characters in logs, files and arguments are escaped, so
that they cannot act on the terminal; in a workflow of GitHub, its commands are, too.
"""

from __future__ import annotations

import sys
import time
from typing import Final, Self

from workbench.core.text.inert import escaped, json_escaped
from workbench.io.github_workflow import in_workflow, without_commands

_QUIET_SECONDS: Final = 0.5
_STEP_SECONDS: Final = 0.1
_CLEAR_LINE: Final = "\r\x1b[K"

# The command that prints, as messages begin.
_command = "workbench"


def begin_messages(command: str) -> None:
    """Set which command prints from now on: ``workbench misses``."""
    global _command
    _command = command


def print_result(line: str) -> None:
    """Write one line of a result for people."""
    print(without_commands(escaped(line)))


def print_note(text: str) -> None:
    """Write a note to standard error: what a person may want to know."""
    print_message(f"{_command}: note: {text}")


def print_message(line: str) -> None:
    """Write one line to standard error."""
    print(without_commands(escaped(line)), file=sys.stderr)


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
