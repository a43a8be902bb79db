"""What every tab does with the selected row of its list: show, edit, save, undo, verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Final

from textual._callback import invoke
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Input

from workbench.io.store import SUFFIX, FileStamp, FixtureChangedError
from workbench.session.decisions import SaveRefusedError, SecretFoundError
from workbench.session.export import ExportKind, export
from workbench.session.session import Session
from workbench.session.wording import cannot_write
from workbench.tui import draft_actions, on_disk
from workbench.tui.answer_pane import AnswerPane
from workbench.tui.export_picker import ExportPicker
from workbench.tui.filterable_list import FilterableList
from workbench.tui.messages import CountsChanged, StatusSolved, SubjectChanged
from workbench.tui.notices import saved_sentence
from workbench.tui.pane_layout import PaneLayout
from workbench.tui.preview_pane import PreviewPane
from workbench.tui.row_list import RowList
from workbench.tui.subject_view import SubjectView
from workbench.tui.tab import Tab
from workbench.tui.undo_key import UndoKey

# What the keys of every tab do, they do while somebody types, too.
_BESIDE_TEXT: Final = frozenset(
    key.action.partition("(")[0] for key in Tab.BINDINGS if isinstance(key, Binding)
)


class Workspace(PaneLayout, UndoKey):
    """One tab: a list, and the request, answer and preview of its selected row.

    Long because what the keys of all such tabs do is said here, each in a few lines.
    """

    @dataclass
    class Asked(Message):
        """A decision needs a line of text from the person."""

        question: str
        answered: Callable[[str], None]

    @dataclass
    class ConfirmAsked(Message):
        """A decision about many needs a yes.

        Attributes:
            declined: called for a no.
        """

        question: str
        confirmed: Callable[[], object]
        declined: Callable[[], object] | None = None

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("v", "verify", "Verify",
                id="pane.verify", tooltip="Ask the server and compare with the preview"),
        Binding("p", "play", "Play", show=False,
                id="pane.play", tooltip="Frame by frame, as a client sees the stream"),
        Binding("x", "export", "Export", show=False,
                id="pane.export", tooltip="Write the request as JSON, curl or Python"),
        Binding("Y", "take_file", "Take file", show=False,
                id="pane.take_file", tooltip="The file's text instead of the draft (asks)"),
        Binding("J", "step(1)", "Next", show=False,
                id="pane.next", tooltip="The next row, in the same view"),
        Binding("K", "step(-1)", "Previous", show=False,
                id="pane.previous", tooltip="The row before, in the same view"),
    ]
    # fmt: on

    def __init__(self, session: Session, rows: FilterableList, *, id: str) -> None:
        super().__init__(session, rows, id=id)
        # The file of another program, by digest and state, that the next save may replace.
        self._overwrite: tuple[str, FileStamp | None] | None = None
        # Of what draft, by its revision, secrets were told; and whether only its request has them.
        self._told_secret: tuple[str, int, bool] | None = None
        self._refusal: tuple[str, str] | None = None

    def notice(self, digest: str) -> list[Content]:
        """What stands before the request of a digest."""
        raise NotImplementedError

    def digest_of(self, key: str) -> str | None:
        """The digest a row is about, if it is about one."""
        return key

    def select_digest(self, digest: str) -> None:
        """Select the row of a digest."""
        self.rows.select(digest)

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
        self._release_keys()

    def _release_keys(self) -> None:
        """Behind the change of the focus, which is put off in the same way."""
        self.app.call_later(self.rows.release_keys)

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        if self.subject is not None:
            self.focus_pane("answer")
            miss = self.session.book.misses.get(self.subject)
            if miss is not None and miss.summary is not None:
                self.say(f"user: {miss.summary.last_user_text}")

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        event.stop()
        if event.digest is not None:
            self.rows.refresh_rows([event.digest])
            self._take_back_refusal(event.digest)
        if event.answer_wanted:
            self.show_pane("answer")
        self.update_frames()
        self.post_message(SubjectChanged(self.subject, self.id))

    def _take_back_refusal(self, digest: str) -> None:
        """A save was refused for errors that are mended now."""
        assessment = self.session.assessments.get(digest)
        if self._refusal is None or self._refusal[0] != digest or assessment is None:
            return
        if not assessment.errors:
            self.post_message(StatusSolved(self._refusal[1]))
            self._refusal = None

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
        now = (digest, draft.revision)
        was_told = self._told_secret is not None and self._told_secret[:2] == now
        try:
            is_agreed = self._overwrite == (digest, self.session.store.stamp(digest))
            self.session.save(digest, overwrite=is_agreed, secrets=was_told)
        except SecretFoundError as error:
            self._told_secret = (*now, error.in_request)
            without = ", ^l stores without the request" if error.in_request else ""
            self.say(f"{error} ^s again saves{without}.", "warning")
        except SaveRefusedError as error:
            self._refusal = (digest, f"{error} ^n next problem, ^r fix, ^l allow.")
            self.say(self._refusal[1], "error")
            self.view.answer.show_assessment(self.session.assessments[digest])
            self.view.answer.go_to_first_error()
            self.view.assess_now()
        except FixtureChangedError:
            self._overwrite = (digest, self.session.store.stamp(digest))
            self.say(on_disk.changed(self.session, digest, is_asked=True), "warning")
        except OSError as error:
            trouble = cannot_write(self.session.store.folder, error)
            self.say(self.view.keep_for(f"{trouble[0].upper()}{trouble[1:]}."), "error")
        else:
            self._overwrite = self._told_secret = None
            self.say(saved_sentence(self.session, digest))
            self.rows.focus()
            self.decided(digest)
            self.call_next(self._show_saved, digest)

    async def _show_saved(self, digest: str) -> None:
        """Where a saved digest stays selected, what is shown of it is its file from now on: the
        draft that was saved is no longer one.
        """
        cursor = self.rows.cursor
        if cursor is not None and self.digest_of(cursor) == digest:
            await self.show_subject(digest)

    def files_changed(self, names: frozenset[str]) -> None:
        """Files of the fixtures folder changed. A draft somebody writes is not touched: it is told;
        one nobody wrote into is the file.
        """
        digest = self.subject
        if digest is None or f"{digest}{SUFFIX}" not in names:
            return
        self.view.write_back()
        draft, stamp = self.session.drafts.get(digest), self.session.store.stamp(digest)
        if draft is None or draft.base == stamp or self._overwrite == (digest, stamp):
            return
        if draft.touched:
            self.say(on_disk.changed(self.session, digest, is_asked=False), "warning")
        else:
            self.call_later(self.show_subject, digest)

    def show_difference(self, digest: str) -> None:  # noqa: ARG002
        """Show how the draft of the digest that is shown differs from its file."""
        self.say(on_disk.show_difference(self.view))
        self.show_pane("request")

    def action_take_file(self) -> None:
        """Take what the file holds, after asking where a draft goes with that."""
        digest = self.subject
        draft = self.session.drafts.get(digest) if digest else None
        if digest is None or draft is None or not draft.touched:
            self.say("Nothing is written here that the file does not hold.")
        elif self.session.store.stamp(digest) is None:
            self.say("There is no file of it; the draft is all there is.")
        else:
            question = "Take the file and let go of your draft? y does, any other key keeps it."
            self.post_message(self.ConfirmAsked(question, partial(self._take_file, digest)))

    def _take_file(self, digest: str) -> None:
        self.say(on_disk.take_theirs(self.view, digest))
        self._overwrite = None
        self.call_later(self.show_subject, digest)
        self.decided(digest)

    def show_undone(self, digests: Sequence[str]) -> None:
        self.decided(*digests)
        if self.subject in digests and not self.view.answer.has_focus_within:
            self.call_later(self.show_subject, self.subject)

    def decided(self, *digests: str) -> None:  # noqa: ARG002
        """Decisions about ``digests`` were made: rows and counts change."""
        self.post_message(CountsChanged())

    # What the keys of the answer ask for

    async def on_answer_pane_requested(self, event: AnswerPane.Requested) -> None:
        event.stop()
        # Not by run_action: that asks whether the letter of the action may act here.
        await invoke(getattr(self, f"action_{event.what}"))

    async def on_answer_pane_fix_requested(self, event: AnswerPane.FixRequested) -> None:
        event.stop()
        await draft_actions.fix(self.view, event.finding)

    async def on_answer_pane_allow_requested(self, event: AnswerPane.AllowRequested) -> None:
        event.stop()
        digest = self.subject
        draft = self.session.drafts.get(digest) if digest else None
        if draft is not None and self._told_secret == (digest, draft.revision, True):
            await draft_actions.leave_out_request(self.view)
            self.action_save()
        else:
            await draft_actions.allow(self.view, event.rule)

    async def action_add_call(self) -> None:
        await draft_actions.add_call(self.view, self._release_keys)

    async def action_remove_call(self) -> None:
        await draft_actions.remove_call(self.view)

    async def action_edit_outside(self) -> None:
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
        broken = self.session.files.unusable(self.subject) if self.subject else None
        if broken is not None:
            self.say(
                f"The file is broken ({broken}, {broken.place}): the server sends the fallback.",
                "error",
            )
            return
        self.show_pane("preview")
        self.view.verify()

    def action_play(self) -> None:
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
