"""The fixture nearest to a miss: searched for, shown, and its answer copied."""

from __future__ import annotations

import asyncio

from textual.timer import Timer

from workbench.core.fixture.names import short_name
from workbench.core.requests.nearest import Nearest
from workbench.core.requests.volatile import VolatileKind, setting
from workbench.session.drafts.store import Draft
from workbench.session.misses.nearest_result import NearestResult, find_nearest, nearest_of
from workbench.session.misses.states import state_of
from workbench.tui.command import Situation
from workbench.tui.dialogs.questions import confirm
from workbench.tui.widgets.copying import copy
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace.subject_parts import SubjectParts

# Moving on through the list does not start a search for each row.
SEARCH_AFTER = 0.2


class NearestActions:
    """Compares the selected miss with the fixtures.

    Attributes:
        result: the nearest one, once it was searched for.
    """

    def __init__(self, parts: SubjectParts) -> None:
        self._tab = parts.tab
        self._parts = parts
        self._view = parts.view
        self._session = parts.session
        self.result: NearestResult | None = None
        self._timer: Timer | None = None
        self._hint = ""

    # Searching

    def begin(self, digest: str | None) -> None:
        """Prepare to show another digest."""
        self.result = None
        self._view.request.has_nearest = digest is not None and self._is_compared(digest)

    def _is_compared(self, digest: str) -> bool:
        """True if the request of a digest is known and has no fixture."""
        miss = self._session.miss_index.misses.get(digest)
        files = self._session.miss_fixtures
        has_file = self._session.store.stamp(digest) is not None or (
            digest in files and files.first_open(digest) is None
        )
        return miss is not None and bool(miss.dumps) and not has_file

    def search_soon(self) -> None:
        """Search for the nearest fixture of the shown digest."""
        if self._timer is not None:
            self._timer.stop()
        if self._tab.subject is not None and self._view.request.has_nearest:
            self._timer = self._tab.set_timer(SEARCH_AFTER, self._search)

    def _search(self) -> None:
        digest = self._tab.subject

        async def searching() -> None:
            if digest is not None and self._is_compared(digest):
                index = self._session.nearest  # made here, before a thread searches
                result = await asyncio.to_thread(find_nearest, self._session, index, digest)
                self.show_result(result)

        self._tab.start("nearest", searching(), once=True)

    def show_result(self, result: NearestResult) -> None:
        """Show what was found, if its miss is still selected."""
        if result.digest == self._tab.subject:
            self.result = result
            self._view.request.show_nearest(result)
            self._tab.update_keys()

    def update(self, digests: set[str], *, fixtures_changed: bool) -> None:
        """Show what the background comparison found for ``digests``; if fixtures changed, another
        one may be the nearest.
        """
        subject = self._tab.subject
        if fixtures_changed or subject in digests:
            self.search_soon()
        if subject is not None and subject in digests and not self._parts.shows_difference:
            self._parts.show_notice(self._tab.notice(subject))
        if not self._session.stale.is_behind:
            self._hint_stale()

    def _hint_stale(self) -> None:
        """Hint at stale misses, in place of nothing or of an earlier hint."""
        session = self._session
        count = sum(state_of(session, digest).kind == "stale" for digest in session.stale.matching)
        stale, them = ("miss is", "it") if count == 1 else ("misses are", "them")
        hint = f"{count} {stale} stale: only dates, ids and the like differ. R moves {them}."
        if count and hint != self._hint:
            status_of(self._tab).hint(hint, topic="stale")
        self._hint = hint if count else ""

    def required(self) -> tuple[NearestResult, Nearest] | None:
        """The nearest fixture, for a key that needs one; if there is none, a message is shown."""
        if self._view.required_digest() is None:
            return None
        if self.result is not None and self.result.nearest is not None:
            return self.result, self.result.nearest
        if not self._view.request.has_nearest:
            self._tab.say("The log does not contain its request, so there is nothing to compare.")
        elif self.result is None:
            self._tab.say("Still looking for the nearest fixture.")
        else:
            self._tab.say("No similar fixture.")
        return None

    # Keys

    @property
    def situation(self) -> dict[Situation, int]:
        """The situations for the key bar while the nearest fixture is shown."""
        request = self._view.request
        nearest = self.result.nearest if self.result is not None else None
        if nearest is None or not request.shows_nearest:
            return {}
        if not self._tab.panes.is_in_view("request"):
            return {}
        alike = len(self._session.stale)
        shown: dict[Situation, int] = {"nearest": 1}
        if not nearest.is_equivalent:
            shown["can re-key"] = 1
        if nearest.same_but_volatile and alike > 1:
            shown["several stale"] = alike
        return shown

    def show(self) -> None:
        """Show the nearest fixture, or the view before it again; for a digest with a file, show
        how the draft differs from the file.
        """
        tab, request = self._tab, self._view.request
        digest = self._view.required_digest()
        if digest is None:
            return
        if self._session.store.stamp(self._view.name_of(digest)) is not None:
            self._parts.show_difference()
        elif not request.has_nearest:
            tab.say("The log does not contain its request, so there is nothing to compare.")
        else:
            if not request.shows_nearest or tab.panes.is_in_view("request"):
                request.toggle_nearest()
            if not request.shows_nearest:
                tab.say("")
                return
            tab.panes.show("request")

    async def copy_answer(self) -> None:
        """Write the nearest fixture's answer into the draft, after a question if the draft was
        edited.
        """
        tab, nearest_fixture = self._tab, self.required()
        if nearest_fixture is None:
            return
        result, nearest = nearest_fixture
        if not result.response:
            tab.say(f"{short_name(nearest.name)} has no answer to copy.")
            return
        name = self._view.name_of(result.digest)
        is_written = self._session.drafting.open(name).touched
        if is_written and not await confirm(tab, "Replace what is written?", "Replace"):
            return

        def edit(draft: Draft) -> None:
            draft.set_document(draft.document.with_response(result.response))

        if await self._view.change(edit, name):
            tab.say(f"Copied the answer of {short_name(nearest.name)}. Enter edits it, a saves it.")

    def serve_across_days(self) -> None:
        """Copy the setting with which the server answers stale misses; nothing is written."""

        async def looking() -> None:
            session = self._session
            kinds: list[VolatileKind] = []
            for digest in session.stale.matching:
                nearest = await asyncio.to_thread(nearest_of, session, digest)
                kinds += nearest.kinds if nearest is not None else ()
            if not kinds:
                self._tab.say("No miss has a stale fixture.")
                return
            line = setting(list(dict.fromkeys(kinds)))
            what = f"for pyproject.toml: [tool.workbench] {line}"
            copy(self._tab, f"[tool.workbench]\n{line}\n", what)

        self._tab.start("normalise", looking(), once=True)
