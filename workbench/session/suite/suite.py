"""The suite of ``workbench run``: a command that is run again and again, and its last output."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from workbench.core.text import shell
from workbench.core.text.wording import duration
from workbench.io.processes.suite_command import PseudoTerminal, SuiteCommand, code_without_start
from workbench.session.suite.no_requests import has_requests
from workbench.session.suite.output import SuiteOutput
from workbench.session.suite.tests import SuiteTests, command_of_failed
from workbench.session.suite.totals import SuiteTotals, failures

# As shells report a command that was ended by Ctrl+C.
EXIT_ENDED: Final = 130
_LOOK_SECONDS: Final = 0.05
_MOST_AT_ONCE: Final = 256 * 1024


class Suite:
    """Runs one command at a time, whose clients are pointed at the server of this window.

    Args:
        words: the program and its arguments.
        environment: the program's environment.
        log: log of the server that its clients use.
        is_intercepted: its clients send their requests to the hosts of APIs.
        begins_again: called before each run but the first, in a thread.
        has_started: called once the command of a run has been started.

    Attributes:
        output: output of the last run.
        tests: the tests of the last run, if its pytest reports them.
        runs_failed: True if the last run contains only the tests that failed before.
        is_running: True if the command or one of its child processes runs.
        is_watching: run again once a fixture was saved and nothing is held.
        code: the exit code of the last run; None if it was ended early.
        failed_to_start: True if the command of the last run could not be started.
        seconds: duration of the last run.
        sent_nothing: True if the last run has ended by itself and the log has no request of it.
            False for a run of only the failed tests.
    """

    def __init__(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        *,
        log: Path | None = None,
        is_watching: bool = False,
        is_intercepted: bool = False,
        begins_again: Callable[[], object] = lambda: None,
        has_started: Callable[[], object] = lambda: None,
    ) -> None:
        self.is_watching = is_watching
        self.is_intercepted = is_intercepted
        self.output = SuiteOutput()
        self.tests = SuiteTests()
        self.runs_failed = False
        self.is_running = False
        self.code: int | None = None
        self.failed_to_start = False
        self.seconds = 0.0
        self.sent_nothing = False
        self._log = log
        self._words = self._words_of_run = list(words)
        # The tests of the next run, if it is not the whole suite.
        self._next_words: list[str] | None = None
        self._environment = _for_terminal(environment)
        self._begins_again = begins_again
        self._has_started = has_started
        self._size = (80, 24)
        self._command: SuiteCommand | None = None
        self._terminal: PseudoTerminal | None = None
        self._is_wanted = asyncio.Event()
        self._is_wanted.set()
        self._has_begun = self._is_stopped = self._was_saved = False
        self._totals: SuiteTotals | None = None
        self._began = 0.0

    # Commands

    async def follow(self, changed: Callable[[], object]) -> None:
        """Run the command, and again on demand, until cancelled.

        Args:
            changed: called when there is output or another state.
        """
        while True:
            await self._is_wanted.wait()
            self._is_wanted.clear()
            if self._has_begun:
                await asyncio.to_thread(self._begins_again)
            self._begin()
            changed()
            with closing(PseudoTerminal(*self._size)) as self._terminal:
                if self._start(self._terminal):
                    await self._finish(self._terminal, changed)
            self._terminal, self.is_running = None, False
            if self.code == 0:
                self._was_saved = False  # this run was waiting for the answer that was saved
            changed()

    def run_again(self) -> None:
        """Run the command again, after ending a run that still goes on."""
        self._next_words = None
        self._is_wanted.set()
        self.stop()

    def command_of_failed(self) -> list[str]:
        """The command that runs only the failed tests.

        Raises:
            CannotRunFailedError: there are none, or it cannot run only them.
        """
        return command_of_failed(self._words, self.tests, Path.cwd())

    def run_failed(self, words: list[str]) -> None:
        """Run ``command_of_failed``, after ending a run that still goes on."""
        self.run_again()
        self._next_words = words

    def stop(self) -> None:
        """End the run: terminate, and kill what goes on."""
        self._is_stopped = self.is_running and self.code is None

    def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal that the command writes to."""
        self._size = (columns, rows)
        if self._terminal is not None and self._command is not None:
            self._terminal.resize(columns, rows)
            self._command.send(signal.SIGWINCH)

    def fixture_saved(self) -> None:
        """Note that a file of the fixtures folder changed."""
        self._was_saved = True

    def watch(self, *, is_held: bool) -> None:
        """Run again if this is turned on, a fixture was saved, and no request is held."""
        if self.is_watching and self._was_saved and not (self.is_running or is_held):
            self.run_again()

    def end(self) -> int:
        """End the command and everything it started, now. Returns the exit code of the last run:
        130 if that was ended before it was done.
        """
        code = EXIT_ENDED if self.code is None else self.code
        if self._command is not None:
            self._command.end_all()
        return code

    # State

    @property
    def command(self) -> str:
        """That of the last run, as it can be pasted into a shell."""
        return shell.command(self._words_of_run)

    @property
    def has_failed(self) -> bool:
        """True if the last run ended by itself with an exit code other than 0."""
        return not self.is_running and bool(self.code) and not self._is_stopped

    @property
    def has_passed(self) -> bool:
        """True if the last run exited with code 0."""
        return not self.is_running and self.code == 0

    @property
    def state(self) -> str:
        """``running 00:07 · 3/5``, ``3 passed in 9s``, ``2 failed, 3 passed``, ``exit 2``,
        ``stopped``; of a suite whose tests are not reported ``running 00:07``, ``passed in 9s``.
        """
        if self.is_running:
            minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
            word = "stopping" if self._is_stopped else "running"
            return f"{word} {minutes:02}:{seconds:02}{self._progress()}"
        if not self._has_begun:
            return ""
        if self.failed_to_start:
            return "not started"
        if self._is_stopped:
            return "stopped"
        totals = self.tests.totals
        if self.code == 0:
            count = f"{totals.passed:,} " if totals is not None and totals.passed else ""
            return f"{count}passed in {duration(self.seconds)}"
        if totals is None or not totals.has_failures:
            totals = self._totals
        return str(totals or f"exit {self.code}")

    def _progress(self) -> str:
        """How many of the tests have ended, to follow the time."""
        session, ended = self.tests.session, self.tests.ended
        if session is None or not len(self.tests):
            return ""
        of_all = f"/{session.collected:,}" if session.collected >= ended else " done"
        return f" · {ended:,}{of_all}"

    @property
    def failing(self) -> str:
        """How many tests have failed, while it runs: ``1 failed``; "" for none."""
        totals = self.tests.totals
        failed = totals._replace(passed=0) if self.is_running and totals is not None else None
        return str(failed or "")

    # One run

    def _begin(self) -> None:
        self._has_begun = self.is_running = True
        self._is_stopped = self._was_saved = self.failed_to_start = self.sent_nothing = False
        self.code, self._totals, self._began = None, None, time.monotonic()
        self.runs_failed = self._next_words is not None
        self._words_of_run, self._next_words = self._next_words or self._words, None
        self.output = SuiteOutput()
        self.tests.begin()

    def _start(self, terminal: PseudoTerminal) -> bool:
        """Start the command. Return True if it could be started. If not, the reason is added to the
        output.
        """
        try:
            self._command = SuiteCommand(
                self._words_of_run, self._environment, terminal.command_end
            )
        except (OSError, ValueError) as error:  # the last: a NUL in an argument
            reason = error.strerror if isinstance(error, OSError) else error
            message = f"{self._words_of_run[0]} cannot be started: {reason}.\n"
            self.output.feed(message.encode("utf-8", "replace"))
            self.failed_to_start, self.code = True, code_without_start(error)
            return False
        self._has_started()
        return True

    async def _finish(self, terminal: PseudoTerminal, changed: Callable[[], object]) -> None:
        """Take the output until the command has ended, and end what it left behind."""
        assert self._command is not None
        command = self._command
        while command.exit_code is None and not self._is_stopped:
            await self._take_output(terminal, changed)
        if not self._is_stopped:
            self.code = command.exit_code
        self.seconds = time.monotonic() - self._began
        async with asyncio.TaskGroup() as group:
            ending = group.create_task(asyncio.to_thread(command.end_all))
            while not ending.done():
                await self._take_output(terminal, changed)
        await self._take_output(terminal, changed)
        # Tests that failed need not be those that send requests.
        if self._log is not None and self.code is not None and not self.runs_failed:
            with suppress(OSError):
                self.sent_nothing = not await asyncio.to_thread(has_requests, self._log)
        if self.code:
            lines = [*self.output.since(0), self.output.open_line]
            is_whole = not self.output.is_partial
            self._totals = await asyncio.to_thread(failures, lines, is_whole=is_whole)

    async def _take_output(self, terminal: PseudoTerminal, changed: Callable[[], object]) -> None:
        data = terminal.read(_MOST_AT_ONCE)
        if data:
            self.output.feed(data)
            changed()
        # Keys are handled between parts of a long output.
        await asyncio.sleep(_LOOK_SECONDS / 10 if data else _LOOK_SECONDS)


def _for_terminal(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for our pseudo-terminal, which has a size of its own."""
    ours = {k: v for k, v in environment.items() if k not in ("COLUMNS", "LINES")}
    return {**ours, "TERM": "xterm-256color"}
