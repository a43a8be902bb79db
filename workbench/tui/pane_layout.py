"""Where a list and the view of its selected row stand, by the size of the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.app import ComposeResult
from textual.content import Content

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.tui.subject_view import SubjectView
from workbench.tui.tab import Tab
from workbench.tui.widgets.frame import Framed
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import MUTED


class PaneLayout(Tab):
    """A list, and the request, the answer and the preview of its selected row."""

    PANES = ("request", "answer", "preview")

    def __init__(self, session: Session, rows: RowList[Any], *, id: str) -> None:
        super().__init__(session, rows, id=id)
        self.view = SubjectView(session)

    def contents(self) -> ComposeResult:
        yield self.box
        yield self.view

    @property
    def subject(self) -> str | None:
        """The digest that is shown."""
        return self.view.subject

    def update_frames(self) -> None:
        """Say in the frames what is shown."""
        digest = Content.styled(short(self.subject) if self.subject else "", MUTED)
        view = self.view
        before_facts = digest + Content("  " if self.subject else "")
        kept = Content.styled(f"  {view.kept_at}" if view.kept_at else "", MUTED)
        titles = self.titles([name.title() for name in self.PANES])
        view.request.set_frame(titles[0], before_facts + view.request.facts())
        view.answer.set_frame(titles[1], digest + kept)
        view.preview.set_frame(titles[2], before_facts + view.preview.facts())

    def take_focus(self) -> None:
        if self.subject is None:
            self.screen.set_focus(self.rows)
        else:
            super().take_focus()

    def enter(self, pane: Framed) -> None:
        if pane is self.view.answer:
            self.view.answer.focus_start()
        else:
            self.screen.set_focus(pane.entry)

    def action_pane(self, by: int) -> None:
        """Tab: in the answer field by field, else pane by pane, also to those that have no room
        until they are gone into; round through the list.
        """
        if self._focus_field(by):
            return
        panes = [self.box, *self.panes[1:]]
        place = next((n for n, pane in enumerate(panes) if pane.has_focus_within), 0)
        answer = self.PANES.index("answer") + 1
        reachable = [n for n in range(len(panes)) if self.subject or n != answer]
        target = reachable[(reachable.index(place) + by) % len(reachable)]
        self.focus_on(self.panes[target])

    def _focus_field(self, by: int) -> bool:
        """Go to another field of the answer, if the focus is in one and there is another."""
        answer, focused = self.view.answer, self.app.focused
        fields = [w for w in self.screen.focus_chain if answer in w.ancestors]
        if focused not in fields:
            return False
        place = fields.index(focused) + by
        if not 0 <= place < len(fields):
            return False
        self.screen.set_focus(fields[place])
        return True

    @property
    def panes(self) -> Sequence[Framed]:
        return [self.box.frame, self.view.request, self.view.answer, self.view.preview]

    def write_back(self) -> None:
        self.view.write_back()
