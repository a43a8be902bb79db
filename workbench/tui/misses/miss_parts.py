"""The actions of the Misses tab's keys on the selected row."""

from __future__ import annotations

from workbench.tui.misses.hold_actions import HoldActions
from workbench.tui.misses.nearest_actions import NearestActions
from workbench.tui.misses.rekey_actions import RekeyActions
from workbench.tui.misses.row_actions import RowActions
from workbench.tui.misses.tab import MissesTab
from workbench.tui.misses.upstream_actions import UpstreamActions
from workbench.tui.widgets.status import UNTIL_HELD_ROW, status_of
from workbench.tui.workspace.draft_actions import AS_JSON
from workbench.tui.workspace.subject_parts import SubjectParts


class MissParts(SubjectParts):
    """Adds the actions on a miss: skip, ignore and mark, hold, compare, re-key, ask."""

    tab: MissesTab
    row_actions: RowActions
    hold: HoldActions
    nearest: NearestActions
    rekeying: RekeyActions
    upstream: UpstreamActions

    def __init__(self, tab: MissesTab) -> None:
        super().__init__(tab)
        self.hold = HoldActions(self)
        self.row_actions = RowActions(self, self.hold)
        self.nearest = NearestActions(self)
        self.rekeying = RekeyActions(self, self.nearest)
        self.upstream = UpstreamActions(self)

    async def show(self, digest: str | None) -> None:
        self.nearest.begin(digest)
        await super().show(digest)
        if digest is not None and digest in self.session.held:
            status_of(self.tab).clear(UNTIL_HELD_ROW)
        self.nearest.search_soon()

    def rows_changed(self, changed: frozenset[str]) -> None:
        """Show what the list has now."""
        subject = self.view.subject
        if subject in changed and not self.is_answering:
            # A dump may be read long after its hash. While you type, the fields stay.
            requests = len(self.session.miss_index.misses[subject].dumps)
            if requests > self.view.seen_requests:
                self.show_again()

    def go_on(self, saved: str) -> None:
        self.hold.go_on(saved)

    def edit(self) -> None:
        """Go into the answer; for an unsupported request, to what to change."""
        if self.view.subject is None and self.tab.rows.cursor is not None:
            self.tab.panes.focus("request")
            self.tab.say("The request pane shows what to change. esc goes back, s skips the row.")
        else:
            super().edit()

    async def edit_json(self) -> None:
        """Edit the whole document as JSON."""
        if self.view.required_digest() is None:
            return
        if not self.view.answer.as_json:
            await self.draft.toggle_json()
        self.edit()
        self.tab.say(AS_JSON)

    # In an empty list

    def choose(self) -> None:
        """Enter the selected row; from an empty list, go to what failed in the suite."""
        suite = self.session.suite
        if not self.tab.rows.keys and suite is not None and suite.has_failed:
            self.tab.offer("suite")
        else:
            self.tab.rows.action_choose()

    async def rekey(self) -> None:
        """Re-key; from an empty list, run the suite again."""
        if self.tab.rows.keys or self.session.suite is None:
            await self.rekeying.rekey()
        else:
            self.tab.offer("run")

    def copy_digest(self) -> None:
        """Copy the digest; for an empty list, the command it shows."""
        if self.view.subject is None and self.tab.rows.cursor is None:
            from workbench.session.answers.written import git_add_command

            self.tab.offer("add" if git_add_command(self.session) else "copy")
        else:
            super().copy_digest()
