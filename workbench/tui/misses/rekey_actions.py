"""Giving fixtures to the misses they are nearest to (re-keying): one, with its later turns and what
else has the same change, or all stale ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from workbench.core.fixture.name_prefix import read_prefix
from workbench.core.fixture.names import digest_of
from workbench.core.requests.nearest import Nearest
from workbench.core.requests.request_change import RequestChange
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.core.user_error import NotFoundError
from workbench.session.rekey.carry_out import carry_out
from workbench.session.rekey.changes import RekeyedChange
from workbench.session.rekey.pairing import rekey_of
from workbench.session.rekey.plan import (
    LeftOut,
    Rekey,
    RekeyPlan,
    RekeyRefusedError,
    without_secrets,
)
from workbench.session.rekey.same_change import (
    PlanWithOthers,
    plan_offered,
    plan_same,
    plan_with_others,
)
from workbench.session.rekey.stale import plan_all
from workbench.tui.dialogs.questions import KeyQuestion, ask_line, confirm
from workbench.tui.misses.nearest_actions import NearestActions
from workbench.tui.misses.rekey_texts import doubt, summary
from workbench.tui.request.nearest_lines import plan_lines
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace.subject_parts import SubjectParts

# The answer that re-keys all with the same change.
_ALL: Final = "R"
# The topic of the status message after a re-key.
_REKEYED: Final = "re-keyed"


class RekeyActions:
    """Gives fixtures to the misses they are nearest to, mostly of the same request but for volatile
    text.
    """

    def __init__(self, parts: SubjectParts, nearest: NearestActions) -> None:
        self._tab = parts.tab
        self._parts = parts
        self._view = parts.view
        self._session = parts.session
        self._nearest = nearest

    async def rekey(self) -> None:
        """Re-key the nearest fixture to the selected miss, and the fixtures of later turns to
        theirs, after a question if it is not certain.
        """
        tab, nearest_fixture = self._tab, self._nearest.required()
        if nearest_fixture is None:
            return
        new, nearest = nearest_fixture[0].digest, nearest_fixture[1]
        old = await self._picked(nearest) if nearest.others else nearest.name
        if old is None:
            return
        try:
            rekey = rekey_of(self._session, old, new)
        except RekeyRefusedError as error:
            tab.say(error.sentence, "warning")
            return
        # Its key may be typed before all fixtures are read.
        planning = asyncio.get_running_loop().run_in_executor(
            None, plan_with_others, self._session, rekey
        )
        answer: str | None = ""
        if not nearest.same_but_volatile or rekey.is_copy:
            answer = await self._is_sure(rekey, planning)
        if answer is None or (rekey.secret and not await confirm(tab, rekey.secret, "Store")):
            return
        plan, others = await planning
        if not rekey.secret:
            plan = without_secrets(plan)
        others = others if answer == _ALL else ()
        await self._carry_out([*plan.rekeys, *others], plan.left_out)
        if not others:
            await self._offer_others(rekey)

    async def _is_sure(self, rekey: Rekey, planning: asyncio.Future[PlanWithOthers]) -> str | None:
        """Ask where it is not certain that the fixture is for the miss; all differences are shown
        until then. Returns the key of the answer: ``_ALL`` for all with the same change, None for
        no.
        """
        request = self._view.request
        is_turned = bool(rekey.differences) and not request.shows_nearest
        if is_turned:
            request.toggle_nearest()
            self._tab.panes.show("request")
        question = KeyQuestion(doubt(rekey), {"y": "Copy" if rekey.is_copy else "Move"})

        def add_others(planning: asyncio.Future[PlanWithOthers]) -> None:
            if question.is_current and not planning.exception():
                _add_others(question, *planning.result())

        planning.add_done_callback(add_others)
        answer = await self._tab.app.push_screen_wait(question)
        if is_turned and request.shows_nearest:
            request.toggle_nearest()
        return answer

    async def _offer_others(self, rekey: Rekey) -> None:
        """Show how many fixtures have the same change as one that was re-keyed by itself."""
        session, change = self._session, RequestChange.of(rekey.differences)
        if rekey.new not in session.decisions.rekeyed or not change.words:
            return
        session.rekeyed_changes.offered = RekeyedChange(rekey.old, rekey.new, change)
        plan = without_secrets(await asyncio.to_thread(plan_same, session, change))
        if plan.rekeys:
            others = counted(len(plan.rekeys), "other")
            message = f"Moved. The same change in {others}: R moves all. u undoes."
            status_of(self._tab).hint(message, topic=_REKEYED)

    async def _picked(self, nearest: Nearest) -> str | None:
        """Ask for one of several fixtures by the first digits of its digest."""
        fixtures = (digest_of(nearest.name), *nearest.others)
        typed = await ask_line(
            self._tab, f"Which fixture? {', '.join(map(short, fixtures))}:", "Choose"
        )
        if typed is None:
            return None
        try:
            begins = read_prefix(typed.strip()).begins
        except NotFoundError as error:
            self._tab.say(f"{error.sentence} r asks again.")
            return None
        chosen = [digest for digest in fixtures if begins(digest)]
        if len(chosen) != 1:
            which = "matches none of them" if not chosen else f"matches {len(chosen)} of them"
            self._tab.say(f"{typed.strip()} {which}. r asks again.")
            return None
        return chosen[0]

    def rekey_all(self) -> None:
        """List the effects of re-keying all stale misses, and ask."""
        self._tab.start("plan", self._rekey_all(), once=True)

    async def _rekey_all(self) -> None:
        tab, began_in = self._tab, self._tab.app.focused
        if tab.is_busy():
            return
        plan, is_same = await self._plan_many()
        if not plan.rekeys and not plan.left_out:
            tab.say("No miss has a stale fixture. r moves the nearest one.")
            return
        if tab.focus_moved(began_in, "R"):
            return
        self._view.request.show_instead(plan_lines(plan, is_same=is_same))
        tab.panes.show("request")
        if not plan.rekeys:
            tab.say("All are left out. Press r on one of them to decide.", "warning")
            return
        which = " with the same change" if is_same else ""
        left = f" {len(plan.left_out)} left out." if plan.left_out else ""
        question = f"Move {counted(len(plan.rekeys), 'fixture')}{which}?{left}"
        answer = await confirm(tab, question, "Move")
        if answer:
            # In a worker of its own: another plan ends this one.
            tab.start("rekey", self._carry_out(plan.rekeys, plan.left_out))
        elif answer is False:
            self._session.rekeyed_changes.offered = None
            self._show_selected()

    async def _plan_many(self) -> tuple[RekeyPlan, bool]:
        """What R re-keys: the fixtures that have the same change as the last one that was re-keyed
        by itself, or else all stale ones; and which of both it is.
        """
        plan = await asyncio.to_thread(plan_offered, self._session)
        if plan.rekeys:
            return plan, True
        return without_secrets(await asyncio.to_thread(plan_all, self._session)), False

    async def _carry_out(self, rekeys: Sequence[Rekey], left_out: Sequence[LeftOut]) -> None:
        """Write the files and report the result."""
        tab = self._tab
        if tab.is_busy():
            return
        done: list[Rekey] = []
        problems: list[str] = []
        writing = carry_out(self._session, rekeys)
        async for rekey, problem in tab.run_job(writing, "Moving", len(rekeys)):
            if problem:
                problems.append(problem)
            else:
                done.append(rekey)
                tab.decided(rekey.new)
        self._show_selected()
        made = f"{len(done):,} of {len(rekeys):,} moved."
        undoes = " u undoes." if done else ""
        if problems:
            why = f"{counted(len(problems), 'fixture')} not: {problems[0]}"
            tab.say(f"{made}{undoes} {why}", "error")
        elif len(done) < len(rekeys):
            tab.say(f"Stopped: {made}{undoes}")
        else:
            status_of(tab).say(summary(done, left_out), topic=_REKEYED)

    def _show_selected(self) -> None:
        """Show the selected row again, where a list of re-keys took its place."""
        if not self._parts.is_answering:
            self._parts.show_again()


def _add_others(question: KeyQuestion, plan: RekeyPlan, others: Sequence[Rekey]) -> None:
    """Add further fixtures that would be re-keyed to the question."""
    if later := len(plan.rekeys) - 1:
        moves = "moves" if later == 1 else "move"
        question.add(f"{counted(later, 'later turn')} {moves} with it.", {})
    if others:
        change = f"The same change in {counted(len(others), 'other')}: R moves all."
        question.add(change, {_ALL: f"Move all {len(others) + len(plan.rekeys):,}"})
