"""The fixture nearest to a miss: searched for, shown, its answer copied, or its file given to the
miss (re-keyed), mostly of the same request but for volatile text.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from textual.timer import Timer

from workbench.core.fixture.name_prefix import read_prefix
from workbench.core.fixture.names import digest_of, short_name
from workbench.core.requests.differences import Difference
from workbench.core.requests.nearest import Nearest, describe
from workbench.core.requests.request_change import RequestChange
from workbench.core.requests.volatile import VolatileKind, setting
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.core.user_error import NotFoundError
from workbench.session.drafts.store import Draft
from workbench.session.misses.nearest_result import NearestResult, find_nearest, nearest_of
from workbench.session.misses.states import state_of
from workbench.session.rekey.carry_out import carry_out
from workbench.session.rekey.changes import RekeyedChange
from workbench.session.rekey.later_turns import with_later_turns
from workbench.session.rekey.pairing import rekey_of
from workbench.session.rekey.plan import (
    LeftOut,
    Rekey,
    RekeyPlan,
    RekeyRefusedError,
    without_secrets,
)
from workbench.session.rekey.same_change import plan_same
from workbench.session.rekey.stale import plan_all
from workbench.tui.dialogs.questions import KeyQuestion, ask_line, confirm
from workbench.tui.request.nearest_lines import plan_lines
from workbench.tui.widgets.copying import copy
from workbench.tui.widgets.status import status_of
from workbench.tui.workspace.subject_parts import SubjectParts

# Moving on through the list does not start a search for each row.
SEARCH_AFTER = 0.2
# Differences that a question or the status names.
_MOST_NAMED: Final = 4
# Characters of two changes that are compared, to name equal ones once.
_COMPARED: Final = 1_000
# The answer that re-keys all with the same change.
_ALL: Final = "R"
_GUESS: Final = "A guess: the fixture holds no request."
# The topic of what the status says after a re-key.
_REKEYED: Final = "re-keyed"


class _Planned(NamedTuple):
    """What a re-key would do, and what has the same change beside that."""

    plan: RekeyPlan
    others: tuple[Rekey, ...]


class NearestActions:
    """Compares the selected miss with the fixtures, and gives fixtures to the misses they are
    nearest to. ``found`` is the nearest, once it was searched for.
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
        """Whether the request of a digest is known and has no fixture."""
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
            self._view.request.show_nearest(result, len(self._session.stale))

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
        hint = f"{count} {stale} stale: only dates, ids and the like differ. R re-keys {them}."
        if count and hint != self._hint:
            status_of(self._tab).hint(hint, topic="stale")
        self._hint = hint if count else ""

    def required(self) -> tuple[NearestResult, Nearest] | None:
        """The nearest fixture, for a key that needs one; says so where there is none."""
        if self._view.required_digest() is None:
            return None
        if self.result is not None and self.result.nearest is not None:
            return self.result, self.result.nearest
        if not self._view.request.has_nearest:
            self._tab.say("Its request is not in the log: no fixture can be compared with it.")
        elif self.result is None:
            self._tab.say("Still looking for the nearest fixture.")
        else:
            self._tab.say("No fixture resembles this request.")
        return None

    # Keys

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
            tab.say("Its request is not in the log: there is nothing to compare.")
        else:
            if not request.shows_nearest or tab.panes.is_in_view("request"):
                request.toggle_nearest()
            if not request.shows_nearest:
                tab.say("")
                return
            tab.panes.show("request")
            if self.result is not None and self.result.nearest is not None:
                tab.say("r gives its file to this request, c copies its answer, d goes back.")

    async def copy_answer(self) -> None:
        """Write the nearest fixture's answer into the draft; asks first where it was edited."""
        tab, nearest_fixture = self._tab, self.required()
        if nearest_fixture is None:
            return
        result, nearest = nearest_fixture
        if not result.response:
            tab.say(f"{short_name(nearest.name)} has no answer that could be copied.")
            return
        name = self._view.name_of(result.digest)
        is_written = self._session.drafting.open(name).touched
        if is_written and not await confirm(tab, "Replace what is written?", "Replace"):
            return

        def edit(draft: Draft) -> None:
            draft.set_document(draft.document.with_response(result.response))

        if await self._view.change(edit, name):
            tab.say(f"Copied the answer of {short_name(nearest.name)}. Enter edits it, a saves it.")

    # Re-keying

    async def rekey(self) -> None:
        """Give the nearest fixture to the selected miss, and those of the later turns to theirs;
        asks first where it is not certain.
        """
        tab, nearest_fixture = self._tab, self.required()
        if nearest_fixture is None:
            return
        new, nearest = nearest_fixture[0].digest, nearest_fixture[1]
        old = await self._chosen(nearest) if nearest.others else nearest.name
        if old is None:
            return
        try:
            rekey = rekey_of(self._session, old, new)
        except RekeyRefusedError as error:
            tab.say(error.sentence, "warning")
            return
        # Its key may be typed before all fixtures are read.
        planning = asyncio.get_running_loop().run_in_executor(None, self._plan, rekey)
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

    def _plan(self, rekey: Rekey) -> _Planned:
        """What moves with a fixture, and what else was changed by the same words. Slow: for a
        thread.
        """
        plan = with_later_turns(self._session, RekeyPlan((rekey,), ()))
        change = RequestChange.of(rekey.differences)
        if not change.words:
            return _Planned(plan, ())
        same = without_secrets(plan_same(self._session, change))
        olds = {old for each in plan.rekeys for old, _ in each.files}
        news = {each.new for each in plan.rekeys}
        others = (
            each
            for each in same.rekeys
            if each.new not in news and olds.isdisjoint(old for old, _ in each.files)
        )
        return _Planned(plan, tuple(others))

    async def _is_sure(self, rekey: Rekey, planning: asyncio.Future[_Planned]) -> str | None:
        """Ask where it is not certain that the fixture is for the miss; all differences are shown
        meanwhile. Returns the key of the answer: ``_ALL`` for all with the same change, None for
        no.
        """
        request = self._view.request
        is_turned = bool(rekey.differences) and not request.shows_nearest
        if is_turned:
            request.toggle_nearest()
            self._tab.panes.show("request")
        question = KeyQuestion(_doubt(rekey), {"y": "Copy" if rekey.is_copy else "Re-key"})

        def add_others(planning: asyncio.Future[_Planned]) -> None:
            if question.is_current and not planning.exception():
                _add_others(question, *planning.result())

        planning.add_done_callback(add_others)
        answer = await self._tab.app.push_screen_wait(question)
        if is_turned and request.shows_nearest:
            request.toggle_nearest()
        return answer

    async def _offer_others(self, rekey: Rekey) -> None:
        """Say how many fixtures have the same change as one that was re-keyed alone."""
        session, change = self._session, RequestChange.of(rekey.differences)
        if rekey.new not in session.decisions.rekeyed or not change.words:
            return
        session.rekeyed_changes.offered = RekeyedChange(rekey.old, rekey.new, change)
        plan = without_secrets(await asyncio.to_thread(plan_same, session, change))
        if plan.rekeys:
            others = counted(len(plan.rekeys), "other")
            message = f"Re-keyed. The same change in {others}: R re-keys all. u undoes."
            status_of(self._tab).hint(message, topic=_REKEYED)

    async def _chosen(self, nearest: Nearest) -> str | None:
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
            which = "is none of them" if not chosen else f"begins {len(chosen)} of them"
            self._tab.say(f"{typed.strip()} {which}. r asks again.")
            return None
        return chosen[0]

    def rekey_all(self) -> None:
        """List what re-keying all stale misses would do, and ask."""
        self._tab.start("plan", self._rekey_all(), once=True)

    async def _rekey_all(self) -> None:
        tab, began_in = self._tab, self._tab.app.focused
        if tab.is_busy():
            return
        plan, is_same = await self._plan_many()
        if not plan.rekeys and not plan.left_out:
            tab.say("No miss has a stale fixture. r re-keys the nearest one.")
            return
        if tab.focus_moved(began_in, "R"):
            return
        self._view.request.show((), plan_lines(plan, is_same=is_same))
        tab.panes.show("request")
        if not plan.rekeys:
            tab.say("All are left out. r on one of them asks.", "warning")
            return
        which = " with the same change" if is_same else ""
        left = f" {len(plan.left_out)} left out." if plan.left_out else ""
        question = f"Re-key {counted(len(plan.rekeys), 'fixture')}{which}?{left}"
        is_wanted = await confirm(tab, question, "Re-key")
        if is_wanted:
            # In a worker of its own: another plan ends this one.
            tab.start("rekey", self._carry_out(plan.rekeys, plan.left_out))
        elif is_wanted is False:
            self._session.rekeyed_changes.offered = None
            self._show_selected()

    async def _plan_many(self) -> tuple[RekeyPlan, bool]:
        """What R re-keys: the fixtures that have the same change as the last one that was re-keyed
        alone, or else all stale ones; and which of both it is.
        """
        offered = self._session.rekeyed_changes.offered
        if offered is not None and offered.new in self._session.decisions.rekeyed:
            plan = await asyncio.to_thread(plan_same, self._session, offered.change)
            if (plan := without_secrets(plan)).rekeys:
                return plan, True
        return without_secrets(await asyncio.to_thread(plan_all, self._session)), False

    async def _carry_out(self, rekeys: Sequence[Rekey], left_out: Sequence[LeftOut]) -> None:
        """Write the files and say what was done."""
        tab = self._tab
        if tab.is_busy():
            return
        done: list[Rekey] = []
        problems: list[str] = []
        writing = carry_out(self._session, rekeys)
        async for rekey, problem in tab.run_job(writing, "Re-keying", len(rekeys)):
            if problem:
                problems.append(problem)
            else:
                done.append(rekey)
                tab.decided(rekey.new)
        self._show_selected()
        made = f"{len(done):,} of {len(rekeys):,} re-keyed."
        undoes = " u undoes." if done else ""
        if problems:
            why = f"{counted(len(problems), 'fixture')} not: {problems[0]}"
            tab.say(f"{made}{undoes} {why}", "error")
        elif len(done) < len(rekeys):
            tab.say(f"Stopped: {made}{undoes}")
        else:
            status_of(tab).say(_summary(done, left_out), topic=_REKEYED)

    def _show_selected(self) -> None:
        """Show the selected row again, where a list of re-keys took its place."""
        if not self._parts.is_answering:
            self._parts.show_again()

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
            what = f"for pyproject.toml: [tool.workbench] {line}. Nothing is written"
            copy(self._tab, f"[tool.workbench]\n{line}\n", what)

        self._tab.start("normalise", looking(), once=True)


def _summary(done: Sequence[Rekey], left_out: Sequence[LeftOut]) -> str:
    """What was done, in a sentence or two."""
    first, *others = done
    if all(rekey.follows == first.new for rekey in others):
        return _summary_of_one(first, len(others), left_out)
    copied = sum(rekey.is_copy for rekey in done)
    moved = "Each file moved" if not copied else f"{copied} copied, the others moved"
    left = f" {len(left_out)} left out." if left_out else ""
    partial = sum(bool(rekey.remark) for rekey in done)
    if partial:
        left += f" {counted(partial, 'request')} stored without messages, as too large."
    return f"Re-keyed {len(done):,}. {moved}, answers unchanged.{left} u undoes all {len(done):,}."


def _summary_of_one(rekey: Rekey, later: int, left_out: Sequence[LeftOut]) -> str:
    """The same for one fixture and its ``later`` turns."""
    what = "Copied" if rekey.is_copy else "Re-keyed"
    files = short(rekey.old)
    if len(rekey.files) > 1:
        files = f"{len(rekey.files)} fixtures, {files} and its variants"
    turns = f" and {counted(later, 'later turn')}" if later else ""
    changed = f": {_named(rekey.differences)}" if rekey.differences else f" → {short(rekey.new)}"
    left = "".join(f" {short(each.new)} stays: {each.reason}" for each in left_out)
    return f"{what} {files}{turns}{changed}.{left} u undoes. {rekey.remark}".rstrip()


def _doubt(rekey: Rekey) -> str:
    """Why it is not certain that the fixture is meant for the miss."""
    differences = (
        f"{_named(rekey.differences, ' in the Nearest view')}." if rekey.differences else ""
    )
    if rekey.is_copy:
        # Its own request came in this run, or another miss needs it.
        return f"Its old request still comes, too: copy it? {differences}".rstrip()
    return f"Not the same request: {differences}" if differences else _GUESS


def _add_others(question: KeyQuestion, plan: RekeyPlan, others: Sequence[Rekey]) -> None:
    """Say what else would be re-keyed."""
    if later := len(plan.rekeys) - 1:
        question.add(f"{counted(later, 'later turn')} would move with it.", {})
    if others:
        change = f"The same change in {counted(len(others), 'other')}: R re-keys all."
        question.add(change, {_ALL: f"Re-key all {len(others) + len(plan.rekeys):,}"})


def _named(differences: Iterable[Difference], where: str = "") -> str:
    """All differences, each change once; of many the first, and how many more there are
    ``where``.
    """
    by_change: dict[tuple[str, str], list[str]] = {}
    for difference in differences:
        described = describe(difference).removesuffix(".")
        by_change.setdefault(difference.sides(_COMPARED), []).append(described)
    named = [
        first + (f" (in {len(others) + 1} places)" if others else "")
        for first, *others in by_change.values()
    ]
    if len(named) > _MOST_NAMED:
        named[_MOST_NAMED:] = [f"{len(named) - _MOST_NAMED} more{where}"]
    return "; ".join(named)
