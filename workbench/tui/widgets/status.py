"""The status line, and saying something in it from any widget."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from workbench.core.digest import short
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.styles import ERROR, WARNING

SEVERITY_STYLES = {"information": "", "warning": WARNING, "error": ERROR}


class StatusBar(Horizontal):
    """What the last key did (left) and what saving will write (right)."""

    DEFAULT_CSS = """
    StatusBar {
        height: 1; padding: 0 1;
        & #message { width: 1fr; text-wrap: nowrap; text-overflow: ellipsis; }
        & #target { width: auto; color: $text-muted; }
        &.-full #target { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._message = self._target = Content("")
        # Not in compose: texts may come before it is mounted.
        self._message_label = SteadyLabel(id="message")
        self._target_label = SteadyLabel(id="target")

    def compose(self) -> ComposeResult:
        yield self._message_label
        yield self._target_label

    def say(self, text: str, severity: str = "information") -> None:
        """Show a text until the next one: an ``information``, a ``warning`` or an ``error``."""
        self._message = one_line(text, SEVERITY_STYLES[severity])
        self._message_label.update(self._message)
        self._share_room()

    @property
    def is_silent(self) -> bool:
        """Whether no text is shown."""
        return not self._message.plain

    def hint(self, text: str, *, instead_of: str) -> None:
        """Show a text unless another one is shown, but for an earlier hint that it replaces."""
        if self._message.plain in ("", one_line(instead_of).plain):
            self.say(text)

    def clear(self, text: str) -> None:
        """Remove a text that no longer holds, if it is still shown."""
        if self._message.plain == one_line(text).plain:
            self.say("")

    def show_target(self, digest: str | None) -> None:
        """Show which fixture a save writes, if there is room beside the text."""
        self._target = Content(f"saves {short(digest)}….json" if digest else "")
        self._target_label.update(self._target)
        self._share_room()

    def on_resize(self) -> None:
        self._share_room()

    def _share_room(self) -> None:
        needed = self._message.cell_length + 2 + self._target.cell_length
        self.set_class(needed > self.content_size.width, "-full")


def status_of(widget: Widget) -> StatusBar:
    """The status line of a widget's application, which dialogs do not cover."""
    return widget.app.screen_stack[0].get_child_by_type(StatusBar)


def say(widget: Widget, text: str, severity: str = "information") -> None:
    """Show a text in the status line of a widget's application. Arguments as ``StatusBar.say``."""
    status_of(widget).say(text, severity)


def say_failure(widget: Widget, event: Worker.StateChanged) -> None:
    """Say that a worker of ``widget`` failed: else its result would be waited for."""
    event.stop()
    if event.state == WorkerState.ERROR:
        error = event.worker.error
        say(widget, f"Not done: {type(error).__name__}: {error}.", "error")
