"""One widget in an application of its own, and what it drew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from textual.app import ComposeResult
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from tests.tui.drawn import drawn_text
from workbench.tui.keys.key_order import KeyOrder
from workbench.tui.widgets.contrast import readable
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import StatusBar

M = TypeVar("M", bound=Message)


class Host(KeyOrder):
    """Shows one widget and remembers the messages that come out of it."""

    CSS = "Host { & #other { height: 1; } & StatusBar { display: none; } }"

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self._widget = widget
        self.messages: list[Message] = []
        self.copied: list[str] = []
        self.rows_ready.set()
        self.ready.set()

    def get_css_variables(self) -> dict[str, str]:
        return readable(super().get_css_variables())

    def compose(self) -> ComposeResult:
        widget = self._widget
        yield FilteredList(widget) if isinstance(widget, RowList) else widget
        yield Other(id="other")
        yield StatusBar()

    def copy_to_clipboard(self, text: str) -> None:
        super().copy_to_clipboard(text)
        self.copied.append(text)

    def of(self, kind: type[M]) -> list[M]:
        """The messages of a kind that came, each once however many widgets it passed."""
        came = (message for message in self.messages if isinstance(message, kind))
        return list({id(message): message for message in came}.values())

    @property
    def status(self) -> str:
        """What the widget said last."""
        return self.query_one(StatusBar).message.plain

    def text(self) -> str:
        """What stands on the screen."""
        return drawn_text(self.screen)


class Other(Widget, can_focus=True):
    """Something else that can have the focus."""

    def render(self) -> str:
        return ""


def host(
    widget: Widget,
    flow: Callable[[Host, Pilot[None]], Awaitable[None]],
    size: tuple[int, int] = (60, 12),
) -> None:
    """Run ``flow`` while ``widget`` is shown and has the focus."""

    async def run() -> None:
        app = Host(widget)
        async with app.run_test(size=size, message_hook=app.messages.append) as pilot:
            widget.focus()
            await pilot.pause()
            await flow(app, pilot)

    asyncio.run(run())
