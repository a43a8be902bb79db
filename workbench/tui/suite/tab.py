"""The Suite tab: the command of ``workbench run``, its output, and keys to run it again."""

from __future__ import annotations

from typing import ClassVar

from textual import work
from textual.binding import Binding, BindingType

from workbench.session.session import Session
from workbench.session.suite import Suite
from workbench.tui.dialogs.questions import confirm
from workbench.tui.suite.output_pane import OutputPane
from workbench.tui.tab import Tab


class SuiteTab(Tab):
    """Shows one suite."""

    BINDING_GROUP_TITLE = "Suite"
    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run_again", "Run again",
                id="suite.run", tooltip="Run the suite again; asks while it runs"),
        Binding("t", "stop_suite", "Stop",
                id="suite.stop", tooltip="End the suite and everything it started"),
        Binding("w", "toggle_watch", "Watch",
                id="suite.watch",
                tooltip="Run after each save, once nothing is held; again: off"),
    ]
    # fmt: on

    def __init__(self, session: Session, suite: Suite) -> None:
        self.suite = suite
        self.output = OutputPane(suite)
        super().__init__(session, {"output": self.output}, id="suite", has_pair=False)

    def show_news(self) -> None:
        self.output.update_soon()
        self.output.update_frame()

    @work(group="suite", exit_on_error=False)
    async def action_run_again(self) -> None:
        choices = "y ends it and runs it again, esc goes back."
        if not self.suite.is_running or await confirm(self, "The suite is still running.", choices):
            self.suite.run_again()

    def action_stop_suite(self) -> None:
        if self.suite.is_running:
            self.suite.stop()
            self.say("Stopping the suite; what does not end in 5 seconds is killed.")
        else:
            self.say("The suite is not running. r runs it again.")

    def action_toggle_watch(self) -> None:
        self.suite.is_watching = not self.suite.is_watching
        self.output.update_frame()
        self.say(
            "Watch is on: a saved fixture runs the suite again, once nothing is held."
            if self.suite.is_watching
            else "Watch is off."
        )
