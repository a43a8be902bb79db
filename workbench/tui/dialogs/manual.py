"""The manual, page by page."""

from __future__ import annotations

from pathlib import PurePath
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Markdown, OptionList

from workbench.io import manual
from workbench.tui.dialogs.dialog import Dialog


class ManualScreen(Dialog[None]):
    """The list of pages, and the page that was chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,question_mark", "dismiss", "Back")]

    DEFAULT_CSS = """
    ManualScreen {
        align: center middle; background: $background 60%;
        & > Horizontal {
            width: 110; max-width: 96%; height: 90%; border: heavy $primary;
            border-title-color: $foreground; background: $surface;
        }
        & OptionList, & OptionList:focus { width: 18; height: 1fr; border: none; }
    }
    """

    def compose(self) -> ComposeResult:
        with Horizontal() as box:
            box.border_title = "Manual   (Enter shows a page, tab moves to it, esc closes)"
            yield OptionList(*manual.names())
            with VerticalScroll():
                yield Markdown(manual.read(manual.INDEX), open_links=False)

    async def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        await self._show(str(event.option.prompt))

    async def on_markdown_link_clicked(self, event: Markdown.LinkClicked) -> None:
        page = PurePath(event.href).stem
        if event.href.startswith("https:"):
            self.app.open_url(event.href)
        elif page in manual.names():
            await self._show(page)

    async def _show(self, page: str) -> None:
        await self.query_one(Markdown).update(manual.read(page))
        text = self.query_one(VerticalScroll)
        text.scroll_home(animate=False)
        text.focus()
