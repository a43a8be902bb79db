"""The output of a command as the lines that a terminal would show."""

from __future__ import annotations

import codecs
import re
from collections import deque
from itertools import islice
from typing import Final

LINES_KEPT: Final = 10_000
LINE_CHARACTERS: Final = 4_000

# Sets colours and styles: the only sequence that is kept.
STYLE: Final = re.compile(r"\x1b\[[0-9;]{0,64}m")
_RESETS: Final = re.compile(r"\x1b\[0*(?:;|m)")
# To the first column.
_RETURN: Final = re.compile(r"\x1b\[[01]?G")
_SEQUENCE: Final = re.compile(
    r"\x1b(?!\[[0-9;]{0,64}m)(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # a control sequence
    r"|[]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)"  # a title, a link or the like, with its text
    r"|[ -/]*[0-Z\\^-~]"  # any other
    r")"
)
_STYLES_KEPT: Final = 16


class SuiteOutput:
    """Keeps the last lines of an output. Colours and styles stay, as escape sequences of their
    line; cursor movements are left out, except for the carriage return of a progress bar, whose
    last state is kept.

    Attributes:
        ended: how many lines have ended, including dropped ones.
        is_partial: True if some lines were dropped, or cut.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._lines: deque[str] = deque(maxlen=LINES_KEPT)
        self._open = ""
        # The styles that hold where the open line begins.
        self._style = ""
        self.ended = 0
        self.is_partial = False

    def feed(self, data: bytes) -> None:
        """Add what the command wrote."""
        text = self._open + self._decoder.decode(data)
        *lines, self._open = text.split("\n")
        self.ended += len(lines)
        self.is_partial |= self.ended > LINES_KEPT
        for line in lines[-LINES_KEPT:]:
            self._lines.append(self._finished(line))
        if len(self._open) > LINE_CHARACTERS:
            is_returned = self._open.endswith("\r")
            self.is_partial = True
            self._open = _newest(self._open)[:LINE_CHARACTERS] + "\r" * is_returned

    def since(self, number: int) -> list[str]:
        """The lines kept of those that ended after the first ``number``."""
        count = min(self.ended - number, len(self._lines))
        return list(islice(self._lines, len(self._lines) - count, None))

    @property
    def open_line(self) -> str:
        """The line that has not ended; "" for none."""
        return self._style + _cleaned(_newest(self._open))[:LINE_CHARACTERS] if self._open else ""

    def _finished(self, line: str) -> str:
        whole = _cleaned(_newest(line))
        self.is_partial |= len(whole) > LINE_CHARACTERS
        cleaned = self._style + whole[:LINE_CHARACTERS]
        if "\x1b" in line:
            self._style = _style_after(self._style, line)
        return cleaned


def _newest(line: str) -> str:
    """The last state of a line that was written several times."""
    if "\x1b" in line:
        line = _RETURN.sub("\r", line)
    return line.rstrip("\r").rpartition("\r")[2] if "\r" in line else line


def _cleaned(line: str) -> str:
    """A line without the sequences that do more than set a style."""
    return _SEQUENCE.sub("", line) if "\x1b" in line else line


def _style_after(before: str, line: str) -> str:
    """The active styles after a line, as sequences."""
    holding = STYLE.findall(before)
    for style in STYLE.findall(line):
        if _RESETS.match(style):
            holding = []
        if style.strip("\x1b[0;m"):
            holding.append(style)
    return "".join(holding[-_STYLES_KEPT:])
