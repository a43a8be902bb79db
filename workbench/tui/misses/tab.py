"""The Misses tab: requests that had no fixture, and what a person decides about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.text.wording import counted
from workbench.session.session import Session
from workbench.tui.misses.miss_list import MissList
from workbench.tui.widgets.status import UNTIL_HELD_ROW, status_of
from workbench.tui.workspace import Workspace

# The list needs none of these; they are imported where they are used.
if TYPE_CHECKING:
    from workbench.tui.misses.hold_actions import HoldActions
    from workbench.tui.misses.nearest_actions import NearestActions
    from workbench.tui.misses.row_actions import RowActions
    from workbench.tui.misses.upstream_actions import UpstreamActions


class MissesTab(Workspace):
    """The list of misses. Each group of keys is a part of its own, made with the view: skip, ignore
    and mark, hold, nearest, and upstream.
    """

    BINDING_GROUP_TITLE = "Misses"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "accept", "Accept", id="miss.accept", tooltip="Save the draft as it is"),
        Binding("s", "run('row_actions', 'skip')", "Skip",
                id="miss.skip", tooltip="Put aside; again takes it back"),
        Binding("i", "start('row_actions', 'ignore')", "Ignore",
                id="miss.ignore", tooltip="Ignore, since the fallback is wanted; again: no longer"),
        Binding("t,ctrl+t,f3", "draft('add_call')", "Tool call",
                id="miss.add_call", tooltip="Add a tool call and edit"),
        Binding("full_stop", "toggle_done", "All",
                id="miss.toggle_done", tooltip="Show saved, skipped, ignored rows, or hide them"),
        Binding("e", "draft('edit_outside')", "$EDITOR", show=False,
                id="miss.edit_outside", tooltip="The document in $EDITOR"),
        Binding("w", "edit_json", "JSON",
                id="miss.edit_json", tooltip="Edit the whole document as JSON"),
        Binding("O", "offer('open')", show=False,
                id="miss.open", tooltip="Empty list: open a log"),
        Binding("S", "offer('server')", show=False,
                id="miss.server", tooltip="Empty list: start a server"),
        Binding("T", "offer('sample')", show=False,
                id="miss.sample", tooltip="Empty list: sample traffic"),
        Binding("left_square_bracket", "turn_request(-1)", "Previous view", show=False,
                id="miss.turn_request_back", tooltip="The previous view of the request"),
        Binding("right_square_bracket", "turn_request(1)", "Next view", show=False,
                id="miss.turn_request_on", tooltip="The next view of the request"),
        Binding("d", "run('nearest', 'show')", "Nearest",
                id="miss.nearest", tooltip="The nearest fixture and the difference; again: back"),
        Binding("c", "start('nearest', 'copy_answer')", "Copy answer", show=False,
                id="miss.copy_answer", tooltip="Copy the nearest's answer into the draft"),
        Binding("r", "start('nearest', 'rekey')", "Re-key",
                id="miss.rekey", tooltip="Re-key: move the nearest fixture to this request"),
        Binding("R", "run('nearest', 'rekey_all')", "Re-key all", show=False,
                id="miss.rekey_all", tooltip="Re-key all stale misses (lists them, asks)"),
        Binding("h", "run('hold', 'toggle')", "Hold", show=False,
                id="held.toggle", tooltip="Let misses wait for their answers, or no longer"),
        Binding("W", "run('hold', 'answer_once')", "Answer once", show=False,
                id="held.answer", tooltip="Send the draft of a held row without saving it"),
        Binding("L", "run('hold', 'release')", "Release", show=False,
                id="held.release", tooltip="Send the fallback to a held row"),
        Binding("plus", "run('hold', 'extend')", "More time", show=False,
                id="held.extend", tooltip="Five minutes more for a held row"),
        Binding("U", "start('upstream', 'ask')", "Ask upstream", show=False, id="miss.ask_upstream",
                tooltip="A draft from the real model (asks first)"),
        Binding("m", "run('row_actions', 'mark')", "Mark", show=False,
                id="miss.mark", tooltip="Mark the row, or take its mark off"),
        Binding("M", "run('row_actions', 'clear_marks')", "Clear marks", show=False,
                id="miss.clear_marks", tooltip="Take all marks off"),
        Binding("A", "start('row_actions', 'accept')", "Accept marked", show=False,
                id="miss.accept_marked", tooltip="Save all marked drafts without errors (asks)"),
    ]
    # fmt: on
    NO_DIGEST = "No fixture can answer this. Enter shows what to switch; s skips it."

    rows: MissList
    row_actions: RowActions
    hold: HoldActions
    nearest: NearestActions
    upstream: UpstreamActions

    def __init__(self, session: Session) -> None:
        super().__init__(session, MissList(session, id="miss-list"), id="misses")

    async def open_view(self) -> None:
        from workbench.tui.misses.hold_actions import HoldActions
        from workbench.tui.misses.nearest_actions import NearestActions
        from workbench.tui.misses.row_actions import RowActions
        from workbench.tui.misses.upstream_actions import UpstreamActions

        self.row_actions = RowActions(self)
        self.hold = HoldActions(self)
        self.nearest = NearestActions(self)
        self.upstream = UpstreamActions(self)
        await super().open_view()

    @property
    def first_commands(self) -> Sequence[str]:
        """What the key bar begins with: on a held row its answers, hold where the server can."""
        held = self.session.held
        is_held = self.subject is not None and self.subject in held
        waits = ("held.answer", "held.release") if is_held else ()
        hold = ("held.toggle",) if held.can_hold else ()
        own = ("miss.accept", *waits, *hold, "miss.skip", "pane.undo", "miss.nearest")
        return (*super().first_commands, *own)

    # News

    def show_news(self) -> None:
        self.update_rows(frozenset())

    def update_rows(self, changed: frozenset[str]) -> None:
        """Show the misses that changed in the session."""
        self.rows.update_rows(changed)
        if self.has_view:
            self.hold.select_coming()
        if self.subject in changed and not self.view.answer.has_focus_within:
            # A dump may come long after its hash. While somebody types, the fields stay.
            known = len(self.session.miss_index.misses[self.subject].dumps)
            if known > self.view.seen_requests:
                self.show_again()

    def held_changed(self, digests: set[str]) -> bool:
        """Show that clients began or ceased to wait for ``digests``; returns whether any began."""
        self.update_rows(frozenset(digests))
        return self.hold.update(digests)

    def stale_changed(self, digests: set[str], fixtures_changed: bool) -> None:
        """Show that ``digests`` have, or no longer have, a fixture of another day."""
        self.update_rows(frozenset(digests))
        self.nearest.update(digests, fixtures_changed=fixtures_changed)

    def decided(self, digest: str) -> None:
        self.update_rows(frozenset((digest, *self.session.outdated.after(digest))))
        super().decided(digest)

    def go_on(self, saved: str) -> None:
        self.hold.go_on(saved)

    # The selected row

    def digest_of(self, key: str) -> str | None:
        return None if key in self.session.miss_index.unsupported else key

    def notice(self, digest: str) -> list[Content]:
        from workbench.tui.notices import miss_notice

        return miss_notice(self.session, digest)

    def notice_without_digest(self) -> list[Content]:
        from workbench.tui.notices import unsupported_notice

        row = self.session.miss_index.unsupported.get(self.rows.cursor or "")
        return [] if row is None else unsupported_notice(row.request)

    async def show_subject(self, digest: str | None) -> None:
        self.nearest.begin(digest)
        await super().show_subject(digest)
        if digest is not None and digest in self.session.held:
            status_of(self).clear(UNTIL_HELD_ROW)
        self.refresh_bindings()  # the key bar has other keys on a held row
        self.nearest.search_soon()

    def edit(self) -> None:
        """Go into the answer; for an unsupported request, to what to switch."""
        if self.subject is None and self.rows.cursor is not None:
            self.panes.focus("request")
            self.say("The request pane says what to switch. esc goes back, s skips the row.")
        else:
            super().edit()

    # Keys

    def stop_work(self) -> bool:
        return self.upstream.stop() or super().stop_work()

    def action_accept(self) -> None:
        self.action_save()

    def action_toggle_done(self) -> None:
        """Show the rows that need nothing more, or hide them."""
        query = self.rows.list_query
        self.rows.change_rows(partial(query.set_with_done, not query.with_done))
        outdated = self.session.outdated_count
        more = f", {counted(outdated, 'outdated turn')} among them" if outdated else ""
        are = "shown, too" if query.with_done else "hidden"
        self.say(f"Rows that need nothing more are {are}{more}.")

    async def action_edit_json(self) -> None:
        from workbench.tui.answer import draft_actions

        if self.view.wanted_digest() is None:
            return
        if not self.view.answer.as_json:
            await draft_actions.toggle_json(self.view)
        self.edit()
        self.say(draft_actions.AS_JSON)

    async def action_copy_digest(self) -> None:
        """Copy the digest; for an empty list, the command it shows."""
        if self.subject is None and self.rows.cursor is None:
            await self.action_offer("copy")
        else:
            await super().action_copy_digest()

    async def action_offer(self, what: str) -> None:
        """Run an action that an empty list offers."""
        if not self.rows.keys:
            await self.run_action(f"app.empty_list('{what}')")
        else:
            self.say("This key is for an empty list. ^p has the same command.")

    def action_turn_request(self, by: int) -> None:
        self.view.request.action_turn(by)
