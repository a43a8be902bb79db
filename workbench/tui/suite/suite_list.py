"""The list of the suite's tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.core.suite_tests import ReportedTest
from workbench.session.misses.states import state_of
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.session.suite.tests import TestState, misses_by_test, state_of_test
from workbench.tui.command import Command, bindings, first
from workbench.tui.widgets.columns import Column
from workbench.tui.widgets.glyphs import StateLook
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.row_list import RowList
from workbench.tui.widgets.styles import ACCENT, ERROR, HELD, MUTED, SUCCESS, WARNING

if TYPE_CHECKING:
    from workbench.tui.suite.tab import SuiteTab

LOOKS: Final[Mapping[TestState, StateLook]] = {
    "waiting": StateLook("‖", HELD),
    "running": StateLook("●", ACCENT),
    "not finished": StateLook("?", WARNING),
    "passed": StateLook("✓", SUCCESS),
    "failed": StateLook("✗", ERROR),
    "error": StateLook("✗", ERROR),
    "skipped": StateLook("-", MUTED),
    "xfailed": StateLook("✓", MUTED),
    "xpassed": StateLook("!", WARNING),
}
# From this width on the state is also shown as a word.
WORDS_FROM: Final = 100


def name_of(test: ReportedTest) -> Content:
    """The name of a test, with its parameters, and then its file."""
    file, _, name = test.id.partition("::")
    if not name:
        return one_line(file)
    return one_line(name) + Content("  ") + one_line(file, MUTED)


class SuiteList(RowList[ReportedTest]):
    """The tests of the last run, in the order in which they ran."""

    BINDING_GROUP_TITLE = "List of tests"
    HELP = "The tests of the last run, as pytest reports them."
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[SuiteTab]]] = (
        Command("suite.open", "enter", "Output",
                "The failure and the output of the test, or its miss that is open",
                lambda tab: tab.open_test(), bar=first("usual"),
                labels={"test with miss": "Its miss"}),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(TAB_COMMANDS),
        Binding("o", "sort", "Sort", show=False,
                id="suite.sort", tooltip="As they ran, failures first, slowest first"),
    ]
    # fmt: on
    TITLE = "Suite"
    NOUN = "test"
    FILTER_HINT = "words  is:failed  is:skipped  file:  -without"
    HEAD_HEIGHT = 1

    def __init__(self, session: Session, suite: Suite) -> None:
        self._session = session
        self._suite = suite
        self._misses: Mapping[str, Sequence[str]] = {}
        super().__init__(suite.tests.query, self._columns())
        self.waiting_text = [Content(""), Content("  No test has run yet.")]

    def _columns(self) -> Sequence[Column[ReportedTest]]:
        state = partial(self._state, with_word=False)
        return [
            Column("", state, 2, below_width=WORDS_FROM),
            Column("state", partial(self._state, with_word=True), 16, from_width=WORDS_FROM),
            Column("test", name_of, gap=2),
            Column("requests", self._requests, 9, align="right"),
            Column("misses", self._missed, 7, align="right"),
            Column("seconds", _seconds, 9, align="right"),
        ]

    def update_rows(self) -> None:
        """Show the tests as they are now."""
        self._misses = misses_by_test(self._session)
        self.change_rows(self._suite.tests.show)
        self.refresh_all()

    def misses_of(self, test: ReportedTest) -> Sequence[str]:
        """The keys of the requests of a test that had no fixture in this run."""
        return self._misses.get(test.name, ())

    def open_miss(self, test: ReportedTest) -> str | None:
        """The key of the first that still needs an answer; None where there is none."""
        keys = (k for k in self.misses_of(test) if not state_of(self._session, k).is_done)
        return next(keys, None)

    def facts(self) -> list[Content]:
        suite, order = self._suite, self.list_query.order
        words = [
            str(suite.tests.totals or ""),
            "only those that had failed" if suite.runs_failed else "",
            "" if order is self.list_query.orders[0] else order.name,
        ]
        return [*self.filter_facts(), *(Content.styled(word, MUTED) for word in words if word)]

    def _state(self, test: ReportedTest, *, with_word: bool) -> Content:
        state = state_of_test(self._session, test)
        look = LOOKS[state]
        return Content.styled(f"{look.glyph} {state}" if with_word else look.glyph, look.style)

    def _requests(self, test: ReportedTest) -> Content:
        return Content(f"{test.requests:,}" if test.requests else "")

    def _missed(self, test: ReportedTest) -> Content:
        count = len(self.misses_of(test))
        style = MUTED if self.open_miss(test) is None else WARNING
        return Content.styled(f"{count:,}", style) if count else Content("")


def _seconds(test: ReportedTest) -> Content:
    return Content("" if test.outcome == "running" else f"{test.seconds:.2f}")
