"""What every tab is: panes that share the room there is, the first of them a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.compose import compose
from textual.containers import Container
from textual.content import Content
from textual.dom import DOMNode
from textual.events import DescendantFocus

from workbench.session.session import Session
from workbench.tui.clipboard import copy
from workbench.tui.lines.section_pane import SectionPane
from workbench.tui.messages import StatusChanged
from workbench.tui.services.failures import TellsFailures
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.frame import Framed, tab_line
from workbench.tui.widgets.row_list import RowList

MEDIUM = (110, 32)
LARGE = (160, 44)


class Tab(Container, TellsFailures):
    """Knows how much room there is, by the classes ``-small``, ``-medium`` and ``-large``, and
    which of its panes has the focus: by classes, too, where not all have room. Its panes come
    when it is first shown, by ``open``: what nobody has looked at costs nothing.

    The list stands first. Of the others as many are shown as there is room for: a pane gives way
    by size, never moves.

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

    # The names of the panes behind the list, in the order of the Tab key.
    PANES: ClassVar[Sequence[str]]
    # Whether the last two share a place where there is room for two.
    HAS_PAIR: ClassVar[bool] = True

    def __init__(self, session: Session, rows: RowList[Any], *, id: str) -> None:
        super().__init__(id=id)
        self.session = session
        self.rows = rows
        self.box = FilteredList(rows)
        self.is_open = False
        self._shown = self.PANES[0]
        self._in_list = True

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

    def enter(self, pane: Framed) -> None:
        """Give the focus to a pane that is in view."""
        self.screen.set_focus(pane.entry)

    # What they share

    def on_resize(self) -> None:
        self._fit()
        self.call_after_refresh(self.update_frames)

    def _fit(self) -> None:
        width, height = self.app.size
        large = width >= LARGE[0] and height >= LARGE[1]
        medium = not large and width >= MEDIUM[0] and height >= MEDIUM[1]
        small = not large and not medium
        classes = {"-large": large, "-medium": medium, "-small": small}
        classes["-list-focus"] = small and self._in_list
        for name in self.PANES:
            in_pair = medium and self.HAS_PAIR and name == self.PANES[-1]
            classes[f"-show-{name}"] = (small or in_pair) and name == self._shown
        if any(self.has_class(name) != is_set for name, is_set in classes.items()):
            # All at once: each change looks up the styles of everything in the tab.
            for name, is_set in classes.items():
                self.set_class(is_set, name, update=False)
            self.update_node_styles()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        around = event.widget.ancestors_with_self
        panes = zip(self.PANES, self.panes[1:], strict=True)
        entered = next((name for name, pane in panes if pane in around), self._shown)
        self.show_pane(entered, in_list=self.box in around)

    def show_pane(self, name: str, *, in_list: bool | None = None) -> None:
        """Bring a pane into view, where not all have room.

        Args:
            in_list: whether the list has the focus, or will have it; None for as before.
        """
        zoomed, pane = self.screen.maximized, self.panes[self.PANES.index(name) + 1]
        if in_list is None and zoomed not in (None, pane):
            self.screen.minimize()
        self._shown = name
        if in_list is not None:
            self._in_list = in_list
        self._fit()
        self.update_frames()

    def focus_pane(self, name: str) -> None:
        """Bring a pane into view and go into it."""
        self.show_pane(name, in_list=False)
        self.enter(self.panes[self.PANES.index(name) + 1])

    def focus_on(self, pane: Framed) -> None:
        """Go into a pane, or into the list."""
        if pane is self.box.frame:
            self.screen.set_focus(self.rows)
        else:
            self.focus_pane(self.PANES[self.panes.index(pane) - 1])

    def take_focus(self) -> None:
        """Give the focus to the pane that is meant to have it."""
        if self._in_list:
            self.screen.set_focus(self.rows)
        else:
            self.focus_pane(self._shown)

    def titles(self, names: Sequence[str]) -> list[Content]:
        """What stands left in the frames of the panes: where several share a place, a button for
        each.

        Args:
            names: of the panes, as they are shown.
        """
        chosen = self.PANES.index(self._shown)
        if self.has_class("-small"):
            return [tab_line(names, chosen, action="choose_pane")] * len(names)
        titles = [Content.styled(name, "bold") for name in names]
        if self.HAS_PAIR and self.has_class("-medium"):
            pair = tab_line(names[1:], max(chosen, 1), action="choose_pane", first=1)
            titles[1:] = [pair, pair]
        return titles

    def on_framed_pane_chosen(self, event: Framed.PaneChosen) -> None:
        event.stop()
        self.focus_pane(self.PANES[event.number])

    def on_section_pane_facts_changed(self, event: SectionPane.FactsChanged) -> None:
        event.stop()
        self.update_frames()

    def on_section_pane_copied(self, event: SectionPane.Copied) -> None:
        event.stop()
        self.copy(event.text)

    def copy(self, text: str) -> None:
        """Put a text into the clipboard, and say so."""
        self.say(copy(self.app, self.session.state_folder, text))

    def say(self, text: str, severity: str = "information") -> None:
        self.post_message(StatusChanged(text, severity))

    def bring_into_view(self, owner: DOMNode) -> None:
        """Go to a pane whose command is wanted, unless something in it has the focus."""
        for pane in self.panes:
            if owner in (pane, pane.entry) and not pane.has_focus_within:
                self.focus_on(pane)

    def focused_pane(self) -> Framed | None:
        """The pane that has the focus, or something in it."""
        return next((pane for pane in self.panes if pane.has_focus or pane.has_focus_within), None)

    def action_pane(self, by: int) -> None:
        panes, focused = self.panes, self.focused_pane()
        place = panes.index(focused) if focused is not None else 0
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
        self.screen.set_focus(self.rows)
