"""The base of the Misses and Fixtures tabs: a list, and a view of the selected row's digest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget

from workbench.io.fixture.store import SUFFIX
from workbench.session.session import Session
from workbench.tui.pane_layout import LIST
from workbench.tui.tab import Tab
from workbench.tui.undo_actions import UndoActions
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.status import NOTHING_SELECTED, UNTIL_ANOTHER_ROW, status_of

# The list needs none of these; they are imported where they are used.
if TYPE_CHECKING:
    from workbench.tui.save_actions import SaveActions
    from workbench.tui.subject_view import SubjectView


class Workspace(Tab):
    """A list, and the request, answer and preview of its selected row.

    ``open`` mounts the list, ``open_view`` the other three.

    Attributes:
        has_view: whether these are mounted; before that there is no ``view`` and no ``saving``.
        shows_difference: whether a change of files is shown in place of the request.
    """

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s,f2", "save", "Save", show=False,
                id="answer.save", tooltip="Save; with errors the cursor goes to the first"),
        Binding("u", "run('undoing', 'undo')", "Undo",
                id="pane.undo",
                tooltip="Undo the last save, re-key, fix, deletion, skip or ignore"),
        Binding("v", "run('view', 'verify')", "Verify",
                id="pane.verify", tooltip="Ask the server and compare with the preview"),
        Binding("p", "run('view', 'play')", "Play", show=False,
                id="pane.play", tooltip="Frame by frame, as a client sees the stream"),
        Binding("x", "run('view', 'export')", "Export", show=False,
                id="pane.export",
                tooltip="Write the request or the conversation to a file"),
        Binding("y", "copy_digest", "Copy", show=False,
                id="pane.copy_digest", tooltip="Copy the digest"),
        Binding("Y", "start('saving', 'take_file')", "Take file", show=False,
                id="pane.take_file", tooltip="Discard the draft for the text of the file (asks)"),
        Binding("J", "step(1)", "Next", show=False,
                id="pane.next", tooltip="The next row, in the same view"),
        Binding("K", "step(-1)", "Previous", show=False,
                id="pane.previous", tooltip="The previous row, in the same view"),
    ]
    # fmt: on

    # The status line for a key that needs a digest, on a row without one.
    NO_DIGEST: ClassVar[str] = "This row has no digest: there is nothing to do with it."

    view: SubjectView
    saving: SaveActions

    def __init__(self, session: Session, rows: RowList[Any], *, id: str) -> None:
        self.shows_difference = False
        self.rows = rows
        self.has_view = False
        super().__init__(session, {LIST: FilteredList(rows)}, id=id)
        self.undoing = UndoActions(self, self._show_undone, self.select_digest)

    async def open_view(self) -> None:
        """Mount the view beside the list, and show the selected row in it."""
        from workbench.tui.save_actions import SaveActions
        from workbench.tui.subject_view import SubjectView

        self.view = view = SubjectView(self.session, self.panes)
        self.saving = SaveActions(view, self._saved, self._show_undone)
        self.panes.add({"request": view.request, "answer": view.answer, "preview": view.preview})
        await self.mount(view)
        self.has_view = True
        await self.show_subject(self.selected_digest)

    # What each tab defines

    def notice(self, digest: str) -> list[Content]:
        """Lines above the request of a digest."""
        raise NotImplementedError

    def notice_without_digest(self) -> list[Content]:
        """Lines in place of the request, where the selected row has no digest."""
        return []

    def digest_of(self, key: str) -> str | None:
        """The digest of a row, if it has one."""
        return key

    def select_digest(self, digest: str) -> None:
        self.rows.select(digest)

    # The selected row

    @property
    def subject(self) -> str | None:
        return self.view.subject if self.has_view else None

    @property
    def selected_digest(self) -> str | None:
        """The digest of the selected row, which becomes ``subject`` when it is shown."""
        key = self.rows.cursor
        return None if key is None else self.digest_of(key)

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if self.has_view and event.key == self.rows.cursor:
            await self.show_subject(self.selected_digest)

    async def show_subject(self, digest: str | None) -> None:
        if digest != self.subject:
            status_of(self).clear(UNTIL_ANOTHER_ROW)
        self.shows_difference = False
        notice = self.notice(digest) if digest else self.notice_without_digest()
        await self.view.show(digest, notice)
        self.view.no_digest = NOTHING_SELECTED if self.rows.cursor is None else self.NO_DIGEST
        self.rows.update_title()

    def action_difference(self) -> None:
        """Show how the draft differs from its file; again: the request."""
        if self.shows_difference and self.panes.is_in_view("request"):
            self.show_again()
        elif self.view.wanted_digest() is not None:
            self.shows_difference = self.saving.show_difference()
            self.panes.show("request")

    def show_again(self) -> None:
        """Update what is shown of the selected row."""

        async def show() -> None:
            await self.show_subject(self.subject)  # another one by now, where the row left the list

        self.call_later(show)

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        if not self.has_view:
            return  # an early click
        digest = self.digest_of(event.key)
        if digest != self.subject:
            await self.show_subject(digest)
        self.edit()

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        digest = self.view.wanted_digest()
        if digest is not None:
            self.panes.focus("answer")
            self._quote(digest)

    def _quote(self, digest: str) -> None:
        """Say what is being answered."""
        miss = self.session.miss_index.misses.get(digest)
        if miss is not None and miss.summary is not None:
            status_of(self).say(f"user: {miss.summary.last_user_text}", topic=UNTIL_ANOTHER_ROW)

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        event.stop()
        if event.digest is not None:
            self.saving.assessed(event.digest)
            self.rows.refresh_rows([event.digest])
        if self.display:
            status_of(self).show_target(self.subject)

    # Decisions

    def decided(self, digest: str) -> None:  # noqa: ARG002
        """A decision about ``digest`` was made: update rows and counts."""
        self.post_message(self.CountsChanged())

    def go_on(self, saved: str) -> None:
        """Select the row to go on with, after a digest was saved, if it is not the next one."""

    def _saved(self, digest: str) -> None:
        self.panes.focus_first()
        self.decided(digest)
        self.go_on(digest)
        # Where its row stays selected, what is shown is the file from now on.
        if self.selected_digest == digest:
            self.view.answer.show_kept("")
            self.view.choose_open_request()
            self.show_again()

    def _show_undone(self, digest: str) -> None:
        self.decided(digest)
        if self.subject == digest and not self.view.answer.has_focus_within:
            self.show_again()

    def files_changed(self, names: frozenset[str]) -> None:
        """Handle changed files of the fixtures folder."""
        if f"{self.subject}{SUFFIX}" in names and self.saving.file_changed():
            self.show_again()

    def focus_moved(self, began_in: Widget | None, key: str) -> bool:
        """Whether the focus moved since ``key`` was pressed in a widget, while a question was
        prepared; says so. Keys typed elsewhere are not its answer.
        """
        if self.app.focused in (None, began_in):
            return False
        self.say(f"You moved on meanwhile: {key} asks again.")
        return True

    # Panes

    def take_focus(self) -> None:
        if self.subject is None:
            self.screen.set_focus(self.rows)
        else:
            super().take_focus()

    def write_back(self) -> None:
        if self.has_view:
            self.view.write_back()

    # Keys

    def action_pane(self, by: int) -> None:
        """Tab key: in the answer the next hole, else the next field, else the next pane."""
        from workbench.tui.answer.editor import Editor

        answer, focused = self.view.answer, self.app.focused
        if isinstance(focused, Editor) and focused.go_to_hole(by):
            return
        fields = [widget for widget in self.screen.focus_chain if answer in widget.ancestors]
        if focused in fields and 0 <= fields.index(focused) + by < len(fields):
            field = fields[fields.index(focused) + by]
            self.screen.set_focus(field)
            if isinstance(field, Editor):
                field.go_to_hole(by, enters=True)
        else:
            self.panes.focus_next(by, skipped="" if self.subject else "answer")

    def action_save(self) -> None:
        """Save the draft; outside the answer an untouched skeleton only when asked twice."""
        digest = self.view.wanted_digest()
        if digest is not None:
            self.saving.save(digest, may_be_empty=self.view.answer.has_focus_within)

    async def action_allow(self) -> None:
        await self.saving.allow()

    async def action_draft(self, name: str) -> None:
        from workbench.tui.answer import draft_actions

        digest = self.view.wanted_digest()
        if digest is not None:
            if name == "add_call" and not self.view.answer.has_focus_within:
                self._quote(digest)
            await getattr(draft_actions, name)(self.view)

    async def action_copy_digest(self) -> None:
        digest = self.view.wanted_digest()
        if digest is not None:
            self.app.copy_to_clipboard(digest)

    async def action_step(self, by: int) -> None:
        """Select the next row, or the one before, without leaving the pane."""
        if self.rows.move_to(self.rows.cursor_place + by):
            # Here and not by a message, so that the next key acts on this row.
            await self.show_subject(self.selected_digest)
