"""Ending with the terminal, which Textual leaves to the application."""

from __future__ import annotations

import select
from typing import Final

from rich.console import RenderableType

LOOK_SECONDS: Final = 1.0
BAD_INPUT: Final = "workbench: ended by bytes from the terminal that are not UTF-8."


def is_gone() -> bool:
    """Whether the terminal of standard input is closed. That sends no signal to a process that it
    does not control or that ignores hang-ups.
    """
    poll = select.poll()
    poll.register(0, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def is_bad_input(error: RenderableType) -> bool:
    """Whether Textual's ``error`` is that it could not decode input from the terminal."""
    from rich.traceback import Traceback  # loads Pygments, which nothing else needs

    return isinstance(error, Traceback) and any(
        stack.exc_type == UnicodeDecodeError.__name__ for stack in error.trace.stacks
    )
