"""The status line, and saying something in it from any widget."""

from __future__ import annotations

from collections import deque
from typing import Final

from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.worker import Worker, WorkerState

from workbench.core.fixture.names import short_file_name
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, WARNING

# The topic of messages that are valid until the shown draft is edited.
UNTIL_EDITED: Final = "draft"
# The topic of messages that are valid until another row is selected.
UNTIL_ANOTHER_ROW: Final = "row"
# The topic of messages that are valid until a row with a waiting client is selected.
UNTIL_HELD_ROW: Final = "held"
# For a key that needs a row.
NOTHING_SELECTED: Final = "No row is selected."
# How often to look for the end of a question.
_LOOK_SECONDS: Final = 0.5
SEVERITY_STYLES = {"information": "", "warning": WARNING, "error": ERROR}


class StatusBar(Widget):
    """The effect of the last key (left) and of saving (right), if there is room for both.

    Attributes:
        message: the effect of the last key.
        news: a message shown in its place now, about an event that was not caused by a key.
    """

    DEFAULT_CSS = """
    StatusBar { height: 1; padding: 0 1; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.message = self._target = Content("")
        self._topic = ""
        # Queued messages about events without a key; the first is shown for its seconds.
        self._waiting: deque[tuple[Content, float]] = deque()
        self.news = Content("")
        self._news_timer: Timer | None = None

    def render(self) -> Content:
        width, message = self.content_size.width, self.news or self.message
        gap = width - message.cell_length - self._target.cell_length
        if gap < 2:
            return _cut(message, width)
        return message + Content(" " * gap) + self._target

    def tell(self, text: str, *, seconds: float) -> None:
        """Show a message about an event without a key for some seconds, and then the message
        before. It waits for earlier news, and while a question covers this line.
        """
        self._waiting.append((one_line(text), seconds))
        if self._news_timer is None:
            self._show_news()

    def _show_news(self) -> None:
        self.news, wait = Content(""), 0.0
        if self._waiting:
            is_seen = self.screen.is_current
            self.news, wait = self._waiting.popleft() if is_seen else (self.news, _LOOK_SECONDS)
        self._news_timer = self.set_timer(wait, self._show_news) if wait else None
        self.refresh()

    def say(self, text: str, severity: str = "information", *, topic: str = "") -> None:
        """Show a message until the next one: an ``information``, a ``warning`` or an ``error``.

        Args:
            topic: by which ``clear`` removes it, if it may cease to be true.
        """
        self.message = one_line(text, SEVERITY_STYLES[severity])
        self._topic = topic
        if text:
            self.news = Content("")
        self.refresh()

    def hint(self, text: str, *, topic: str) -> None:
        """Show a message unless one about something else is shown."""
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


def _cut(message: Content, width: int) -> Content:
    """A text in ``width`` cells: without the sentence that is cut, if half of them stay filled."""
    if message.cell_length <= width:
        return message
    cut = message.truncate(width, ellipsis=True)
    sentences = cut.plain.rfind(". ") + 1
    return message[:sentences] + Content(" …") if 2 * sentences > width else cut


def status_of(widget: Widget) -> StatusBar:
    """The status line of a widget's application, which dialogs do not cover. While the application
    ends, it may be gone before the widget; then one that is not shown.
    """
    main = widget.app.screen_stack[:1]
    shown = [status for screen in main for status in screen.query_children(StatusBar)]
    return shown[0] if shown else StatusBar()


def say(widget: Widget, text: str, severity: str = "information") -> None:
    """Show a message in the status line of a widget's application. For the arguments see
    ``StatusBar.say``.
    """
    status_of(widget).say(text, severity)


def say_failure(widget: Widget, event: Worker.StateChanged) -> None:
    """Show that a worker of ``widget`` failed, so that you do not wait for its result."""
    event.stop()
    if event.state == WorkerState.ERROR:
        error = event.worker.error
        say(widget, f"Not done: {type(error).__name__}: {error}.", "error")
