"""The status line, and saying something in it from any widget."""

from __future__ import annotations

from typing import Final

from textual.content import Content
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from workbench.core.fixture.names import short_file_name
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, WARNING

# The topic of texts that hold until the shown draft is edited.
UNTIL_EDITED: Final = "draft"
# The topic of texts that hold until another row is selected.
UNTIL_ANOTHER_ROW: Final = "row"
# The topic of texts that hold until a row is selected whose client waits.
UNTIL_HELD_ROW: Final = "held"
# For a key that needs a row.
NOTHING_SELECTED: Final = "No row is selected."
SEVERITY_STYLES = {"information": "", "warning": WARNING, "error": ERROR}


class StatusBar(Widget):
    """What the last key did (left) and what saving will write (right), if there is room for both.

    Attributes:
        message: what the last key did.
    """

    DEFAULT_CSS = """
    StatusBar { height: 1; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.message = self._target = Content("")
        self._topic = ""

    def render(self) -> Content:
        width = self.content_size.width
        gap = width - self.message.cell_length - self._target.cell_length
        if gap < 2:
            return self.message.truncate(width, ellipsis=True)
        return self.message + Content(" " * gap) + self._target

    def say(self, text: str, severity: str = "information", *, topic: str = "") -> None:
        """Show a text until the next one: an ``information``, a ``warning`` or an ``error``.

        Args:
            topic: by which ``clear`` removes it, if it may cease to be true.
        """
        self.message = one_line(text, SEVERITY_STYLES[severity])
        self._topic = topic
        self.refresh()

    def hint(self, text: str, *, topic: str) -> None:
        """Show a text unless one about something else is shown."""
        if not self.message or self._topic == topic:
            self.say(text, topic=topic)

    def clear(self, topic: str) -> None:
        """Remove the text about a topic, if it is still shown."""
        if self._topic == topic:
            self.say("")

    def show_target(self, name: str | None) -> None:
        """Show which fixture a save writes."""
        self._target = Content.styled(f"saves {short_file_name(name)}" if name else "", MUTED)
        self.refresh()


def status_of(widget: Widget) -> StatusBar:
    """The status line of a widget's application, which dialogs do not cover. While the application
    ends, it may be gone before the widget; then one that is not shown.
    """
    main = widget.app.screen_stack[:1]
    shown = [status for screen in main for status in screen.query_children(StatusBar)]
    return shown[0] if shown else StatusBar()


def say(widget: Widget, text: str, severity: str = "information") -> None:
    """Show a text in the status line of a widget's application. Arguments as ``StatusBar.say``."""
    status_of(widget).say(text, severity)


def say_failure(widget: Widget, event: Worker.StateChanged) -> None:
    """Say that a worker of ``widget`` failed: else its result would be waited for."""
    event.stop()
    if event.state == WorkerState.ERROR:
        error = event.worker.error
        say(widget, f"Not done: {type(error).__name__}: {error}.", "error")
