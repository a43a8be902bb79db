"""The window of the terminal around the application: its title, its bell, and its shell."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any, Final

from textual.app import App

from workbench.core.text.inert import escaped
from workbench.io.settings import Bell
from workbench.session.session import Session

# Terminals put the title of a window on a stack and take it off again, as xterm does.
_KEEP_TITLE: Final = "\x1b[22;0t"
_BRING_TITLE_BACK: Final = "\x1b[23;0t"
# These would show the sequences as text, or have no window.
_WITHOUT_WINDOW: Final = frozenset({"", "dumb", "linux"})


class TerminalWindow:
    """The title, bell and notifications of the terminal, for a person whose focus is in another
    window. It does nothing without a terminal, and in a browser.
    """

    def __init__(self, app: App[Any]) -> None:
        self._app = app
        self._title = ""
        self._is_titled = False

    def set_title(self, title: str) -> None:
        """Set the title of the window; ``leave`` restores the former one."""
        if title != self._title:
            self._title = title
            self._write_title()

    def leave(self) -> None:
        """Give the window the title back that it had."""
        if self._is_titled:
            self._is_titled = False
            self._write(_BRING_TITLE_BACK)

    def enter(self) -> None:
        """Take the window again after ``leave``."""
        if self._title:
            self._write_title()

    def _write_title(self) -> None:
        keep = "" if self._is_titled else _KEEP_TITLE
        self._is_titled = True
        self._write(f"{keep}\x1b]2;{escaped(self._title)}\x07")

    def call(self, text: str, bell: Bell) -> None:
        """Call a person who looks at another window, according to the setting ``bell``.

        Args:
            text: for a notification; it must not begin with a digit, which some terminals interpret
                as the number of a command.
        """
        if bell == "off" or (bell != "always" and self._app.app_focus):
            return
        if bell == "notification":
            self._write(_through_tmux(f"\x1b]9;{escaped(text)}\x07"))
        else:
            self._app.bell()

    def _write(self, sequence: str) -> None:
        """Write to the terminal between two frames: the buffer below Textual's file has a lock,
        and gets each of its frames as a whole.
        """
        file = sys.__stderr__
        has_window = file is not None and file.isatty()
        if file is None or not has_window or self._app.is_headless or self._app.is_web:
            return
        if os.environ.get("TERM", "") in _WITHOUT_WINDOW:
            return
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone
            file.buffer.write(sequence.encode())
            file.buffer.flush()


def _through_tmux(sequence: str) -> str:
    """A sequence for the terminal around tmux, because tmux drops unknown sequences."""
    if not os.environ.get("TMUX"):
        return sequence
    doubled = sequence.replace("\x1b", "\x1b\x1b")
    return f"\x1bPtmux;{doubled}\x1b\\"


def title_of(session: Session) -> str:
    """``2 waiting · 1 failed, 3 passed · workbench``: waiting requests are first, because lists of
    windows cut titles at the end.
    """
    suite = session.suite
    parts = [f"{len(session.held)} waiting"] if session.held else []
    if suite is not None and suite.state and not suite.is_running:
        parts.append(suite.state)
    return " · ".join([*parts, "workbench"])


def can_suspend() -> bool:
    """True if a shell can continue this process, because the shell put it into a group of its own.
    A stopped process that leads its session would stay stopped.
    """
    return sys.platform != "win32" and os.getpgrp() != os.getsid(0)


def stop_process() -> None:
    """Stop this process and its group, until the shell continues them."""
    # Textual's handler would take the screen back while the process goes on, and leave it blank.
    before = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
    try:
        os.killpg(0, signal.SIGTSTP)
    finally:
        signal.signal(signal.SIGTSTP, before)
