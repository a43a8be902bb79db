"""Ending with the terminal, which Textual leaves to the application."""

from __future__ import annotations

import os
import queue
import select
import signal
import threading
import time
from collections.abc import Callable
from typing import Final

from rich.console import RenderableType

_LOOK_SECONDS: Final = 1.0
# How long an application may take to begin to leave, and then to leave.
_BEGIN_SECONDS: Final = 2.0
_END_SECONDS: Final = 5.0
BAD_INPUT: Final = "workbench: ended by bytes from the terminal that are not UTF-8."


def leave_when_asked(leave: Callable[[], threading.Event], end: Callable[[], int]) -> None:
    """Leave on a signal, and when the terminal is gone. A terminal that no longer reads stops
    Textual for good once its queue of output is full; so the process is ended if it cannot leave,
    and soon: from a closed terminal Textual reads without a pause.

    Args:
        leave: asks the application to end; called in another thread. The event is set when it
            begins to.
        end: ends what would run on; returns the exit code of the process.
    """
    # Putting is all that a signal may do: it can interrupt anything.
    signals: queue.SimpleQueue[int] = queue.SimpleQueue()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: signals.put(number))

    def wait() -> None:
        while not _is_gone():
            try:
                signals.get(timeout=_LOOK_SECONDS)
                break
            except queue.Empty:
                continue
        if leave().wait(_BEGIN_SECONDS):
            time.sleep(_END_SECONDS)
        os._exit(end())

    threading.Thread(target=wait, daemon=True).start()


def _is_gone() -> bool:
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
