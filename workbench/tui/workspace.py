"""A list and the view of its selected row, laid out for the terminal's size: what a tab is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual._callback import invoke
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import DescendantFocus
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Input

from workbench.core.digest import short
from workbench.io.store import FixtureChangedError
from workbench.session.decisions import NothingToUndoError, SaveRefusedError
from workbench.session.session import Session
from workbench.tui.answer_pane import AnswerPane
from workbench.tui.frame import Framed, tab_line
from workbench.tui.messages import StatusChanged, SubjectChanged
from workbench.tui.preview_pane import PreviewPane
from workbench.tui.row_list import RowList
from workbench.tui.styles import MUTED
from workbench.tui.subject_view import SubjectView

MEDIUM = (110, 32)
LARGE = (160, 44)

PaneName = Literal["request", "answer", "preview"]
PANES: tuple[PaneName, ...] = ("request", "answer", "preview")


class Workspace(Container):
    """One tab: a list, and the request, answer and preview of its selected row."""

    @dataclass
    class Decided(Message):
        """A decision was made: counts changed."""

        digest: str

    @dataclass
    class Asked(Message):
        """A decision needs a line of text from the person."""

        question: str
        answered: Callable[[str], None]

    @dataclass
    class ConfirmAsked(Message):
        """A decision about many needs a yes."""

        question: str
        confirmed: Callable[[], None]

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
        Binding(
            "v",
            "verify",
            "Verify",
            id="pane.verify",
            tooltip="Ask the server and compare with the preview",
        ),
    ]

    def __init__(self, session: Session, rows: RowList, *, id: str) -> None:
        super().__init__(id=id, classes="-show-request -list-focus")
        self.session = session
        self.rows = rows
        self.box = self.rows_box()
        self.view = SubjectView(session)
        self._shown: PaneName = "request"
        self._overwrite: str | None = None

    def compose(self) -> ComposeResult:
        yield self.box
        yield self.view

    def rows_box(self) -> Widget:
        """What the list stands in."""
        return self.rows

    @property
    def subject(self) -> str | None:
        """The digest that is shown."""
        return self.view.subject

    def notice(self, digest: str) -> list[Content]:
        """What stands before the request of a digest."""
        raise NotImplementedError

    def digest_of(self, key: str) -> str | None:
        """The digest a row is about, if it is about one."""
        return key

    def select_digest(self, digest: str) -> None:
        """Select the row of a digest."""
        self.rows.select(digest)

    def open_items(self) -> int:
        """The number that stands behind the tab's name."""
        raise NotImplementedError

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.cursor:
            await self.show_subject(event.key and self.digest_of(event.key))

    async def show_subject(self, digest: str | None) -> None:
        """Show a digest in all panes."""
        await self.view.show(digest, self.notice(digest) if digest else [])
        self.rows.update_title()

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        digest = self.digest_of(event.key)
        if digest != self.subject:
            await self.show_subject(digest)
        self.edit()

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        if self.subject is not None:
            self.show_pane("answer")
            self.view.answer.focus_start()
            miss = self.session.book.misses.get(self.subject)
            if miss is not None and miss.summary is not None:
                self.say(f"user: {miss.summary.last_user_text}")

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        event.stop()
        if event.digest is not None:
            self.rows.refresh_rows([event.digest])
        if event.answer_wanted:
            self.show_pane("answer")
        self.update_frames()
        self.post_message(SubjectChanged(self.subject, self.id))

    # Decisions

    def action_save(self) -> None:
        """Save the draft as the fixture of its digest and go to the next miss."""
        digest = self.subject
        if digest is None:
            return
        self.view.write_back()
        draft = self.session.draft(digest)
        if not draft.touched and draft.base is not None:
            self.say("Nothing changed: the file is as it was.")
            return
        try:
            self.session.save(digest, overwrite=self._overwrite == digest)
        except SaveRefusedError as error:
            self.say(f"{error} ^n next problem, ^r fix, ^l allow.", "error")
            self.view.assess_now()
            self.view.answer.go_to_problem()
        except FixtureChangedError as error:
            self._overwrite = digest
            happened = "is gone" if error.now is None else "changed on disk"
            self.say(
                f"The file {happened}. ^s again overwrites it, esc and d show the difference.",
                "warning",
            )
        except OSError as error:
            folder = self.session.store.folder
            self.say(f"Cannot write to {folder}: {error.strerror}. The draft is kept.", "error")
        else:
            self._overwrite = None
            self.say(f"Saved {short(digest)}. The server answers with it from now on. u undoes.")
            self.rows.focus()
            self.decided(digest)

    def action_undo(self) -> None:
        try:
            sentence, digests = self.session.undo()
        except NothingToUndoError:
            self.say("Nothing to undo in this session.")
        except FixtureChangedError:
            self.say(
                "Changed since by another program: not undone. The file is as it was.", "warning"
            )
        except OSError as error:
            self.say(f"Cannot undo: {error.strerror}.", "error")
        else:
            for digest in digests:
                self.decided(digest)
            self.select_digest(digests[-1])
            self.say(sentence)

    def decided(self, digest: str) -> None:
        """A decision about ``digest`` was made: rows and counts change."""
        self.post_message(self.Decided(digest))

    # What the keys of the answer ask for

    async def on_answer_pane_requested(self, event: AnswerPane.Requested) -> None:
        event.stop()
        # Not by run_action: that asks whether the letter of the action may act here.
        await invoke(getattr(self, f"action_{event.what}"))

    async def action_add_call(self) -> None:
        await self.view.add_call()

    async def action_remove_call(self) -> None:
        await self.view.remove_call()

    async def action_edit_outside(self) -> None:
        await self.view.edit_outside()

    async def action_toggle_lines(self) -> None:
        await self.view.toggle_lines()

    async def action_toggle_json(self) -> None:
        await self.view.toggle_json()

    # Panes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "verify":
            return not (self.view.answer.has_focus_within or isinstance(self.app.focused, Input))
        return super().check_action(action, parameters)

    def action_verify(self) -> None:
        self.show_pane("preview")
        self.view.verify()

    def on_preview_pane_changed(self, event: PreviewPane.Changed) -> None:
        """What its frame says changed, or the state of the digest."""
        event.stop()
        if self.subject is not None:
            self.rows.refresh_rows([self.subject])
        self.update_frames()

    def on_resize(self) -> None:
        width, height = self.app.size
        large = width >= LARGE[0] and height >= LARGE[1]
        medium = not large and width >= MEDIUM[0] and height >= MEDIUM[1]
        self.set_class(large, "-large")
        self.set_class(medium, "-medium")
        self.set_class(not large and not medium, "-small")
        self.call_after_refresh(self.update_frames)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        self.set_class(self.box in event.widget.ancestors_with_self, "-list-focus")
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
        digest = Content.styled(short(self.subject) if self.subject else "", MUTED)
        view = self.view
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
        view.request.set_frame(titles[0], digest + Content("  ") + view.request.facts())
        view.answer.set_frame(titles[1], digest + kept)
        view.preview.set_frame(titles[2], digest + Content("  ") + view.preview.facts())

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
