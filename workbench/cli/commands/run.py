"""``workbench run``: run a suite against a stub server of its own."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.arguments import add_profile, add_record, needed_upstream, upstream_of
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_message
from workbench.cli.own_server import own_server, start
from workbench.cli.screen import has_screen
from workbench.cli.suite_environment import suite_environment
from workbench.cli.tui import show, usable_settings
from workbench.core.log.lines import listening_line, suite_ended_line, suite_started_line
from workbench.core.replies.profile_names import RUN_PROFILE
from workbench.core.user_error import UserError
from workbench.io.files.path_text import reason_of
from workbench.io.logs.newest_log import begin_run_log, make_newest
from workbench.io.processes.suite_command import STOP_SECONDS, SuiteCommand, code_without_start
from workbench.io.state_folder import StateFolder

if TYPE_CHECKING:
    from workbench.io.processes.server_process import ChildServer
    from workbench.io.settings import Settings
    from workbench.session.suite.suite import Suite

_PASSED_ON: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


HELP: Final = CommandHelp(
    page="suites",
    examples={
        "workbench run -- pytest": "run your tests; in a terminal, each miss waits for your answer",
        "workbench run --no-tui -- pytest -q": "run them without the terminal application, as in "
        "CI: a miss fails the run",
        "workbench run --record --upstream https://api.openai.com/v1 -- pytest": "record the "
        "replies of the real API as fixtures",
    },
    about="In a terminal, this opens the terminal application, where you answer each miss while "
    "your tests wait. Clients find the server by environment variables such as OPENAI_BASE_URL "
    "(all of them: workbench manual variables).",
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_fixtures(parser)
    add_profile(parser, RUN_PROFILE)
    add_record(parser)
    parser.add_argument(
        "--intercept",
        action=argparse.BooleanOptionalAction,
        help="for clients that ignore base URLs: catch what they send to api.openai.com and the "
        "like (see workbench manual interception)",
    )
    parser.add_argument(
        "--offline",
        action="store_true",
        help="refuse connections of COMMAND to other machines (see workbench manual interception)",
    )
    parser.add_argument(
        "--no-tui",
        action="store_true",
        help="print the output of COMMAND instead of opening the terminal application",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="run COMMAND again after you save a fixture and no request waits; needs a terminal",
    )
    parser.add_argument(
        "--allow-misses",
        action="store_true",
        help="exit with the code of COMMAND even if requests have no fixture",
    )
    parser.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="COMMAND",
        help="command to run; put -- in front of it",
    )


def run(args: argparse.Namespace) -> int:
    words = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not words:
        raise UserError("no command to run; for example: workbench run -- pytest")
    if not words[0].strip():
        raise UserError("the name of the command is empty; is a shell variable not set?")
    upstream_of(args)  # before anything starts
    if args.record and args.offline:
        raise UserError("--record cannot be used with --offline")
    in_terminal = not args.no_tui and has_screen()
    if args.watch and not in_terminal:
        raise UserError("--watch needs a terminal")
    settings = settings_for(args.fixtures)
    settings = settings._replace(
        profile=args.profile or settings.profile or RUN_PROFILE,
        intercept=settings.intercept if args.intercept is None else args.intercept,
    )
    notes: list[str] = []
    if in_terminal:
        settings = usable_settings(settings, notes)
    state_folder = StateFolder.locate(Path.cwd())
    of_misses = "--hold" if in_terminal else "--strict"
    record = (
        ["--record", "--upstream", needed_upstream(args.upstream, "--record")]
        if args.record
        else []
    )
    arguments = record or [of_misses]
    with (
        own_server(settings, state_folder, notes, arguments=arguments, is_run=True) as server,
        suite_environment(server.url, settings, notes, is_offline=args.offline) as environment,
    ):
        begin_run_log(server.log)
        _append(server.log, suite_started_line())
        is_part = False
        if in_terminal:
            from workbench.session.suite.suite import Suite

            suite = Suite(
                words,
                environment.variables,
                log=server.log,
                is_watching=args.watch,
                is_intercepted=settings.intercept,
                begins_again=partial(_begin_run, server.log, server.url, settings.fixtures),
                has_started=partial(make_newest, server.log),
            )
            code = _in_terminal(suite, server, settings, state_folder, notes)
            is_part = suite.runs_failed
        else:
            start(server)
            code = _run(words, environment.variables, partial(make_newest, server.log))
        _append(server.log, suite_ended_line(code))
    from workbench.cli.run_summary import RunSummary

    summary = RunSummary(
        server.log,
        server.url,
        settings.fixtures,
        in_terminal=in_terminal,
        is_intercepted=settings.intercept,
        is_part=is_part,
    )
    if environment.proxy is not None:
        summary.print_connections(environment.proxy)
    if args.record:
        summary.print_recordings()
    is_open = summary.print_all(code, is_error=not args.allow_misses)
    return EXIT_FINDINGS if is_open and code == EXIT_OK and not args.allow_misses else code


def _in_terminal(
    suite: Suite,
    server: ChildServer,
    settings: Settings,
    state_folder: StateFolder,
    notes: list[str],
) -> int:
    """Run a suite in the terminal application, with a server that holds misses. Return the exit
    code of its last run, or the application's if it failed.
    """
    from workbench.io.logs.log_files import open_tail

    failed = EXIT_OK
    try:
        failed = show(
            settings,
            state_folder,
            suite=suite,
            tails=[open_tail(server.log)],
            server_url=server.url,
            notes=notes,
            is_own=True,
            on_ready=partial(start, server),
            upstream_url=settings.upstream,
        )
    finally:
        code = suite.end()
    return failed or code


def _begin_run(log: Path, url: str, fixtures: Path) -> None:
    """Mark in the log of our server where another run of the suite begins, and begin the sequences
    of fixtures again.
    """
    from workbench.io.network.control_client import ControlClient, ControlError

    _append(log, listening_line(url, os.fspath(fixtures)))
    with contextlib.suppress(ControlError):
        ControlClient(url).reset()


def _append(log: Path, line: str) -> None:
    """Add a line to the log of our server; a disk that is full stops no suite."""
    with contextlib.suppress(OSError), open(log, "a", encoding="utf-8") as file:
        file.write(line)


def _run(
    words: Sequence[str], environment: Mapping[str, str], has_started: Callable[[], object]
) -> int:
    """Run a command, and end what it leaves behind; returns its exit code.

    Args:
        has_started: called once the command has been started.
    """
    with _signals() as send_to:
        try:
            command = SuiteCommand(words, environment)
        except OSError as error:
            print_message("error", f"cannot run {words[0]}: {reason_of(error)}")
            return code_without_start(error)
        try:
            has_started()
            send_to(command)
            return command.wait()
        finally:
            command.end_all()


@contextmanager
def _signals() -> Iterator[Callable[[SuiteCommand], None]]:
    """Forward the signals that would end this process to a command, once it is known, including
    earlier signals. A command that continues after another signal than Ctrl+C is killed, because
    the sender would kill this process next.
    """
    commands: list[SuiteCommand] = []
    waiting: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        if not commands:
            waiting.append(number)
            return
        commands[0].send(number)
        if number != signal.SIGINT:
            killing = threading.Timer(STOP_SECONDS, commands[0].send_all, [signal.SIGKILL])
            killing.daemon = True
            killing.start()

    def send_to(command: SuiteCommand) -> None:
        commands.append(command)
        for number in waiting:
            pass_on(number, None)

    before = {number: signal.signal(number, pass_on) for number in _PASSED_ON}
    try:
        yield send_to
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
