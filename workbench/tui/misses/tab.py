"""The Misses tab: what a person decides about requests that had no fixture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.digest import short
from workbench.session.session import Session
from workbench.session.wording import counted
from workbench.tui.answer import draft_actions
from workbench.tui.clipboard import copy
from workbench.tui.messages import ConfirmAsked, LineAsked
from workbench.tui.misses.miss_list import MissList
from workbench.tui.misses.notices import miss_notice, unsupported_notice
from workbench.tui.misses.upstream_keys import UpstreamKeys


class MissesTab(UpstreamKeys):
    """The list of misses with its decisions."""

    BINDING_GROUP_TITLE = "Misses"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "Accept", id="miss.accept", tooltip="Save the draft as it is"),
        Binding("ctrl+s,f2", "accept", show=False,
                id="miss.save", tooltip="Save the draft as it is"),
        Binding("s", "skip", "Skip", id="miss.skip", tooltip="Put aside; again takes it back"),
        Binding("u", "undo", "Undo",
                id="miss.undo", tooltip="Take back the last save, re-key or ignore"),
        Binding("t", "add_call", "Tool call",
                id="miss.add_call", tooltip="Add a tool call and edit"),
        Binding("i", "ignore", "Ignore",
                id="miss.ignore", tooltip="The fallback is wanted, or no longer"),
        Binding("full_stop", "toggle_done", "All",
                id="miss.toggle_done", tooltip="Show saved, skipped, ignored rows, or hide them"),
        Binding("e", "edit_outside", "$EDITOR", show=False,
                id="miss.edit_outside", tooltip="The document in $EDITOR"),
        Binding("w", "edit_json", "JSON",
                id="miss.edit_json", tooltip="Edit the whole document as JSON"),
        Binding("y", "copy_digest", "Copy", show=False,
                id="miss.copy_digest", tooltip="Copy the digest"),
        Binding("O", "offer('open')", show=False,
                id="miss.open", tooltip="Empty list: open a log"),
        Binding("S", "offer('server')", show=False,
                id="miss.server", tooltip="Empty list: start a server"),
        Binding("T", "offer('sample')", show=False,
                id="miss.sample", tooltip="Empty list: sample traffic"),
        Binding("m", "mark", "Mark", show=False,
                id="miss.mark", tooltip="Mark the row, or take its mark off"),
        Binding("M", "clear_marks", "Clear marks", show=False,
                id="miss.clear_marks", tooltip="Take all marks off"),
        Binding("A", "accept_marked", "Accept marked", show=False,
                id="miss.accept_marked", tooltip="Save all marked drafts without errors (asks)"),
        Binding("left_square_bracket", "turn_request(-1)", show=False,
                id="miss.turn_request_back", tooltip="The view of the request before"),
        Binding("right_square_bracket", "turn_request(1)", show=False,
                id="miss.turn_request_on", tooltip="The next view of the request"),
    ]
    # fmt: on
    # What every miss is asked; the rest is for some.
    NO_DIGEST = "No fixture can answer this. Enter shows what to switch; s skips it."
    FIRST_ACTIONS: ClassVar[Sequence[str]] = ("accept", "skip", "undo", "nearest")

    def __init__(self, session: Session) -> None:
        self.misses = MissList(session, id="miss-list")
        self._empty_warned: str | None = None
        super().__init__(session, self.misses, id="misses")

    def open_items(self) -> int:
        return self.misses.open_count

    def show_rows(self) -> None:
        self.update_rows(frozenset())

    def update_rows(self, changed: frozenset[str]) -> None:
        """The session has news of some misses."""
        self.misses.update_rows(changed)
        if self.subject is None and self.misses.cursor is None and self.misses.keys:
            self.misses.select(self.misses.held_row or self.misses.keys[0])
        elif self.subject in changed and not self.view.answer.has_focus_within:
            # A dump may come long after its hash; nothing changes under hands that type.
            known = len(self.session.book.misses[self.subject].dumps)
            if known > self.view.known_requests:
                self.show_anew()

    def digest_of(self, key: str) -> str | None:
        return None if key in self.session.book.unsupported else key

    def notice_without_digest(self) -> list[Content]:
        row = self.session.book.unsupported.get(self.misses.cursor or "")
        return [] if row is None else unsupported_notice(row.request)

    def edit(self) -> None:
        """Go into the answer; of what the server does not speak to what to switch."""
        if self.subject is None and self.misses.cursor is not None:
            self.focus_pane("request")
            self.say("What to switch stands in the request. esc goes back, s skips the row.")
        else:
            super().edit()

    def notice(self, digest: str) -> list[Content]:
        return miss_notice(self.session, digest)

    # Decisions

    def action_accept(self) -> None:
        """Save the draft as it is; an untouched empty one only when asked twice."""
        digest = self.wanted_digest()
        if digest is None:
            return
        draft = self.session.draft(digest)
        untouched = not draft.touched and draft.base is None
        if untouched and self._empty_warned != digest:
            self._empty_warned = digest
            self.say("Nothing written yet. Enter writes; a again saves an empty answer.")
            return
        self.action_save()

    def decided(self, *digests: str) -> None:
        self.update_rows(frozenset(digests))
        super().decided(*digests)

    def action_skip(self) -> None:
        if self.misses.cursor is None:
            return
        key = self.misses.cursor
        name = self.session.book.rows[key].name
        skipped = self.session.decisions.skip(key)
        self.decided(key)
        self.say(f"Skipped {name}. u undoes; . shows it." if skipped else f"{name} is open again.")

    def action_mark(self) -> None:
        """Mark the selected row and go on, or take its mark off."""
        digest = self.wanted_digest()
        if digest is None:
            return
        marked = self.session.decisions.marked
        marked ^= {digest}
        self.misses.refresh_rows([digest])
        self.misses.update_title()
        if digest in marked:
            self.misses.action_move(1)

    def action_clear_marks(self) -> None:
        marked = list(self.session.decisions.marked)
        self.session.decisions.marked.clear()
        self.misses.refresh_rows(marked)
        self.misses.update_title()
        self.say(f"{len(marked)} marks cleared." if marked else "Nothing is marked. m marks.")

    @work(group="accept", exit_on_error=False)
    async def action_accept_marked(self) -> None:
        """Save all marked drafts that have no errors, after asking."""
        if self.is_busy():
            return
        began_in = self.app.focused
        self.view.write_back()
        marked = [d for d in self.session.book.misses if d in self.session.decisions.marked]
        if not marked:
            self.say("Nothing is marked. m marks; A saves all marked drafts.")
            return
        written = [digest for digest in marked if self.session.is_written(digest)]
        if not written:
            self.say("Nothing is written in the marked rows. Enter writes.")
            return
        long_work, looked_at, bad = self.session.long_work, 0, 0
        async for assessment in long_work.run(map(self.session.assess, written)):
            looked_at, bad = looked_at + 1, bad + bool(assessment.errors)
            if long_work.is_to_be_told():
                self.say(f"Looking at {looked_at:,} of {len(written):,} · esc stops")
        if looked_at < len(written):
            self.say("Stopped: nothing was saved.")
            return
        if self.went_on(began_in, "A"):
            return
        self.post_message(
            ConfirmAsked(
                f"Save {counted(len(written), 'marked draft')}?"
                f"{_stays(bad, 'has errors', 'have errors')}"
                f"{_stays(len(marked) - len(written), 'is not written', 'are not written')}",
                "y saves, any other key goes back.",
                lambda: self._accept(marked),
            )
        )

    @work(group="accept", exit_on_error=False)
    async def _accept(self, digests: list[str]) -> None:
        """Save drafts and say how many were."""
        if self.is_busy():
            return
        long_work, saved, looked_at = self.session.long_work, 0, 0
        async for digest, is_saved in long_work.run(self.session.save_many(digests)):
            saved, looked_at = saved + is_saved, looked_at + 1
            self.decided(digest)
            if long_work.is_to_be_told():
                self.say(f"Saving {looked_at:,} of {len(digests):,} · esc stops")
        left = len(digests) - saved
        self.say(f"{saved:,} saved, {left:,} left. u undoes." if left else f"{saved:,} saved.")

    def action_ignore(self) -> None:
        digest = self.wanted_digest()
        if digest is None:
            return
        if digest in self.session.ignore.reasons:
            self._ignore(digest, None)
            return
        self.post_message(
            LineAsked(
                f"Why is the fallback wanted for {short(digest)}?",
                lambda reason: self._ignore(digest, reason),
            )
        )

    def _ignore(self, digest: str, reason: str | None) -> None:
        try:
            self.session.decisions.ignore(digest, reason)
        except OSError as error:
            self.say(f"Cannot write the ignore list: {error.strerror}.", "error")
            return
        self.decided(digest)
        self.say(
            f"{short(digest)} is no longer ignored."
            if reason is None
            else f"Ignored {short(digest)}. u undoes; . shows it."
        )

    def action_toggle_done(self) -> None:
        self.misses.action_toggle_done()
        self.say("All rows are shown." if self.misses.with_done else "Done rows are hidden.")

    async def action_edit_json(self) -> None:
        if self.wanted_digest() is None:
            return
        if not self.view.answer.as_json:
            await draft_actions.toggle_json(self.view)
        self.edit()
        self.say(draft_actions.AS_JSON)

    async def action_copy_digest(self) -> None:
        """Copy the digest; of an empty list the command it shows."""
        digest = self.wanted_digest()
        if digest is not None:
            self.say(copy(self.app, self.session.state_folder, digest))
        elif self.misses.cursor is None:
            await self.action_offer("copy")

    async def action_offer(self, what: str) -> None:
        """What an empty list offers; in another the palette has it."""
        if not self.misses.keys:
            await self.run_action(f"app.empty_list('{what}')")
        else:
            self.say("Only where the list is empty; the palette (^p) has it always.")

    def action_turn_request(self, by: int) -> None:
        self.view.request.action_turn(by)


def _stays(count: int, one: str, several: str) -> str:
    """Why some marked drafts are not saved; "" for none."""
    why = f"{one} and stays" if count == 1 else f"{several} and stay"
    return f" {count:,} {why}." if count else ""
