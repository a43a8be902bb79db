"""Saving the draft of the shown digest as its fixture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Literal

from textual.content import Content

from workbench.core.fixture.findings import Finding
from workbench.core.fixture.names import digest_of
from workbench.core.replies.response import FixtureError
from workbench.core.requests.view import Payload
from workbench.io.files.path_text import cannot_write
from workbench.io.files.stamps import FileStamp
from workbench.io.fixture.store import FixtureChangedError
from workbench.session.answers.decisions import SaveRefusedError, SecretFoundError
from workbench.session.answers.later_turns import (
    later_turns,
    quoting_now,
    quoting_sentence,
    turns_before_save,
)
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.tui.dialogs.questions import confirm
from workbench.tui.widgets.status import UNTIL_ANOTHER_ROW, UNTIL_EDITED, status_of
from workbench.tui.widgets.styles import MUTED
from workbench.tui.workspace.draft_actions import DraftActions
from workbench.tui.workspace.notices import difference_lines, saved_sentence
from workbench.tui.workspace.subject_view import SubjectView

# Questions of a save, which the next save confirms: to replace another program's file, to store a
# secret, or to save an answer that was not written. A secret that is only in the request can be
# left out with the request.
Question = Literal["overwrite", "secret", "request", "unwritten"]

NO_FILE = "It has no file yet, only this draft."


class SaveActions:
    """Saves drafts to files that other programs may write as well.

    Args:
        draft: changes the shown one.
        saved: called with a digest that was saved.
        dropped: called with a digest whose draft was replaced by its file.
    """

    def __init__(
        self,
        view: SubjectView,
        draft: DraftActions,
        saved: Callable[[str], None],
        dropped: Callable[[str], None],
    ) -> None:
        self._view = view
        self._draft = draft
        self._session = view.session
        self._saved = saved
        self._dropped = dropped
        # What was asked last, which the next save agrees to: of which digest, and of which revision
        # of its draft or state of its file.
        self._questions: dict[Question, tuple[str, int | FileStamp | None]] = {}
        # The fixture, and the state of its file, whose later turns were looked for.
        self._looked_at: tuple[str, FileStamp | None] | None = None

    def save(self, *, may_be_empty: bool) -> None:
        """Save the shown draft; with errors, go to the first one. An unedited skeleton is
        saved without asking again if it may be empty.
        """
        view, session = self._view, self._session
        view.answer.take_choice()
        view.write_back()
        if view.fixture_name is None:
            return
        draft, payload = session.drafting.open(view.fixture_name), view.request.payload
        if not draft.touched and draft.base is not None:
            view.say("Nothing changed. The file is as it was.")
            return
        is_asked = not (draft.touched or may_be_empty)
        is_refused = is_asked and session.drafting.checked(view.fixture_name).errors
        if is_asked and not is_refused and self._says_it_is_unwritten(draft):
            return
        if payload is not None and view.replaces_another(draft, payload):
            view.start(self._save_variant(draft, payload))
        else:
            self._save(draft)

    async def _save_variant(self, draft: Draft, payload: Payload) -> None:
        """Ask if the draft answers only one request of its digest, and save it."""
        question = "Keep the other request's answer?"
        keeps = await confirm(self._view, question, "Keep both", "Replace it")
        if keeps is None:
            return
        if keeps:
            try:
                draft = self._session.drafting.keep_both(draft, payload)
            except OSError as error:
                trouble = cannot_write(self._session.drafts.folder, error)
                self._view.say(f"Not saved: {trouble}.", "error")
                return
            await self._view.show_draft()
        self._save(draft)

    def _save(self, draft: Draft) -> None:
        view, session, name = self._view, self._session, draft.name
        now = (name, draft.revision)
        try:
            overwrite = self._questions.get("overwrite") == (name, session.store.stamp(name))
            session.save(name, overwrite=overwrite, secrets=self._questions.get("secret") == now)
        except SecretFoundError as error:
            self._questions["secret"] = now
            without = ""
            if error.in_request:
                self._questions["request"] = now
                without = ", ^l stores without the request"
            self._warn(f"{error} ^s again saves{without}.")
        except SaveRefusedError as error:
            self._refuse(name, error)
        except FixtureChangedError:
            self._questions["overwrite"] = (name, session.store.stamp(name))
            view.say(self._changed(name, is_asked=True), "warning")
        except OSError as error:
            trouble = cannot_write(session.store.folder, error)
            view.say(view.keep_now(f"{trouble[0].upper()}{trouble[1:]}."), "error")
        else:
            self._questions.clear()
            sentence = saved_sentence(session, name)
            view.say(sentence)
            if session.changed is not None and session.changed[0] == name:
                view.start(self._say_later_turns(sentence))
            self._saved(view.subject or digest_of(name))

    async def _say_later_turns(self, saved: str) -> None:
        """Show that later turns quote the changed answer, before the effect of the save, because a
        narrow status line has no room for both.
        """
        turns = await asyncio.to_thread(later_turns, self._session)
        if turns:
            what = "it" if len(turns) == 1 else "the first"
            self._view.say(f"{quoting_sentence(turns)}. Q opens {what}. {saved}")

    def _says_it_is_unwritten(self, draft: Draft) -> bool:
        """Ask, once, to confirm the save of an unwritten answer. Return True if it asked."""
        now = (draft.name, draft.revision)
        if self._questions.get("unwritten") == now:
            return False
        self._questions["unwritten"] = now
        self._view.say("Nothing written yet. Enter writes. Press a again to save an empty answer.")
        return True

    def _warn(self, text: str) -> None:
        status_of(self._view).say(text, "warning", topic=UNTIL_EDITED)

    def _refuse(self, name: str, error: SaveRefusedError) -> None:
        if any(finding.is_fault for finding in error.errors):
            message, severity = f"{error} {_ways(error.errors)}", "error"
        else:
            message, severity = f"{error} Type over what is marked; Tab goes on.", "warning"
        status_of(self._view).say(message, severity, topic=f"errors of {name}")
        self._view.answer.show_assessment(self._session.drafting.assessments[name])
        self._view.answer.go_to_first_error()
        self._view.assess_now()

    def assessed(self) -> None:
        """Take the refusal of a save off the status line when its errors are fixed."""
        name = self._view.fixture_name or ""
        assessment = self._session.drafting.assessments.get(name)
        if assessment is not None and not assessment.errors:
            status_of(self._view).clear(f"errors of {name}")
        draft = self._session.drafts.get(name)
        if draft is not None and draft.touched and draft.base is not None:
            self._look_for_later_turns(draft)

    def _look_for_later_turns(self, draft: Draft) -> None:
        """After a change of an answer that has a file, show once which later turns quote it."""
        if self._looked_at == (draft.name, draft.base):
            return
        self._looked_at = (draft.name, draft.base)
        self._view.start(self._say_quoting_turns(draft.name))

    async def _say_quoting_turns(self, name: str) -> None:
        try:
            turns = await asyncio.to_thread(turns_before_save, self._session, name)
        except (FixtureError, OSError):
            turns = None
        if turns is None:
            self._looked_at = None  # the answer may still be changed
        elif turns and name == self._view.fixture_name:
            status_of(self._view).say(quoting_now(turns), "warning", topic=UNTIL_ANOTHER_ROW)

    async def allow(self) -> None:
        """Allow the rule of the chosen problem in the fixture; after a warning of a secret in the
        request, save without the request.
        """
        name = self._view.fixture_name
        draft = self._session.drafts.get(name) if name else None
        if name and draft and self._questions.get("request") == (name, draft.revision):
            await self._view.change(
                lambda draft: draft.set_text(editing.without_request(draft.document).text)
            )
            self.save(may_be_empty=True)
        else:
            await self._draft.allow()

    # Files of other programs

    def file_changed(self) -> bool:
        """Handle a change of the shown fixture's file on disk. Return True if the file must be
        shown; an edited draft is kept instead, with a warning.
        """
        view, name = self._view, self._view.fixture_name
        if name is None:
            return False
        view.write_back()
        draft, stamp = self._session.drafts.get(name), self._session.store.stamp(name)
        question = self._questions.get("overwrite")
        if draft is None or draft.base == stamp or question == (name, stamp):
            return False
        if draft.touched:
            view.say(self._changed(name, is_asked=False), "warning")
        return not draft.touched

    def _changed(self, name: str, *, is_asked: bool) -> str:
        """The difference of the file from the draft's initial file, and what to do.

        Args:
            is_asked: the person pressed save. A change at another time needs two keys, because the
                first may have been pressed before the warning could be read.
        """
        stamp, draft = self._session.store.stamp(name), self._session.drafting.open(name)
        key = "^s again" if is_asked else "^s twice"
        if stamp is None:
            return f"The file is gone. {key} writes it, esc keeps your draft."
        change = "Saved elsewhere" if draft.base is None else "Changed on disk"
        return f"{change}. {key} overwrites it, esc keeps your draft. d compares, Y takes the file."

    def show_difference(self) -> bool:
        """Show in the request pane how the draft differs from its file. Return True if there is a
        file.
        """
        view, name = self._view, self._view.fixture_name
        if view.required_digest() is None or name is None:
            return False
        view.write_back()
        data = self._session.store.read(name)
        if data is None:
            view.say(NO_FILE)
            return False
        view.say("d shows the request again.")
        mine = self._session.drafting.open(name).text
        lines = difference_lines(data.decode("utf-8", "replace"), mine)
        head = [Content.styled("- the file on disk   + the draft", MUTED), Content("")]
        same = [Content("The draft is the same as the file on disk.")]
        view.request.show_instead([*head, *lines] if lines else same)
        return True

    async def take_file(self) -> None:
        """Give up the draft for the text of the file, after asking."""
        name = self._view.fixture_name
        if self._view.required_digest() is None or name is None:
            return
        draft = self._session.drafts.get(name)
        if self._session.store.stamp(name) is None:
            self._view.say(NO_FILE)
            return
        if draft is None or not draft.touched:
            self._view.say("The draft is the same as the file.")
            return
        question = "Discard your draft and take the file's text?"
        if not await confirm(self._view, question, "Discard"):
            return
        if not await self._view.change(self._session.drafting.take_file, name):
            return
        try:
            self._session.drafts.store(name)
        except OSError as error:
            trouble = cannot_write(self._session.drafts.folder, error)
            self._view.say(f"The draft's own file cannot be deleted: {trouble}.", "error")
        else:
            self._view.say("The draft is discarded. This is the file; ^z in the answer undoes.")
        self._dropped(self._view.subject or name)


def _ways(errors: Sequence[Finding]) -> str:
    """The keys that help with the errors of a draft: ``^n next problem, ^l allow.``"""
    ways = ["^n next problem"] if len(errors) > 1 else []
    ways += ["^r fix"] if any(error.fix is not None for error in errors) else []
    return f"{', '.join([*ways, '^l allow'])}."
