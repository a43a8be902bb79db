"""What is done with the fixture nearest to a miss: seen, re-keyed, copied from."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType
from textual.timer import Timer

from workbench.core.digest import short
from workbench.core.nearest import describe
from workbench.session.drafts import Draft
from workbench.session.rekey import (
    Rekey,
    RekeyRefusedError,
    carry_out,
    plan_all,
    plan_one,
)
from workbench.session.sight import Sight, look
from workbench.session.wording import counted
from workbench.tui.clipboard import copy
from workbench.tui.held_keys import HeldKeys
from workbench.tui.messages import StatusHinted
from workbench.tui.nearest_lines import plan_lines

# Who moves on through a list does not wait for what is nearest to each row.
LOOK_AFTER = 0.1


class NearestKeys(HeldKeys):
    """A workspace whose rows are compared with fixtures.

    Long because re-keying, of one and of many, asks and tells at each step.
    """

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rekey", "Re-key",
                id="miss.rekey", tooltip="Give the nearest fixture to this request"),
        Binding("d", "nearest", "Nearest",
                id="miss.nearest", tooltip="The nearest fixture and the difference; again: back"),
        Binding("R", "rekey_all", "Re-key all", show=False,
                id="miss.rekey_all", tooltip="Re-key all misses of another day (lists them, asks)"),
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
            self.session.state(digest).kind == "other day"
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
        digest = self.subject
        if digest is None:
            return
        if self.session.store.stamp(digest) is not None:
            self.show_difference(digest)
        elif not self.view.request.compares:
            self.say("Its request is not in the log: there is nothing to compare.")
        else:
            self.view.request.toggle_nearest()
            if self.view.request.shows_nearest:
                self.show_pane("request")

    def show_difference(self, digest: str) -> None:
        """Show how the draft of a digest differs from its file."""
        raise NotImplementedError

    def action_copy_answer(self) -> None:
        """Write the nearest fixture's answer into the draft, where nothing is lost by that at once;
        else after asking.
        """
        sight = self._nearest()
        if sight is None or sight.nearest is None:
            return
        if not sight.response:
            self.say(f"{short(sight.nearest.digest)} has no answer that could be copied.")
        elif self.session.draft(sight.digest).touched:
            self.post_message(
                self.ConfirmAsked(
                    "Copy over what is written? y copies, any other key goes back.",
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

        if sight.nearest is not None and await self.view.change(edit):
            said = f"Copied the answer of {short(sight.nearest.digest)}."
            self.say(f"{said} Enter edits it, a saves it.")

    def _nearest(self) -> Sight | None:
        """What is nearest to the selected miss; says so where nothing is."""
        if self.subject is None:
            return None
        sight = self._sight
        if sight is None and self.view.request.compares:
            self.say("Looking for the nearest fixture still.")
        elif sight is None or sight.nearest is None:
            self.say("No fixture is like this request.")
        return sight

    # Re-keying

    def action_rekey(self) -> None:
        """Give the nearest fixture to the selected miss: at once where it is certain, else after
        asking.
        """
        sight = self._nearest()
        if sight is None or sight.nearest is None:
            return
        if sight.nearest.others:
            which = ", ".join(map(short, (sight.nearest.digest, *sight.nearest.others)))
            self.post_message(
                self.Asked(
                    f"Which fixture? {which}:", lambda prefix: self._rekey_chosen(sight, prefix)
                )
            )
        else:
            self._rekey(sight, sight.nearest.digest)

    def _rekey_chosen(self, sight: Sight, prefix: str) -> None:
        """Re-key one of several by the first digits of its digest."""
        assert sight.nearest is not None
        fixtures = (sight.nearest.digest, *sight.nearest.others)
        chosen = [digest for digest in fixtures if digest.startswith(prefix.strip() or "-")]
        if len(chosen) == 1:
            self._rekey(sight, chosen[0])
        else:
            self.say(f"{prefix.strip() or 'Nothing'} is none of them. r asks again.")

    def _rekey(self, sight: Sight, old: str) -> None:
        assert sight.nearest is not None
        try:
            rekey = plan_one(self.session, old, sight.digest)
        except RekeyRefusedError as error:
            self.say(str(error), "warning")
            return
        if sight.nearest.same_but_volatile and not rekey.is_copy:
            self._carry_out([rekey])
            return
        question = f"{self._doubt(rekey)}. y re-keys all the same, any other key goes back."
        self.post_message(self.ConfirmAsked(question, lambda: self._carry_out([rekey])))

    def _doubt(self, rekey: Rekey) -> str:
        """Why it is not certain that the fixture is meant for the miss."""
        if rekey.is_copy:
            return "It would be copied: its own request came in this run, or another miss wants it"
        if not rekey.differences:
            return "A guess: the fixture holds no request to compare with"
        return f"Not the same request: {describe(rekey.differences[0])}"

    @work(group="rekey", exclusive=True, exit_on_error=False)
    async def action_rekey_all(self) -> None:
        """List what re-keying all misses of another day comes to, and ask."""
        plan = await asyncio.to_thread(plan_all, self.session)
        if not plan.rekeys and not plan.left_out:
            self.say("No miss is the request of a fixture on another day.")
            return
        self.view.request.show((), plan_lines(plan))
        self.show_pane("request")
        if not plan.rekeys:
            self.say("It is not certain which fixture is meant: r on a row asks.", "warning")
            return
        left = f" {len(plan.left_out)} left out." if plan.left_out else ""
        self.post_message(
            self.ConfirmAsked(
                f"Re-key {counted(len(plan.rekeys), 'fixture')}?{left}"
                " y does it, any other key goes back.",
                lambda: self._carry_out(list(plan.rekeys), len(plan.left_out)),
                self._show_again,
            )
        )

    @work(group="rekey", exit_on_error=False)
    async def _carry_out(self, rekeys: list[Rekey], left_out: int = 0) -> None:
        """Write the files and say what was done."""
        if self.is_busy():
            return
        work, shown = self.session.long_work, 0
        done: list[Rekey] = []
        problems: list[str] = []
        async for rekey, problem in work.run(carry_out(self.session, rekeys)):
            if problem:
                problems.append(problem)
            else:
                done.append(rekey)
            if work.is_to_be_told():
                self.decided(*(rekey.new for rekey in done[shown:]))
                shown = len(done)
                self.say(f"Re-keying {len(done):,} of {len(rekeys):,} · esc stops")
        self.decided(*(rekey.new for rekey in done[shown:]))
        self._show_again()
        if problems:
            self.say(f"{counted(len(problems), 'fixture')} not re-keyed: {problems[0]}", "error")
        elif len(done) < len(rekeys):
            self.say(f"Stopped: {len(done):,} of {len(rekeys):,} re-keyed. u takes them back.")
        elif len(rekeys) == 1 and not left_out:
            [rekey] = rekeys
            what = "Copied" if rekey.is_copy else "Re-keyed"
            self.say(f"{what} {short(rekey.old)} → {short(rekey.new)}, answer unchanged. u undoes.")
        else:
            copied = sum(rekey.is_copy for rekey in done)
            moved = "Each file moved" if not copied else f"{copied} copied, the others moved"
            left = f" {left_out} left out." if left_out else ""
            self.say(
                f"Re-keyed {len(done):,}. {moved}, answers unchanged.{left}"
                f" u undoes all {len(done):,}."
            )

    def _show_again(self) -> None:
        """Show the selected row where something else was shown in its place."""
        self.call_later(self.show_subject, self.subject)

    # Serving across days

    @work(group="normalise", exclusive=True, exit_on_error=False)
    async def action_serve_across_days(self) -> None:
        """Copy the setting with which the server answers the misses of another day; nothing is
        written.
        """
        matching = self.session.other_days.matching
        nearest = [await asyncio.to_thread(self.session.nearest_of, digest) for digest in matching]
        kinds = dict.fromkeys(kind for one in nearest if one is not None for kind in one.kinds)
        if not kinds:
            self.say("No miss is the request of a fixture on another day.")
            return
        line = "normalise = [" + ", ".join(f'"{kind}"' for kind in kinds) + "]"
        copy(self.app, self.session.state_folder, f"[tool.workbench]\n{line}\n")
        self.say(f"Copied for pyproject.toml: [tool.workbench] {line}. Nothing is written.")
