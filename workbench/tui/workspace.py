"""A list and the view of its selected row, laid out for the size of the terminal: every tab is one."""

from __future__ import annotations

from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantFocus

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.tui.answer_pane import AnswerPane
from workbench.tui.frame import Framed, tab_line
from workbench.tui.messages import StatusChanged, SubjectChanged
from workbench.tui.row_list import RowList
from workbench.tui.subject_view import SubjectView

MEDIUM = (110, 32)
LARGE = (160, 44)

PaneName = Literal["request", "answer", "preview"]
PANES: tuple[PaneName, ...] = ("request", "answer", "preview")


class Workspace(Container):
    """One tab: a list, and the request, answer and preview of its selected row."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("z", "zoom", "Zoom", show=False),
        Binding("escape", "leave", show=False),
    ]

    def __init__(self, session: Session, rows: RowList, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.session = session
        self.rows = rows
        self.view = SubjectView(session)
        self._shown: PaneName = "request"

    def compose(self) -> ComposeResult:
        yield self.rows
        yield self.view

    @property
    def subject(self) -> str | None:
        """The digest that is shown."""
        return self.view.subject

    def notice(self, digest: str) -> list[Content]:
        """What stands before the request of a digest."""
        raise NotImplementedError

    def open_items(self) -> int:
        """The number that stands behind the tab's name."""
        raise NotImplementedError

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.cursor:
            await self.show_subject(event.key)

    async def show_subject(self, digest: str | None) -> None:
        """Show a digest in all panes."""
        await self.view.show(digest, self.notice(digest) if digest else [])
        self.rows.update_title()

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if event.key != self.subject:
            await self.show_subject(event.key)
        self.edit()

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        if self.subject is not None:
            self.show_pane("answer")
            self.view.answer.focus_start()

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        event.stop()
        if event.digest is not None:
            self.rows.refresh_rows([event.digest])
        if event.answer_wanted:
            self.show_pane("answer")
        self.update_frames()
        self.post_message(SubjectChanged(self.subject))

    async def on_answer_pane_requested(self, event: AnswerPane.Requested) -> None:
        event.stop()
        await self.run_action(f"{event.what}()")

    async def action_add_call(self) -> None:
        await self.view.add_call()

    async def action_remove_call(self) -> None:
        await self.view.remove_call()

    async def action_toggle_json(self) -> None:
        await self.view.toggle_json()

    # Panes

    def on_resize(self) -> None:
        width, height = self.app.size
        large = width >= LARGE[0] and height >= LARGE[1]
        medium = not large and width >= MEDIUM[0] and height >= MEDIUM[1]
        self.set_class(large, "-large")
        self.set_class(medium, "-medium")
        self.set_class(not large and not medium, "-small")
        self.call_after_refresh(self.update_frames)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.set_class(self.rows.has_focus, "-list-focus")
        for name, pane in zip(PANES, self._panes()[1:], strict=True):
            if pane in event.widget.ancestors_with_self:
                self.show_pane(name)

    def show_pane(self, name: PaneName) -> None:
        """Bring a pane into view, where not all have room."""
        self._shown = name
        for other in PANES:
            self.set_class(other == name, f"-show-{other}")
        self.update_frames()

    def update_frames(self) -> None:
        """Say in the frames what is shown."""
        digest = Content.styled(short(self.subject) if self.subject else "", "$text-muted")
        view = self.view
        kept = Content.styled(f"  {view.kept_at}" if view.kept_at else "", "$text-muted")
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
        view.request.set_frame(titles[0], digest + Content("  ") + view.request.facts())
        view.answer.set_frame(titles[1], digest + kept)
        view.preview.set_frame(titles[2], digest + Content.styled("  profile stub", "$text-muted"))

    def on_framed_pane_chosen(self, event: Framed.PaneChosen) -> None:
        event.stop()
        name = PANES[event.number]
        self.show_pane(name)
        if name == "answer":
            self.view.answer.focus_start()
        else:
            (self.view.request if name == "request" else self.view.preview).focus()

    def action_zoom(self) -> None:
        pane = next((w for w in self._panes() if w.has_focus or w.has_focus_within), None)
        if pane is not None and self.screen.maximized is None:
            self.screen.maximize(pane, container=False)
        else:
            self.screen.minimize()

    def _panes(self) -> list[Framed]:
        return [self.rows, self.view.request, self.view.answer, self.view.preview]

    def action_leave(self) -> None:
        """Escape: out of the zoom, then back to the list."""
        if self.screen.maximized is not None:
            self.screen.minimize()
            return
        self.view.write_back()
        self.rows.focus()

    def say(self, text: str, severity: str = "information") -> None:
        self.post_message(StatusChanged(text, severity))
