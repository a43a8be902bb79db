"""What is done with the fixture nearest to a miss: looked for, seen, copied from."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.timer import Timer

from workbench.core.digest import short
from workbench.session.drafts import Draft
from workbench.session.misses.nearest_result import Sight, look
from workbench.tui.messages import ConfirmAsked, StatusHinted
from workbench.tui.misses.rekey_keys import RekeyKeys
from workbench.tui.request.pane import RequestPane

# Who moves on through a list does not wait for what is nearest to each row.
LOOK_AFTER = 0.1


class NearestKeys(RekeyKeys):
    """A workspace whose rows are compared with fixtures."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "nearest", "Nearest",
                id="miss.nearest", tooltip="The nearest fixture and the difference; again: back"),
        Binding("c", "copy_answer", "Copy answer", show=False,
                id="miss.copy_answer", tooltip="Copy the nearest's answer into the draft"),
    ]
    # fmt: on

    _sight: Sight | None = None
    _look_timer: Timer | None = None
    _hint = ""

    # Looking

    async def show_subject(self, digest: str | None) -> None:
        self._sight = None
        self.view.request.compares = digest is not None and self._is_compared(digest)
        await super().show_subject(digest)
        self._look_soon()

    def _is_compared(self, digest: str) -> bool:
        """Whether the request of a digest is known and has no fixture."""
        miss = self.session.book.misses.get(digest)
        has_file = self.session.store.stamp(digest) is not None
        return miss is not None and bool(miss.dumps) and not has_file

    def _look_soon(self) -> None:
        if self._look_timer is not None:
            self._look_timer.stop()
        if self.subject is not None and self.view.request.compares:
            self._look_timer = self.set_timer(LOOK_AFTER, self._look)

    @work(group="look", exclusive=True, exit_on_error=False)
    async def _look(self) -> None:
        digest = self.subject
        if digest is not None and self._is_compared(digest):
            self._show_sight(await asyncio.to_thread(look, self.session, digest))

    def _show_sight(self, sight: Sight) -> None:
        if sight.digest == self.subject:
            self._sight = sight
            self.view.request.show_nearest(sight, len(self.session.other_days))

    def days_changed(self, digests: set[str], fixtures_changed: bool) -> None:
        """These misses may be requests of fixtures on another day now, or no longer.

        Args:
            fixtures_changed: another fixture may be the nearest one.
        """
        self.update_rows(frozenset(digests))
        if fixtures_changed or self.subject in digests:
            self._look_soon()
        if not self.session.other_days.is_behind:
            self._tell_of_other_days()

    def _tell_of_other_days(self) -> None:
        """Say that there are such misses, in place of nothing or of what was said of them."""
        count = sum(
            self.session.state(digest).kind == "stale"
            for digest in self.session.other_days.matching
        )
        are = "miss is a fixture" if count == 1 else "misses are fixtures"
        hint = f"{count} {are} of another day. R re-keys {'it' if count == 1 else 'them'}."
        if count and hint != self._hint:
            self.post_message(StatusHinted(hint, instead_of=self._hint))
        self._hint = hint if count else ""

    # Keys

    def action_nearest(self) -> None:
        """Show the nearest fixture, or again what was shown before it; of a digest that has a file
        how the draft differs from that.
        """
        digest = self.wanted_digest()
        if digest is None:
            return
        if self.session.store.stamp(digest) is not None:
            self.show_difference()
        elif not self.view.request.compares:
            self.say("Its request is not in the log: there is nothing to compare.")
        else:
            request = self.view.request
            if not request.shows_nearest or self._is_in_view(request):
                request.toggle_nearest()
            if not request.shows_nearest:
                self.say("")
                return
            self.show_pane("request")
            if self._sight is not None and self._sight.nearest is not None:
                self.say("r gives its file to this request, c copies its answer, d goes back.")

    def _is_in_view(self, request: RequestPane) -> bool:
        is_covered = self.has_class("-small") and not self.has_class("-show-request")
        return not is_covered and self.screen.maximized in (None, request)

    def action_copy_answer(self) -> None:
        """Write the nearest fixture's answer into the draft, where nothing is lost by that at once;
        else after asking.
        """
        sight = self.nearest_sight()
        if sight is None or sight.nearest is None:
            return
        if not sight.response:
            self.say(f"{short(sight.nearest.digest)} has no answer that could be copied.")
        elif self.session.draft(sight.digest).touched:
            self.post_message(
                ConfirmAsked(
                    "Copy over what is written?",
                    "y copies, any other key goes back.",
                    partial(self._begin_copy, sight),
                )
            )
        else:
            self._begin_copy(sight)

    def _begin_copy(self, sight: Sight) -> None:
        self.call_later(self._copy_answer, sight)

    async def _copy_answer(self, sight: Sight) -> None:
        def edit(draft: Draft) -> None:
            draft.set_text(draft.document.with_response(sight.response).text)

        if sight.nearest is not None and await self.view.change(edit, sight.digest):
            said = f"Copied the answer of {short(sight.nearest.digest)}."
            self.say(f"{said} Enter edits it, a saves it.")

    def nearest_sight(self) -> Sight | None:
        if self.wanted_digest() is None:
            return None
        sight = self._sight
        if sight is None and self.view.request.compares:
            self.say("Looking for the nearest fixture still.")
        elif sight is None or sight.nearest is None:
            self.say("No fixture is like this request.")
        return sight
