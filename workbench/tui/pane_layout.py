"""Where a list and the view of its selected row stand, by the size of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from textual.app import ComposeResult
from textual.content import Content
from textual.events import DescendantFocus
from textual.widget import Widget

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.tui.frame import Framed, tab_line
from workbench.tui.row_list import RowList
from workbench.tui.styles import MUTED
from workbench.tui.subject_view import SubjectView
from workbench.tui.tab import Tab

PaneName = Literal["request", "answer", "preview"]
PANES: tuple[PaneName, ...] = ("request", "answer", "preview")


class PaneLayout(Tab):
    """A list and three panes: all of them, two, or one, as there is room. A pane gives way by
    size, never moves.
    """

    def __init__(self, session: Session, rows: RowList, *, id: str) -> None:
        super().__init__(rows, id=id, classes="-show-request -list-focus")
        self.box = self.rows_box()
        self.view = SubjectView(session)
        self._shown: PaneName = "request"

    def contents(self) -> ComposeResult:
        yield self.box
        yield self.view

    def rows_box(self) -> Widget:
        """What the list stands in."""
        return self.rows

    @property
    def subject(self) -> str | None:
        """The digest that is shown."""
        return self.view.subject

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        around = event.widget.ancestors_with_self
        entered = (n for n, pane in zip(PANES, self.panes[1:], strict=True) if pane in around)
        self.show_pane(next(entered, self._shown), in_list=self.box in around)

    def show_pane(self, name: PaneName, *, in_list: bool | None = None) -> None:
        """Bring a pane into view, where not all have room.

        Args:
            in_list: whether the list has the focus, or will have it; None for as before.
        """
        self._shown = name
        classes = {f"-show-{other}": other == name for other in PANES}
        if in_list is not None:
            classes["-list-focus"] = in_list
        # All at once: each change looks up the styles of everything in the tab.
        self.update_classes(classes)
        self.update_frames()

    def update_frames(self) -> None:
        """Say in the frames what is shown."""
        digest = Content.styled(short(self.subject) if self.subject else "", MUTED)
        view = self.view
        before_facts = digest + Content("  " if self.subject else "")
        kept = Content.styled(f"  {view.kept_at}" if view.kept_at else "", MUTED)
        if self.has_class("-large"):
            titles = [Content.styled(n.title(), "bold") for n in PANES]
        else:
            names = [n.title() for n in PANES]
            chosen = PANES.index(self._shown)
            if self.has_class("-medium"):
                right = max(chosen, 1)
                pair = tab_line(names[1:], right, action="choose_pane", first=1)
                titles = [Content.styled("Request", "bold"), pair, pair]
            else:
                titles = [tab_line(names, chosen, action="choose_pane")] * 3
        view.request.set_frame(titles[0], before_facts + view.request.facts())
        view.answer.set_frame(titles[1], digest + kept)
        view.preview.set_frame(titles[2], before_facts + view.preview.facts())

    def on_framed_pane_chosen(self, event: Framed.PaneChosen) -> None:
        event.stop()
        self.focus_pane(PANES[event.number])

    def take_focus(self) -> None:
        """Give the focus to the pane that is meant to have it."""
        if self.has_class("-list-focus") or self.subject is None:
            self.rows.focus()
        else:
            self.focus_pane(self._shown)

    def focus_pane(self, name: PaneName) -> None:
        """Bring a pane into view and go into it."""
        self.show_pane(name, in_list=False)
        if name == "answer":
            self.view.answer.focus_start()
        else:
            (self.view.request if name == "request" else self.view.preview).focus()

    def action_pane(self, by: int) -> None:
        """Tab: in the answer field by field, else pane by pane, also to those that have no room
        until they are gone into; round through the list.
        """
        if self._focus_field(by):
            return
        panes = [self.box, *self.panes[1:]]
        place = next((n for n, pane in enumerate(panes) if pane.has_focus_within), 0)
        reachable = [n for n in range(len(panes)) if self.subject or n != PANES.index("answer") + 1]
        target = reachable[(reachable.index(place) + by) % len(reachable)]
        self.screen.minimize()
        if target == 0:
            self.rows.focus()
        else:
            self.focus_pane(PANES[target - 1])

    def _focus_field(self, by: int) -> bool:
        """Go to another field of the answer, if the focus is in one and there is another."""
        answer, focused = self.view.answer, self.app.focused
        fields = [w for w in self.screen.focus_chain if answer in w.ancestors]
        if focused not in fields:
            return False
        place = fields.index(focused) + by
        if not 0 <= place < len(fields):
            return False
        fields[place].focus()
        return True

    @property
    def panes(self) -> Sequence[Framed]:
        return [self.rows, self.view.request, self.view.answer, self.view.preview]

    def focus_on(self, pane: Framed) -> None:
        if pane is self.rows:
            pane.focus()
        else:
            self.focus_pane(PANES[self.panes.index(pane) - 1])

    def write_back(self) -> None:
        self.view.write_back()
