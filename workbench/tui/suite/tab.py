"""The Suite tab: the tests of ``workbench run`` and how they ended, the output of its command, and
keys to run it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import BindingType
from textual.message import Message

from workbench.core.text.wording import counted
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.session.suite.tests import CannotRunFailedError
from workbench.tui.command import SHOWN, Command, Place, Situation, bindings
from workbench.tui.dialogs.questions import confirm
from workbench.tui.suite.one_test import OneTestPane
from workbench.tui.suite.output_pane import OutputPane
from workbench.tui.suite.suite_list import SuiteList
from workbench.tui.widgets.filtered_list import FilteredList
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace.pane_layout import LIST
from workbench.tui.workspace.tab import Tab


class SuiteTab(Tab):
    """Shows one suite: its tests, as far as pytest reports them, and its output."""

    BINDING_GROUP_TITLE = "Suite"
    # fmt: off
    TAB_COMMANDS: ClassVar[Sequence[Command[SuiteTab]]] = (
        Command("suite.run", "r", "Run again",
                "Run the suite again (asks while it is running)",
                lambda tab: tab.start("suite", tab.run_again()), bar=SHOWN),
        Command("suite.run_failed", "f", "Run failed",
                "Run the failed tests again (asks while the suite is running)",
                lambda tab: tab.start("suite", tab.run_failed()),
                bar={"failed tests": Place.EARLY}, labels={"failed tests": "Run {} failed"}),
        Command("suite.stop", "t", "Stop",
                "End the suite and everything it started",
                lambda tab: tab.stop_suite(), bar={"suite running": Place.EARLY}),
        Command("suite.watch", "w", "Watch",
                "Turn watch on or off (runs the suite after each save, once nothing is held)",
                lambda tab: tab.toggle_watch(), bar=SHOWN),
    )
    # fmt: on
    BINDINGS: ClassVar[list[BindingType]] = bindings(TAB_COMMANDS)

    @dataclass
    class OpenMiss(Message):
        """The row of a miss is to be shown in its tab."""

        key: str

    def __init__(self, session: Session, suite: Suite) -> None:
        self.suite = suite
        self.rows = SuiteList(session, suite)
        self.output, self.test = OutputPane(suite), OneTestPane(session)
        panes = {LIST: FilteredList(self.rows), "output": self.output, "test": self.test}
        super().__init__(session, panes, is_stacked=True)
        self.panes.leave_out(*self._without_tests)

    def show_news(self) -> None:
        self._show_tests()
        self.output.update_soon()
        self.output.update_frame()
        self.update_keys()

    @property
    def situation(self) -> Mapping[Situation, int]:
        situation: dict[Situation, int] = {"usual": 1}  # the suite has keys without tests, too
        if failed := len(self.suite.tests.failed):
            situation["failed tests"] = failed
        if self.suite.is_running:
            situation["suite running"] = 1
        test = self.rows.list_query.selected_item
        if test is not None and self.rows.open_miss(test) is not None:
            situation["test with miss"] = 1
        return situation

    # The tests

    def _show_tests(self) -> None:
        """Show the tests and the selected one; where none is reported, only the output."""
        are_first = self.suite.tests.was_reported and not self.rows.is_read
        self.panes.leave_out(*self._without_tests)
        if self.suite.tests.was_reported:
            self.rows.update_rows()
            self._show_selected()
        if are_first and self.output.has_focus and self.output.is_at_end:
            self.panes.focus_first()  # nobody reads in what was alone

    @property
    def _without_tests(self) -> Sequence[str]:
        """The panes that are left out."""
        return () if self.suite.tests.was_reported else (LIST, "test")

    def _show_selected(self) -> None:
        test = self.rows.list_query.selected_item
        self.test.show(test, () if test is None else self.rows.misses_of(test))

    def on_row_list_highlighted(self, event: RowList.Highlighted) -> None:
        event.stop()
        self._show_selected()
        self.update_keys()

    def on_row_list_chosen(self, event: RowList.Chosen) -> None:
        event.stop()
        self.open_test()

    def select_failed(self) -> None:
        """Select the first test that failed."""
        if failed := self.suite.tests.failed:
            self.rows.select(failed[0].id)
            self.panes.show("test")

    def open_test(self) -> None:
        """Go to the open miss of the selected test, or into its failure and output."""
        test = self.rows.list_query.selected_item
        if test is None:
            self.say("There is no test here yet.")
        elif (miss := self.rows.open_miss(test)) is not None:
            self.post_message(self.OpenMiss(miss))
        else:
            self.panes.focus("test")

    # The suite

    async def run_again(self) -> None:
        if await self._may_run():
            self.suite.run_again()

    async def run_failed(self) -> None:
        """Run the failed tests again, or explain why that is not possible."""
        try:
            words = self.suite.command_of_failed()
        except CannotRunFailedError as error:
            self.say(str(error))
            return
        failed = counted(len(self.suite.tests.failed), "test")
        if await self._may_run():
            self.suite.run_failed(words)
            self.say(f"Running {failed} that failed. r runs all.")

    async def _may_run(self) -> bool:
        """True if a run may begin, which ends a running one."""
        question, yes = "The suite is still running.", "End it and run again"
        return not self.suite.is_running or bool(await confirm(self, question, yes))

    def stop_suite(self) -> None:
        if self.suite.is_running:
            self.suite.stop()
            self.say("Stopping the suite. Processes that do not end within 5 seconds are killed.")
        else:
            self.say("The suite is not running.")

    def toggle_watch(self) -> None:
        self.suite.is_watching = not self.suite.is_watching
        self.output.update_frame()
        self.say(
            "Watch is on. A saved fixture runs the suite again, once nothing is held."
            if self.suite.is_watching
            else "Watch is off."
        )
