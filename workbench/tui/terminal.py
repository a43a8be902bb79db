"""What Textual leaves to an application: how it ends with its terminal."""

from __future__ import annotations

import select
from typing import Final

from rich.console import RenderableType

LOOK_SECONDS: Final = 1.0
BAD_INPUT: Final = "workbench: ended by bytes from the terminal that are not UTF-8."


def is_gone() -> bool:
    """Whether the terminal that keys come from is closed. A process that is not controlled by it
    gets no signal then, nor does one that ignores hang-ups.
    """
    poll = select.poll()
    poll.register(0, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def is_bad_input(error: RenderableType) -> bool:
    """Whether Textual reports with ``error`` that it could not decode what the terminal sent."""
    from rich.traceback import Traceback  # loads Pygments, which nothing else needs

    return isinstance(error, Traceback) and any(
        stack.exc_type == UnicodeDecodeError.__name__ for stack in error.trace.stacks
    )
