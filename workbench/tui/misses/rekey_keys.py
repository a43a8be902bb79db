"""Misses that get a fixture of another request, mostly of the same one on another day."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from workbench.core.digest import short
from workbench.core.requests.nearest import describe
from workbench.session.misses.nearest_result import Sight
from workbench.session.misses.rekey import Rekey, RekeyRefusedError, carry_out, plan_all, plan_one
from workbench.session.wording import counted
from workbench.tui.clipboard import copy
from workbench.tui.messages import ConfirmAsked, LineAsked
from workbench.tui.misses.held_keys import HeldKeys
from workbench.tui.request.nearest_lines import plan_lines


class RekeyKeys(HeldKeys):
    """A workspace whose rows may get the fixtures that are nearest to them."""

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "rekey", "Re-key",
                id="miss.rekey", tooltip="Give the nearest fixture to this request"),
        Binding("R", "rekey_all", "Re-key all", show=False,
                id="miss.rekey_all", tooltip="Re-key all misses of another day (lists them, asks)"),
    ]
    # fmt: on

    def nearest_sight(self) -> Sight | None:
        """What is nearest to the selected miss; says so where nothing is."""
        raise NotImplementedError

    def action_rekey(self) -> None:
        """Give the nearest fixture to the selected miss: at once where it is certain, else after
        asking.
        """
        sight = self.nearest_sight()
        if sight is None or sight.nearest is None:
            return
        if sight.nearest.others:
            which = ", ".join(map(short, (sight.nearest.digest, *sight.nearest.others)))
            self.post_message(
                LineAsked(
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
        choices = f"y {'copies' if rekey.is_copy else 're-keys'}, any other key goes back."
        self.post_message(ConfirmAsked(_doubt(rekey), choices, lambda: self._carry_out([rekey])))

    @work(group="plan", exclusive=True, exit_on_error=False)
    async def action_rekey_all(self) -> None:
        """List what re-keying all misses of another day comes to, and ask."""
        if self.is_busy():
            return
        began_in = self.app.focused
        plan = await asyncio.to_thread(plan_all, self.session)
        if not plan.rekeys and not plan.left_out:
            self.say("No miss is the request of a fixture on another day.")
            return
        if self.went_on(began_in, "R"):
            return
        self.view.request.show((), plan_lines(plan))
        self.show_pane("request")
        if not plan.rekeys:
            self.say("It is not certain which fixture is meant: r on a row asks.", "warning")
            return
        left = f" {len(plan.left_out)} left out." if plan.left_out else ""
        self.post_message(
            ConfirmAsked(
                f"Re-key {counted(len(plan.rekeys), 'fixture')}?{left}",
                "y does it, any other key goes back.",
                lambda: self._carry_out(list(plan.rekeys), len(plan.left_out)),
                self._show_again,
            )
        )

    @work(group="rekey", exit_on_error=False)
    async def _carry_out(self, rekeys: list[Rekey], left_out: int = 0) -> None:
        """Write the files and say what was done."""
        if self.is_busy():
            return
        long_work, shown = self.session.long_work, 0
        done: list[Rekey] = []
        problems: list[str] = []
        async for rekey, problem in long_work.run(carry_out(self.session, rekeys)):
            if problem:
                problems.append(problem)
            else:
                done.append(rekey)
            if long_work.is_to_be_told():
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
        if not self.view.answer.has_focus_within:
            self.show_anew()

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


def _doubt(rekey: Rekey) -> str:
    """Why it is not certain that the fixture is meant for the miss."""
    if rekey.is_copy:
        # Its own request came in this run, or another miss wants it.
        return "It is needed where it is, too: copy it?"
    if not rekey.differences:
        return "A guess: the fixture holds no request."
    return f"Not the same request: {describe(rekey.differences[0])}."
