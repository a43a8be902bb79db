"""Saving the draft of the shown digest as its fixture."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from textual.content import Content

from workbench.core.requests.view import Payload
from workbench.io.fixtures.store import FileStamp, FixtureChangedError
from workbench.session.drafts import Draft
from workbench.session.misses.decisions import SaveRefusedError, SecretFoundError
from workbench.session.misses.variants import keep_both, replaces_another
from workbench.session.wording import cannot_write
from workbench.tui.answer import draft_actions
from workbench.tui.dialogs.questions import confirm
from workbench.tui.notices import difference_lines, empty_words, saved_sentence
from workbench.tui.subject_view import SubjectView
from workbench.tui.widgets.status import status_of
from workbench.tui.widgets.styles import MUTED

NO_FILE = "It has no file yet; the draft is all there is."


class SaveActions:
    """Saves drafts, beside other programs that write the same files.

    Args:
        saved: called with a digest that was saved.
        dropped: called with a digest whose draft was given up for its file.
    """

    def __init__(
        self, view: SubjectView, saved: Callable[[str], None], dropped: Callable[[str], None]
    ) -> None:
        self._view = view
        self._session = view.session
        self._saved = saved
        self._dropped = dropped
        # The file of another program, by digest and state, that the next save may replace.
        self._overwrite: tuple[str, FileStamp | None] | None = None
        # The draft and revision a secret was reported for; whether only its request has it.
        self._told_secret: tuple[str, int, bool] | None = None
        # The digest of a refused save, and what was said.
        self._refusal: tuple[str, str] | None = None
        self._empty_warned: str | None = None
        # The draft and revision that an empty required text was reported for.
        self._told_empty: tuple[str, int] | None = None
        # A warning that holds until the draft is edited, with its digest and revision.
        self._warning: tuple[str, int, str] | None = None

    def save(self, digest: str, *, may_be_empty: bool) -> None:
        """Save the draft of the shown digest; with errors, go to the first one. A skeleton that
        nobody edited is saved without asking again if it may be empty.
        """
        view, session = self._view, self._session
        view.write_back()
        draft = session.drafting.open(digest)
        if not draft.touched and draft.base is not None:
            view.say("Nothing changed: the file is as it was.")
            return
        if self._says_it_is_empty(draft, may_be_empty=may_be_empty):
            return
        payload = view.request.payload
        if view.request.variant and replaces_another(session, digest, payload):
            confirm(
                view,
                "Keep the other request's answer?",
                "y keeps both, n replaces it, esc goes back.",
                lambda: view.call_later(self._keep_both, digest, payload),
                lambda: self._save(digest, draft),
            )
            return
        self._save(digest, draft)

    async def _keep_both(self, digest: str, payload: Payload) -> None:
        """Save the draft as the answer to one request of the digest alone."""
        if await self._view.change(partial(keep_both, self._session, digest, payload), digest):
            self._save(digest, self._session.drafting.open(digest))

    def _save(self, digest: str, draft: Draft) -> None:
        view, session = self._view, self._session
        now = (digest, draft.revision)
        was_told = self._told_secret is not None and self._told_secret[:2] == now
        try:
            is_agreed = self._overwrite == (digest, session.store.stamp(digest))
            session.save(digest, overwrite=is_agreed, secrets=was_told)
        except SecretFoundError as error:
            self._told_secret = (*now, error.in_request)
            without = ", ^l stores without the request" if error.in_request else ""
            self._warn(draft, f"{error} ^s again saves{without}.")
        except SaveRefusedError as error:
            self._refuse(digest, error)
        except FixtureChangedError:
            self._overwrite = (digest, session.store.stamp(digest))
            view.say(self._changed(digest, is_asked=True), "warning")
        except OSError as error:
            trouble = cannot_write(session.store.folder, error)
            view.say(view.keeper.keep_now(f"{trouble[0].upper()}{trouble[1:]}."), "error")
        else:
            self._overwrite = self._told_secret = None
            view.say(saved_sentence(session, digest))
            self._saved(digest)

    def _says_it_is_empty(self, draft: Draft, *, may_be_empty: bool) -> bool:
        """Ask, once, whether to save an answer that was not written, or not in full; returns
        whether it asked.
        """
        if not (draft.touched or may_be_empty):
            if self._empty_warned == draft.digest:
                return False
            self._empty_warned = draft.digest
            said = "Nothing written yet. Enter writes; a again saves an empty answer."
            self._view.say(said)
            return True
        empty = self._session.drafting.first_empty(draft.digest)
        now = (draft.digest, draft.revision)
        if empty is None or self._told_empty == now:
            return False
        self._told_empty = now
        if self._view.answer.has_focus_within:
            self._view.answer.go_to(empty)
        self._warn(draft, f"{empty_words(empty)}. ^s again saves it so.")
        return True

    def _warn(self, draft: Draft, text: str) -> None:
        self._warning = (draft.digest, draft.revision, text)
        self._view.say(text, "warning")

    def _refuse(self, digest: str, error: SaveRefusedError) -> None:
        self._refusal = (digest, f"{error} ^n next problem, ^r fix, ^l allow.")
        self._view.say(self._refusal[1], "error")
        self._view.answer.show_assessment(self._session.drafting.assessments[digest])
        self._view.answer.go_to_first_error()
        self._view.assess_now()

    def assessed(self, digest: str) -> None:
        """Take off the status line the refusal of a save when its errors are fixed, and a warning
        when the draft was edited.
        """
        assessment = self._session.drafting.assessments.get(digest)
        if assessment is None:
            return
        if self._refusal is not None and self._refusal[0] == digest and not assessment.errors:
            status_of(self._view).clear(self._refusal[1])
            self._refusal = None
        if self._warning is not None and self._warning[0] == digest:
            _, revision, text = self._warning
            if assessment.revision != revision:
                status_of(self._view).clear(text)
                self._warning = None

    async def allow(self, rule: str) -> None:
        """Allow a rule in the fixture; after a warning of a secret in the request, save without
        the request.
        """
        digest = self._view.subject
        draft = self._session.drafts.get(digest) if digest else None
        if digest and draft and self._told_secret == (digest, draft.revision, True):
            await draft_actions.leave_out_request(self._view)
            self.save(digest, may_be_empty=True)
        else:
            await draft_actions.allow(self._view, rule)

    # Files of other programs

    def file_changed(self) -> bool:
        """Whether to show the file of the shown digest, which changed on disk: nobody edits its
        draft. An edited one is kept, with a warning.
        """
        view, digest = self._view, self._view.subject
        if digest is None:
            return False
        view.write_back()
        draft, stamp = self._session.drafts.get(digest), self._session.store.stamp(digest)
        if draft is None or draft.base == stamp or self._overwrite == (digest, stamp):
            return False
        if draft.touched:
            view.say(self._changed(digest, is_asked=False), "warning")
        return not draft.touched

    def _changed(self, digest: str, *, is_asked: bool) -> str:
        """How the file differs from the one the draft began with, and what to do.

        Args:
            is_asked: the person pressed save. A change that comes unasked takes two keys: the
                first may have been pressed before the warning could be read.
        """
        stamp, draft = self._session.store.stamp(digest), self._session.drafting.open(digest)
        key = "^s again" if is_asked else "^s twice"
        if stamp is None:
            return f"The file is gone. {key} writes it, esc keeps your draft."
        said = "Saved elsewhere" if draft.base is None else "Changed on disk"
        return f"{said}. {key} overwrites; esc keeps yours: d compares, Y takes it."

    def show_difference(self) -> None:
        """Show in the request pane how the draft differs from its file."""
        view, digest = self._view, self._view.wanted_digest()
        if digest is None:
            return
        view.write_back()
        data = self._session.store.read(digest)
        if data is None:
            view.say(NO_FILE)
            return
        view.say("")
        mine = self._session.drafting.open(digest).text
        lines = difference_lines(data.decode("utf-8", "replace"), mine)
        head = [Content.styled("- the file on disk   + the draft", MUTED), Content("")]
        same = [Content("The draft is the same as the file on disk.")]
        view.request.show((), [*head, *lines] if lines else same)

    def action_take_file(self) -> None:
        """Give up the draft for the text of the file, after asking."""
        digest = self._view.wanted_digest()
        if digest is None:
            return
        draft = self._session.drafts.get(digest)
        if self._session.store.stamp(digest) is None:
            self._view.say(NO_FILE)
        elif draft is None or not draft.touched:
            self._view.say("The draft is the same as the file.")
        else:
            confirm(
                self._view,
                "Take the file and let go of your draft?",
                "y does, any other key keeps it.",
                lambda: self._take_file(digest),
            )

    def _take_file(self, digest: str) -> None:
        try:
            self._session.drafting.discard(digest)
        except OSError as error:
            trouble = cannot_write(self._session.drafts.folder, error)
            self._view.say(f"The draft cannot be deleted: {trouble}.")
        else:
            self._view.say("The draft is the file again.")
        self._dropped(digest)
