"""How a draft becomes the fixture of its digest, and what has to be agreed to before."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from workbench.io.store import SUFFIX, FileStamp, FixtureChangedError
from workbench.session.misses.decisions import SaveRefusedError, SecretFoundError
from workbench.session.session import Session
from workbench.session.wording import cannot_write
from workbench.tui.answer import draft_actions
from workbench.tui.answer.pane import AnswerPane
from workbench.tui.messages import ConfirmAsked, StatusSolved
from workbench.tui.misses import on_disk
from workbench.tui.misses.notices import saved_sentence
from workbench.tui.subject_view import SubjectView
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace import Workspace


class SaveKeys(Workspace):
    """A workspace whose drafts are saved, beside other programs that write the same files."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("Y", "take_file", "Take file", show=False,
                id="pane.take_file", tooltip="The file's text instead of the draft (asks)"),
    ]
    # fmt: on

    def __init__(self, session: Session, rows: RowList[Any], *, id: str) -> None:
        super().__init__(session, rows, id=id)
        # The file of another program, by digest and state, that the next save may replace.
        self._overwrite: tuple[str, FileStamp | None] | None = None
        # Of what draft, by its revision, secrets were told; and whether only its request has them.
        self._told_secret: tuple[str, int, bool] | None = None
        # What was said of a save that was refused, and of which digest.
        self._refusal: tuple[str, str] | None = None

    def action_save(self) -> None:
        """Save the draft as the fixture of its digest and go to the next miss."""
        digest = self.wanted_digest()
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
            self.screen.set_focus(self.rows)
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
            self.show_anew()

    def show_difference(self) -> None:
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
            self.post_message(
                ConfirmAsked(
                    "Take the file and let go of your draft?",
                    "y does, any other key keeps it.",
                    partial(self._take_file, digest),
                )
            )

    def _take_file(self, digest: str) -> None:
        self.say(on_disk.take_theirs(self.view, digest))
        self.show_anew()
        self.decided(digest)

    async def on_answer_pane_allow_requested(self, event: AnswerPane.AllowRequested) -> None:
        event.stop()
        digest = self.subject
        draft = self.session.drafts.get(digest) if digest else None
        if draft is not None and self._told_secret == (digest, draft.revision, True):
            await draft_actions.leave_out_request(self.view)
            self.action_save()
        else:
            await draft_actions.allow(self.view, event.rule)

    def on_subject_view_changed(self, event: SubjectView.Changed) -> None:
        if event.digest is not None:
            self._take_back_refusal(event.digest)

    def _take_back_refusal(self, digest: str) -> None:
        """A save was refused for errors that are mended now."""
        assessment = self.session.assessments.get(digest)
        if self._refusal is None or self._refusal[0] != digest or assessment is None:
            return
        if not assessment.errors:
            self.post_message(StatusSolved(self._refusal[1]))
            self._refusal = None
