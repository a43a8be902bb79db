"""Leave the application: save or ask before, and end when the terminal is closed, which Textual
does not handle.
"""

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

from workbench.core.text.wording import counted
from workbench.io.files.path_text import cannot_write
from workbench.tui.screen import MainScreen

_LOOK_SECONDS: Final = 1.0
# How long an application may take to begin to leave, and then to leave.
_BEGIN_SECONDS: Final = 2.0
_END_SECONDS: Final = 5.0
BAD_INPUT: Final = "workbench: ended by bytes from the terminal that are not UTF-8."


def keep_drafts(main: MainScreen) -> OSError | None:
    """Write every draft to disk, with what was typed; returns the error if that fails."""
    try:
        for tab in main.tabs.values():
            tab.write_back()
        main.session.drafts.store_changed()
    except OSError as error:
        return error
    return None


def question(
    main: MainScreen, trouble: OSError | None, *, is_own: bool, is_demo: bool = False
) -> str | None:
    """The question before quitting; None if nothing would be lost. It is about drafts that cannot
    be saved, a running batch job, clients that wait for the server of this window, a suite that
    still runs, or forks that were not written. In the demo, which has no other users, it is only
    about drafts.

    Args:
        trouble: why drafts cannot be saved.
        is_own: True if the server ends with this window.
        is_demo: True if all files are deleted at the end.
    """
    session = main.session
    if is_demo:
        written = sum(draft.touched for draft in session.drafts.drafts.values())
        lost = f"{counted(written, 'draft')} would be lost, because the demo's folder is deleted."
        return lost if written else None
    if trouble is not None:
        lost = counted(len(session.drafts.unkept), "draft")
        why = cannot_write(session.state_folder.path, trouble)
        return f"{lost} would be lost, because {why}."
    if session.batch_job.is_running:
        return "An action on many files is still running. It would stop halfway."
    if is_own and (clients := session.held.clients):
        who = counted(clients, "test" if session.suite is not None else "client")
        is_waiting, gets = ("is", "it gets") if clients == 1 else ("are", "they get")
        reply = "an error" if session.server.is_strict else "a placeholder reply"
        return f"{who} {is_waiting} still waiting. If you quit, {gets} {reply}."
    if session.suite is not None and session.suite.is_running:
        return "The suite is still running."
    if begun := len(session.recordings.forks_begun):
        return f"{counted(begun, 'fork')} not written would be lost."
    return None


def leave_when_asked(leave: Callable[[], threading.Event], end: Callable[[], int]) -> None:
    """Leave on a signal, and when the terminal is closed. A terminal that no longer reads stops
    Textual for good once its queue of output is full, so the process is ended if it cannot leave.
    It is ended soon, because Textual reads from a closed terminal without a pause.

    Args:
        leave: makes the application end; called in another thread. The event is set when the end
            begins.
        end: ends background work; returns the exit code of the process.
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
    """True if the terminal of standard input is closed. That sends no signal to a process that does
    not control the terminal or that ignores hang-ups.
    """
    poll = select.poll()
    poll.register(0, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


def is_bad_input(error: RenderableType) -> bool:
    """True if Textual's ``error`` means that it could not decode input from the terminal."""
    from rich.traceback import Traceback  # loads Pygments, which nothing else needs

    return isinstance(error, Traceback) and any(
        stack.exc_type == UnicodeDecodeError.__name__ for stack in error.trace.stacks
    )
