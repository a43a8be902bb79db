"""The fixture nearest to a miss: searched for, shown, its answer copied."""

from __future__ import annotations

import asyncio

from textual.timer import Timer

from workbench.core.digest import short
from workbench.core.requests.nearest import Nearest
from workbench.session.drafts import Draft
from workbench.session.misses.nearest_result import NearestResult, find
from workbench.tui.dialogs.questions import confirm
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace import Workspace

# Moving on through the list does not start a search for each row.
SEARCH_AFTER = 0.1


class NearestActions:
    """Compares the selected miss with the fixtures; ``found`` is the nearest, once it was searched
    for.
    """

    def __init__(self, tab: Workspace) -> None:
        self._tab = tab
        self._session = tab.session
        self.found: NearestResult | None = None
        self._timer: Timer | None = None
        self._hint = ""

    # Searching

    def begin(self, digest: str | None) -> None:
        """Prepare to show another digest."""
        self.found = None
        self._tab.view.request.has_nearest = digest is not None and self._is_compared(digest)

    def _is_compared(self, digest: str) -> bool:
        """Whether the request of a digest is known and has no fixture."""
        miss = self._session.miss_index.misses.get(digest)
        has_file = self._session.store.stamp(digest) is not None
        return miss is not None and bool(miss.dumps) and not has_file

    def search_soon(self) -> None:
        """Search for the nearest fixture of the shown digest."""
        if self._timer is not None:
            self._timer.stop()
        if self._tab.subject is not None and self._tab.view.request.has_nearest:
            self._timer = self._tab.set_timer(SEARCH_AFTER, self._search)

    def _search(self) -> None:
        digest = self._tab.subject

        async def searching() -> None:
            if digest is not None and self._is_compared(digest):
                index = self._session.nearest  # made here, before a thread searches
                self.show_result(await asyncio.to_thread(find, self._session, index, digest))

        self._tab.start("nearest", searching(), once=True)

    def show_result(self, result: NearestResult) -> None:
        """Show what was found, if its miss is still selected."""
        if result.digest == self._tab.subject:
            self.found = result
            self._tab.view.request.show_nearest(result, len(self._session.stale))

    def update(self, digests: set[str], *, fixtures_changed: bool) -> None:
        """Show what the background comparison found for ``digests``; if fixtures changed, another
        one may be the nearest.
        """
        if fixtures_changed or self._tab.subject in digests:
            self.search_soon()
        if not self._session.stale.is_behind:
            self._hint_stale()

    def _hint_stale(self) -> None:
        """Hint at stale misses, in place of nothing or of an earlier hint."""
        session = self._session
        count = sum(session.state(digest).kind == "stale" for digest in session.stale.matching)
        stale, them = ("miss is", "it") if count == 1 else ("misses are", "them")
        hint = f"{count} {stale} stale: only dates, ids and the like differ. R re-keys {them}."
        if count and hint != self._hint:
            status_of(self._tab).hint(hint, topic="stale")
        self._hint = hint if count else ""

    def wanted(self) -> tuple[NearestResult, Nearest] | None:
        """The nearest fixture, for a key that needs one; says so where there is none."""
        if self._tab.view.wanted_digest() is None:
            return None
        if self.found is not None and self.found.nearest is not None:
            return self.found, self.found.nearest
        if self.found is None and self._tab.view.request.has_nearest:
            self._tab.say("Still looking for the nearest fixture.")
        else:
            self._tab.say("No fixture resembles this request.")
        return None

    # Keys

    def action_show(self) -> None:
        """Show the nearest fixture, or the view before it again; for a digest with a file, show
        how the draft differs from the file.
        """
        tab, request = self._tab, self._tab.view.request
        digest = tab.view.wanted_digest()
        if digest is None:
            return
        if self._session.store.stamp(digest) is not None:
            tab.action_difference()
        elif not request.has_nearest:
            tab.say("Its request is not in the log: there is nothing to compare.")
        else:
            if not request.shows_nearest or tab.panes.is_in_view("request"):
                request.toggle_nearest()
            if not request.shows_nearest:
                tab.say("")
                return
            tab.panes.show("request")
            if self.found is not None and self.found.nearest is not None:
                tab.say("r gives its file to this request, c copies its answer, d goes back.")

    async def copy_answer(self) -> None:
        """Write the nearest fixture's answer into the draft; asks first where it was edited."""
        tab, found = self._tab, self.wanted()
        if found is None:
            return
        result, nearest = found
        if not result.response:
            tab.say(f"{short(nearest.digest)} has no answer that could be copied.")
            return
        if self._session.drafting.open(result.digest).touched:
            choices = "y copies, any other key goes back."
            if not await confirm(tab, "Replace what is written?", choices):
                return

        def edit(draft: Draft) -> None:
            draft.set_answer(draft.answer.with_response(result.response))

        if await tab.view.change(edit, result.digest):
            tab.say(f"Copied the answer of {short(nearest.digest)}. Enter edits it, a saves it.")
