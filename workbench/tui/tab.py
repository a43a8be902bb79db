"""What every tab is: panes that share the room there is, the first of them a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.compose import compose
from textual.containers import Container
from textual.dom import DOMNode

from workbench.tui.frame import Framed
from workbench.tui.row_list import RowList

MEDIUM = (110, 32)
LARGE = (160, 44)


class Tab(Container):
    """Knows how much room there is, by the classes ``-small``, ``-medium`` and ``-large``, and
    which of its panes has the focus. Its panes come when it is first shown, by ``open``: what
    nobody has looked at costs nothing.

    Args:
        rows: the list that has the focus first.

    Attributes:
        is_open: whether the panes are there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "z",
            "zoom",
            "Zoom",
            show=False,
            id="pane.zoom",
            tooltip="This pane on the whole screen, and back",
        ),
        Binding(
            "escape",
            "leave",
            show=False,
            id="pane.leave",
            tooltip="Out of the zoom, then to the list",
        ),
        Binding("tab", "pane(1)", show=False, id="pane.on", tooltip="Next pane, or field"),
        Binding(
            "shift+tab", "pane(-1)", show=False, id="pane.back", tooltip="Pane or field before"
        ),
    ]

    def __init__(self, rows: RowList, *, id: str, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.rows = rows
        self.is_open = False

    async def open(self) -> None:
        """Bring in the panes, if they are not there yet."""
        async with self.batch():
            if not self.is_open:
                self._fit()
                await self.mount_all(compose(self, self.contents()))
                self.is_open = True
                self.show_news()

    def show_news(self) -> None:
        """Something changed: show it, if anything is shown yet."""
        if self.is_open:
            self.show_rows()

    # What each tab says of itself

    def contents(self) -> ComposeResult:
        """The panes, and what they stand in."""
        raise NotImplementedError

    def show_rows(self) -> None:
        """Show in the open tab what there is now."""
        raise NotImplementedError

    @property
    def panes(self) -> Sequence[Framed]:
        """All panes in the order of the Tab key."""
        raise NotImplementedError

    @property
    def subject(self) -> str | None:
        """The digest whose fixture a save writes."""
        return None

    def open_items(self) -> int | None:
        """The number that stands behind the tab's name; None for no number."""
        raise NotImplementedError

    def update_frames(self) -> None:
        """Say in the frames what is shown."""

    def write_back(self) -> None:
        """Take in what was typed."""

    def focus_on(self, pane: Framed) -> None:
        """Bring a pane into view and go into it."""
        pane.focus()

    # What they share

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self.update_frames)

    def _fit(self) -> None:
        width, height = self.app.size
        large = width >= LARGE[0] and height >= LARGE[1]
        medium = not large and width >= MEDIUM[0] and height >= MEDIUM[1]
        small = not large and not medium
        self.update_classes({"-large": large, "-medium": medium, "-small": small})

    def take_focus(self) -> None:
        """Give the focus to the pane that is meant to have it."""
        self.rows.focus()

    def bring_into_view(self, owner: DOMNode) -> None:
        """Go to a pane whose command is wanted, unless something in it has the focus."""
        for pane in self.panes:
            if owner is pane and not pane.has_focus_within:
                self.focus_on(pane)

    def focused_pane(self) -> Framed | None:
        """The pane that has the focus, or something in it."""
        return next((pane for pane in self.panes if pane.has_focus or pane.has_focus_within), None)

    def action_pane(self, by: int) -> None:
        panes, focused = self.panes, self.focused_pane()
        place = panes.index(focused) if focused is not None else 0
        self.screen.minimize()
        self.focus_on(panes[(place + by) % len(panes)])

    def action_zoom(self) -> None:
        pane = self.focused_pane()
        if pane is not None and self.screen.maximized is None:
            self.screen.maximize(pane, container=False)
        else:
            self.screen.minimize()

    def action_leave(self) -> None:
        """Escape: out of the zoom, then back to the list."""
        if self.screen.maximized is not None:
            self.screen.minimize()
            return
        self.write_back()
        self.rows.focus()
