"""The base of the Misses and Fixtures tabs: a list, and a view of the selected row's digest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from textual.binding import BindingType
from textual.content import Content
from textual.events import DescendantFocus, Paste
from textual.message import Message
from textual.widget import Widget

from workbench.session.session import Session
from workbench.tui.command import Command, Place, Situation, bindings, first
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace.pane_layout import LIST
from workbench.tui.workspace.tab import Tab

# The list needs none of these.
if TYPE_CHECKING:
    from workbench.tui.preview.pane import PreviewPane
    from workbench.tui.request.pane import RequestPane
    from workbench.tui.workspace.notices import Notice
    from workbench.tui.workspace.subject_parts import SubjectParts
    from workbench.tui.workspace.subject_view import SubjectView

# fmt: off
_COMMANDS: Final[Sequence[Command[SubjectParts]]] = (
    Command("answer.save", "ctrl+s,f2", "Save",
            "Save, or go to the first error",
            lambda parts: parts.save(), bar=first("answering", "edited"), in_fields=True),
    Command("pane.undo", "u", "Undo",
            "Undo the last save, move, fix, deletion, skip or ignore",
            lambda parts: parts.undoing.undo(), bar={"undoable": Place.EARLY}),
    Command("pane.verify", "v", "Verify",
            "Ask the server and compare its reply with the preview",
            lambda parts: parts.view.verify(), bar=first("answered", "readable", "in preview")),
    Command("pane.preview", "ctrl+b,ctrl+right_square_bracket", "Preview",
            "Show the preview, or go back to where you were",
            lambda parts: parts.turn_preview(),
            bar={"answering": Place.EARLY, "in preview": Place.FIRST},
            labels={"in preview": "Back"}, in_fields=True, priority=True),
    Command("pane.play", "p", "Play",
            "Frame by frame, as a client sees the stream",
            lambda parts: parts.view.play()),
    Command("pane.export", "x", "Export",
            "Write the request or the conversation to a file",
            lambda parts: parts.tab.start("export", parts.view.export())),
    Command("pane.copy_digest", "y", "Copy",
            "Copy the digest",
            lambda parts: parts.copy_digest()),
    Command("pane.take_file", "Y", "Take file",
            "Discard the draft for the text of the file (asks)",
            lambda parts: parts.tab.start("take_file", parts.saving.take_file()),
            bar=first("edited")),
    Command("pane.later_turn", "Q", "Later turn",
            "Open the next later turn that contains the answer you changed",
            lambda parts: parts.tab.start("later_turn", parts.open_later_turn(), once=True),
            in_help=False),
    Command("pane.next", "J", "Next",
            "The next row, in the same view",
            lambda parts: parts.step(1)),
    Command("pane.previous", "K", "Previous",
            "The previous row, in the same view",
            lambda parts: parts.step(-1)),
)
# fmt: on


class Workspace(Tab):
    """A list, and the request, answer and preview of its selected row.

    Attributes:
        parts: these three and what the keys do; None until ``add_parts``.
    """

    TAB_COMMANDS: ClassVar[Sequence[Command[Any]]] = _COMMANDS
    BINDINGS: ClassVar[list[BindingType]] = bindings(_COMMANDS)

    @dataclass
    class OpenFixture(Message):
        """The row of a fixture is to be shown in its tab, and a sentence about it."""

        name: str
        sentence: str

    # The status line for a key that needs a digest, on a row without one.
    NO_DIGEST: ClassVar[str] = "This row has no digest, so there is nothing to do with it."

    parts: SubjectParts | None = None

    def __init__(self, session: Session, rows: RowList[Any]) -> None:
        self.rows = rows
        super().__init__(session, {LIST: FilteredList(rows)})

    async def add_parts(self, parts: SubjectParts) -> None:
        """Mount the view beside the list, and show the selected row in it."""
        view = parts.view
        self.add_panes({"request": view.request, "answer": view.answer, "preview": view.preview})
        await self.mount(view)
        self.panes.fit()  # their row may be empty
        self.parts = parts
        await parts.show(self.selected_digest)

    @property
    def actor(self) -> SubjectParts | None:
        return self.parts

    @property
    def situation(self) -> Mapping[Situation, int]:
        if self.parts is None:
            return super().situation
        row = dict.fromkeys(self.parts.situation, 1)
        return {**super().situation, **row}

    # For each tab to define

    def notice(self, digest: str) -> Notice:
        """The messages about a digest."""
        raise NotImplementedError

    def lines_without_digest(self) -> Sequence[Content]:
        """Lines in place of the request, where the selected row has no digest."""
        return ()

    def digest_of(self, key: str) -> str | None:
        """The digest of a row, if it has one."""
        return key

    def select_digest(self, digest: str) -> None:
        self.rows.select(digest)

    def decided(self, digest: str) -> None:
        """A decision about ``digest`` was made: update rows and counts."""
        raise NotImplementedError

    # The selected row

    @property
    def subject(self) -> str | None:
        """The digest, or the name of the fixture, that is shown."""
        return self.parts.view.subject if self.parts is not None else None

    @property
    def target(self) -> str | None:
        return self.parts.view.fixture_name if self.parts is not None else None

    @property
    def selected_digest(self) -> str | None:
        """The digest of the selected row, which becomes ``subject`` when it is shown."""
        key = self.rows.cursor
        return None if key is None else self.digest_of(key)

    @property
    def is_answering(self) -> bool:
        """True if the answer has the focus."""
        return self.parts is not None and self.parts.is_answering

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self.parts is not None and event.key == self.rows.cursor:
            await self.parts.show(self.selected_digest)

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if self.parts is None:
            return  # an early click
        digest = self.digest_of(event.key)
        if digest != self.subject:
            await self.parts.show(digest)
        self.parts.edit()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        if event.widget is not self.rows:
            # Somebody reads or writes about the selected row.
            self.rows.list_query.is_chosen = True

    def on_paste(self, event: Paste) -> None:
        """Text is pasted where no field takes it: it is never a row of keys."""
        event.stop()
        if self.parts is not None:
            text = event.text.replace("\r\n", "\n").replace("\r", "\n")
            self.start("paste", self.parts.paste(text))

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        event.stop()
        if self.parts is not None and event.digest is not None:
            self.parts.saving.assessed()
            self.update_keys()
            self.rows.refresh_rows([event.digest])
        if self.display:
            status_of(self).show_target(self.target)

    def on_preview_pane_verified(self, event: PreviewPane.Verified) -> None:
        event.stop()
        if self.subject is not None:
            self.rows.refresh_rows([self.subject])

    def on_request_pane_view_changed(self, event: RequestPane.ViewChanged) -> None:
        event.stop()
        self.update_keys()

    def files_changed(self, names: frozenset[str]) -> None:
        """Handle changed files of the fixtures folder."""
        if self.parts is not None:
            self.parts.files_changed(names)

    def profile_changed(self) -> None:
        """Render the preview as the server now reports that it replies."""
        if self.parts is not None:
            self.parts.view.assess_now()

    def focus_moved(self, began_in: Widget | None, key: str) -> bool:
        """True if the focus moved since ``key`` was pressed in a widget, while a question was
        prepared; then a message is shown. Keys typed elsewhere do not answer the question.
        """
        if self.app.focused in (None, began_in):
            return False
        self.say(f"Not done, because you moved on. {key} asks again.")
        return True

    # Panes

    def take_focus(self) -> None:
        if self.subject is None:
            self.screen.set_focus(self.rows)
        else:
            super().take_focus()

    def write_back(self) -> None:
        if self.parts is not None:
            self.parts.view.write_back()

    async def action_pane(self, by: int) -> None:
        """Tab key: in the answer the next hole, else the next field, else the next pane."""
        if self.parts is None or not await self.parts.view.go_to_field(by):
            self.panes.focus_next(by, skipped="" if self.subject else "answer")
