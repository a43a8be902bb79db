"""Checks before quitting: save drafts, and ask about what would be lost."""

from __future__ import annotations

from workbench.core.text.wording import counted
from workbench.io.files.path_text import cannot_write
from workbench.tui.screen import MainScreen

_ENDS = "y ends, any other key stays."


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
) -> tuple[str, str] | None:
    """The question before quitting, and what the keys do; None where nothing would be lost. It is
    about drafts that cannot be saved, a running batch job, clients that wait for the server of
    this window, a suite that still runs, or forks that were not written. In the demo, where nobody
    else waits, it is about drafts alone.

    Args:
        trouble: why drafts cannot be saved.
        is_own: whether the server ends with this window.
        is_demo: whether all files are deleted at the end.
    """
    session = main.session
    if is_demo:
        written = sum(draft.touched for draft in session.drafts.drafts.values())
        lost = f"{counted(written, 'draft')} would be lost: the demo's folder is deleted."
        return (lost, _ENDS) if written else None
    if trouble is not None:
        lost = counted(len(session.drafts.unkept), "draft")
        why = cannot_write(session.state_folder.path, trouble)
        return f"{lost} would be lost: {why}.", _ENDS
    if session.batch_job.is_running:
        return (
            "An action on many files is still running.",
            "y ends it where it is, any other key stays.",
        )
    if is_own and (clients := session.held.clients):
        waits = "waits for an answer" if clients == 1 else "wait for answers"
        return (
            f"{counted(clients, 'client')} {waits} of the server that ends with this window.",
            "y ends and they get the fallback, esc stays.",
        )
    if session.suite is not None and session.suite.is_running:
        return "The suite is still running.", _ENDS
    if begun := len(session.recordings.forks_begun):
        return f"{counted(begun, 'fork')} not written would be lost.", _ENDS
    return None
