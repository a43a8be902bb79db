"""The widgets that show the selected row of a tab, and its actions."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from workbench.core.fixture.names import name_of, short_name
from workbench.core.text.digests import short
from workbench.session.answers.later_turns import later_turns
from workbench.session.answers.pasted import pasted_as, with_pasted
from workbench.session.drafts.store import Draft
from workbench.tui.command import Situation
from workbench.tui.dialogs.questions import confirm
from workbench.tui.widgets.copying import copy
from workbench.tui.widgets.status import NOTHING_SELECTED, UNTIL_ANOTHER_ROW, status_of
from workbench.tui.workspace.draft_actions import DraftActions
from workbench.tui.workspace.notices import Notice
from workbench.tui.workspace.save_actions import SaveActions
from workbench.tui.workspace.subject_view import SubjectView
from workbench.tui.workspace.undo_actions import UndoActions
from workbench.tui.workspace.workspace import Workspace


class SubjectParts:
    """The view of the selected row, and the actions of its keys: made in one call after the first
    paint, which needs none of it.

    Attributes:
        shows_difference: True if a change of files is shown instead of the request.
    """

    tab: Workspace
    view: SubjectView
    draft: DraftActions
    saving: SaveActions
    undoing: UndoActions

    def __init__(self, tab: Workspace) -> None:
        self.tab = tab
        self.session = tab.session
        self.shows_difference = False
        self.view = SubjectView(tab.session, tab.panes)
        self.draft = DraftActions(self.view)
        self.saving = SaveActions(self.view, self.draft, self.saved, self.show_undone)
        self.undoing = UndoActions(tab, self.show_undone, tab.select_digest)

    # What is shown

    async def show(self, digest: str | None) -> None:
        """Show a digest, or what is shown in place of one."""
        tab = self.tab
        if digest != self.view.subject:
            status_of(tab).clear(UNTIL_ANOTHER_ROW)
        self.shows_difference = False
        notice = tab.notice(digest) if digest else Notice(tab.lines_without_digest())
        await self.view.show(digest, notice)
        self.view.no_digest = NOTHING_SELECTED if tab.rows.cursor is None else tab.NO_DIGEST
        tab.rows.update_title()
        tab.update_keys()

    def show_again(self) -> None:
        """Update what is shown of the selected row."""

        async def show() -> None:
            await self.show(self.view.subject)  # another one by now, where the row left the list

        self.tab.call_later(show)

    def show_notice(self, notice: Notice) -> None:
        """Show the present messages about the shown row."""
        self.view.show_notice(notice)

    def show_difference(self) -> None:
        """Show how the draft differs from its file, or the request again."""
        if self.shows_difference and self.tab.panes.is_in_view("request"):
            self.show_again()
        elif self.view.required_digest() is not None:
            self.shows_difference = self.saving.show_difference()
            self.tab.panes.show("request")

    def files_changed(self, names: frozenset[str]) -> None:
        """Handle changed files of the fixtures folder."""
        if self.view.fixture_name in map(name_of, names) and self.saving.file_changed():
            self.show_again()

    @property
    def situation(self) -> Iterator[Situation]:
        """The situations for the key bar in the panes."""
        answer = self.view.answer
        if self.view.preview.has_focus:
            yield "in preview"
        if not self.is_answering:
            return
        yield "answering"
        if answer.as_json:
            yield "as json"
        elif answer.fields.focused_call is not None:
            yield "in call"
        if self.draft.has_several:
            yield "several"
        if answer.problems.written:
            yield "problems"
        if answer.problems.fixable is not None:
            yield "fixable"

    def turn_preview(self) -> None:
        """Go to the preview; from there, back to where the focus was."""
        if self.view.required_digest() is not None:
            self.view.write_back()
            self.tab.panes.turn_to("preview")

    # Writing

    @property
    def is_answering(self) -> bool:
        """True if the answer has the focus."""
        return self.view.answer.has_focus_within

    def edit(self) -> None:
        """Go into the answer, where writing begins."""
        if self.view.required_digest() is not None:
            self.tab.panes.focus("answer")

    async def add_call(self) -> None:
        """Add a call of an offered tool to the answer, and go there."""
        if self.view.required_digest() is not None:
            await self.draft.add_call()

    def leave(self) -> None:
        """Go back to the list."""
        self.tab.action_leave()

    async def allow(self) -> None:
        """Allow the rule of the chosen problem."""
        await self.saving.allow()

    # Saving

    def save(self) -> None:
        """Save the draft. Outside the answer, an untouched skeleton is saved only on the second
        key.
        """
        if self.view.required_digest() is not None:
            self.saving.save(may_be_empty=self.is_answering)

    def saved(self, digest: str) -> None:
        """Go on after a digest was saved."""
        self.tab.panes.focus_first()
        self.tab.decided(digest)
        self.go_on(digest)
        # Where its row stays selected, what is shown is the file from now on.
        if self.tab.selected_digest == digest:
            self.view.answer.show_kept("")
            self.view.choose_open_request()
            self.show_again()

    def go_on(self, saved: str) -> None:
        """Select the row to go on with, after a digest was saved, if it is not the next one."""

    def show_undone(self, digest: str) -> None:
        """Show that a decision about a digest was undone."""
        self.tab.decided(digest)
        if self.view.subject == digest and not self.is_answering:
            self.show_again()

    # Other keys

    def copy_digest(self) -> None:
        digest = self.view.required_digest()
        if digest is not None:
            copy(self.tab, digest, f"the digest {short(digest)}")

    async def paste(self, text: str) -> None:
        """Offer pasted text, if no field takes it, as the answer of the shown request."""
        digest = self.view.required_digest()
        name = self.view.fixture_name
        if digest is None or name is None:
            return
        if not text.strip():
            self.tab.say("Only blanks were pasted.")
            return
        is_written = self.session.drafting.is_written(name)
        place = f"as the answer of {short_name(name)}{', instead of yours' * is_written}"
        if not await confirm(self.tab, f"Use {pasted_as(text)} {place}?", "Use"):
            return

        def edit(draft: Draft) -> None:
            draft.set_document(with_pasted(draft.document, text, draft.shown_response))

        if await self.view.change(edit, name):
            self.tab.say(f"Pasted as the answer of {short_name(name)}. Enter edits it, a saves it.")

    async def open_later_turn(self) -> None:
        """Show the first later turn that quotes the last changed answer, or the turn after the
        shown one.
        """
        turns, changed = await asyncio.to_thread(later_turns, self.session), self.session.changed
        if not turns or changed is None:
            self.tab.say("No later turn contains an answer that you changed.")
            return
        shown = self.view.fixture_name
        number = turns.index(shown) + 1 if shown in turns else 0
        turn = turns[number % len(turns)]
        place = f"Later turn {number % len(turns) + 1} of {len(turns)}"
        sentence = f"{place} contains the old answer of {short_name(changed[0])}."
        self.tab.post_message(self.tab.OpenFixture(turn, sentence))

    async def step(self, by: int) -> None:
        """Select the next row, or the previous one, without leaving the pane."""
        if self.tab.rows.move_to(self.tab.rows.cursor_place + by):
            # Here and not by a message, so that the next key acts on this row.
            await self.show(self.tab.selected_digest)
