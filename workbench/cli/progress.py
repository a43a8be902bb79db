"""How far long work is, on a terminal's standard error and nowhere else."""

from __future__ import annotations

import sys
import time
from typing import Final, Self

_QUIET_SECONDS: Final = 0.5
_STEP_SECONDS: Final = 0.1
_CLEAR_LINE: Final = "\r\x1b[K"


class Progress:
    """A line that says ``Checking 4,200 of 10,000`` while the work goes on, and goes with it.

    Args:
        what: is done with each.
        total: how many there are.
    """

    def __init__(self, what: str, total: int) -> None:
        self._what = what
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
