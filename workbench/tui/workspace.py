"""What every tab does with the selected row of its list: show, edit, verify, export."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from workbench.session.export import ExportKind, export
from workbench.tui.answer import draft_actions
from workbench.tui.answer.pane import AnswerPane
from workbench.tui.dialogs.export_picker import ExportPicker
from workbench.tui.messages import CountsChanged, SubjectChanged
from workbench.tui.misses.undo_key import UndoKey
from workbench.tui.pane_layout import PaneLayout
from workbench.tui.preview.pane import PreviewPane
from workbench.tui.subject_view import SubjectView
from workbench.tui.tab import Tab
from workbench.tui.widgets.actions import perform
from workbench.tui.widgets.row_list import RowList

# What the keys of every tab do, they do while somebody types, too.
_BESIDE_TEXT: Final = frozenset(
    key.action.partition("(")[0] for key in Tab.BINDINGS if isinstance(key, Binding)
)


class Workspace(PaneLayout, UndoKey):
    """One tab: a list, and the request, answer and preview of its selected row."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Verify",
                id="pane.verify", tooltip="Ask the server and compare with the preview"),
        Binding("p", "play", "Play", show=False,
                id="pane.play", tooltip="Frame by frame, as a client sees the stream"),
        Binding("x", "export", "Export", show=False,
                id="pane.export", tooltip="Write the request as JSON, curl or Python"),
        Binding("J", "step(1)", "Next", show=False,
                id="pane.next", tooltip="The next row, in the same view"),
        Binding("K", "step(-1)", "Previous", show=False,
                id="pane.previous", tooltip="The row before, in the same view"),
    ]
    # fmt: on

    def notice(self, digest: str) -> list[Content]:
        """What stands before the request of a digest."""
        raise NotImplementedError

    def digest_of(self, key: str) -> str | None:
        """The digest a row is about, if it is about one."""
        return key

    # What is said of a key that needs a digest, of a row that has none.
    NO_DIGEST: ClassVar[str] = "This row has no digest: there is nothing to do with it."

    def wanted_digest(self) -> str | None:
        """The digest that is shown, for a key that needs one; says so where its row has none."""
        if self.subject is None and self.rows.cursor is not None:
            self.say(self.NO_DIGEST)
        return self.subject

    def notice_without_digest(self) -> list[Content]:
        """What stands in the place of the request where the selected row has no digest."""
        return []

    def select_digest(self, digest: str) -> None:
        """Select the row of a digest."""
        self.rows.select(digest)

    async def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        if event.key == self.rows.cursor:
            await self.show_subject(event.key and self.digest_of(event.key))

    async def show_subject(self, digest: str | None) -> None:
        """Show a digest in all panes."""
        notice = self.notice(digest) if digest else self.notice_without_digest()
        await self.view.show(digest, notice)
        self.rows.update_title()

    def show_anew(self) -> None:
        """Show the digest that is shown anew, behind what is being shown."""
        self.call_later(self._show_anew)

    async def _show_anew(self) -> None:
        await self.show_subject(self.subject)  # which is another one by now, where rows were left

    async def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        digest = self.digest_of(event.key)
        if digest != self.subject:
            await self.show_subject(digest)
        self.edit()

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        digest = self.wanted_digest()
        if digest is not None:
            self.focus_pane("answer")
            miss = self.session.book.misses.get(digest)
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

    def show_undone(self, digests: Sequence[str]) -> None:
        self.decided(*digests)
        if self.subject in digests and not self.view.answer.has_focus_within:
            self.show_anew()

    def went_on(self, began_in: Widget | None, key: str) -> bool:
        """Whether somebody went elsewhere while it was worked out what to ask; says so. What is
        typed there is no answer.

        Args:
            began_in: what had the focus at the key that asked for it.
        """
        if self.app.focused in (None, began_in):
            return False
        self.say(f"You went on meanwhile: {key} asks again.")
        return True

    def decided(self, *digests: str) -> None:  # noqa: ARG002
        """Decisions about ``digests`` were made: rows and counts change."""
        self.post_message(CountsChanged())

    # What the keys of the answer ask for

    async def on_answer_pane_requested(self, event: AnswerPane.Requested) -> None:
        event.stop()
        await perform(self, event.what)

    async def on_answer_pane_fix_requested(self, event: AnswerPane.FixRequested) -> None:
        event.stop()
        await draft_actions.fix(self.view, event.finding)

    async def action_add_call(self) -> None:
        if self.wanted_digest() is not None:
            await draft_actions.add_call(self.view)

    async def action_remove_call(self) -> None:
        await draft_actions.remove_call(self.view)

    async def action_edit_outside(self) -> None:
        if self.wanted_digest() is not None:
            await draft_actions.edit_outside(self.view)

    async def action_toggle_lines(self) -> None:
        await draft_actions.toggle_lines(self.view)

    async def action_toggle_json(self) -> None:
        await draft_actions.toggle_json(self.view)

    # Panes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What letters do is for the list and the request; a text field has them as text."""
        is_typing = self.view.answer.has_focus_within or isinstance(self.app.focused, Input)
        if is_typing and action not in _BESIDE_TEXT:
            return False
        return super().check_action(action, parameters)

    def action_verify(self) -> None:
        digest = self.wanted_digest()
        if digest is None:
            return
        broken = self.session.files.unusable(digest)
        if broken is not None:
            self.say(
                f"The file is broken ({broken}, {broken.place}): the server sends the fallback.",
                "error",
            )
            return
        self.show_pane("preview")
        self.view.verify()

    def action_play(self) -> None:
        if self.wanted_digest() is not None:
            self.show_pane("preview")
            self.view.preview.action_play()

    def action_step(self, by: int) -> None:
        """Select the next row, or the one before, without leaving the pane."""
        self.rows.action_move(by)

    def action_export(self) -> None:
        """Ask for a form and write the request that is shown in it."""
        digest, payload = self.subject, self.view.request.payload
        if digest is None or payload is None:
            self.say("Its request is not known: there is nothing to export.")
            return

        def write(kind: ExportKind | None) -> None:
            if kind is None:
                return
            try:
                use = export(
                    self.session.state_folder, digest, payload, kind, self.session.server_url
                )
            except OSError as error:
                self.say(f"Cannot write the export: {error.strerror}.", "error")
            else:
                self.say(use)

        self.app.push_screen(ExportPicker(digest), write)

    def on_preview_pane_changed(self, event: PreviewPane.Changed) -> None:
        """What its frame says changed, or the state of the digest."""
        event.stop()
        if self.subject is not None:
            self.rows.refresh_rows([self.subject])
        self.update_frames()
