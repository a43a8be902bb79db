"""The end of the application: drafts are kept, and what would be lost is asked about."""

from __future__ import annotations

from workbench.session.wording import cannot_write, counted
from workbench.tui.screen import MainScreen

_ENDS = "y ends, any other key stays."


def keep_drafts(main: MainScreen) -> OSError | None:
    """Write every draft to disk, with what was typed; returns why one cannot be."""
    try:
        for tab in main.tabs.values():
            if tab.is_open:
                tab.write_back()
        main.session.drafts.store_changed()
    except OSError as error:
        return error
    return None


def question(main: MainScreen, trouble: OSError | None, *, is_own: bool) -> tuple[str, str] | None:
    """What to ask before the end: about drafts that cannot be kept, a decision about many that is
    half made, clients that wait for the server of this window, forks that were not written; and
    what the keys do. None where nothing is lost.

    Args:
        trouble: why drafts cannot be kept.
        is_own: whether the server ends with this window.
    """
    session = main.session
    if trouble is not None:
        lost = counted(len(session.drafts.unkept), "draft")
        why = cannot_write(session.state_folder.path, trouble)
        return f"{lost} would be lost: {why}.", _ENDS
    if session.batch_job.is_running:
        return (
            "A decision about many is under way still.",
            "y ends and leaves the others as they are, any other key stays.",
        )
    if is_own and (clients := session.held.clients):
        waits = "waits for an answer" if clients == 1 else "wait for answers"
        return (
            f"{counted(clients, 'client')} {waits} of the server that ends with this window.",
            "y ends and they get the fallback, esc stays.",
        )
    if begun := len(main.runs.book.forks_begun):
        return f"{counted(begun, 'fork')} not written would be lost.", _ENDS
    return None
