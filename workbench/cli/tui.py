"""``workbench`` without a command: the terminal application, and ``--demo``."""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.arguments import api_url, server_url
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_log, new_session
from workbench.cli.output import print_message, print_result
from workbench.cli.own_server import own_server, start
from workbench.cli.screen import check_screen, has_screen, what_to_use
from workbench.core.replies.profile_names import SERVE_PROFILE
from workbench.core.text import shell
from workbench.core.text.wording import sentence
from workbench.core.user_error import UserError
from workbench.io.files.path_text import shown
from workbench.io.logs.newest_log import RUN_LOG, SUITE_LOGS, newest_log

if TYPE_CHECKING:
    from workbench.io.logs.tail import Tail
    from workbench.io.settings import Settings
    from workbench.io.state_folder import StateFolder
    from workbench.session.suite.suite import Suite

# Seconds after which a computing thread yields. Textual reads keys and writes to the terminal in
# threads of their own, which would wait ten times as long by default.
SWITCH_INTERVAL = 0.0005


HELP: Final = CommandHelp(
    page="tutorial",
    examples={
        "workbench --demo": "try it with sample traffic in a temporary folder",
        "workbench run -- pytest": "run your tests and answer their misses while they wait",
        "workbench --log mock-llm.log": "open the misses of a log",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(
        parser,
        "server log to open: a file, a quoted pattern, or - for standard input; repeatable "
        f"(default: {SUITE_LOGS[0]}). If there is none, the built-in server starts, and you see "
        f"its misses and those of the newest workbench run (.workbench/{RUN_LOG})",
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--server",
        type=server_url,
        metavar="URL",
        help="URL of the server that wrote the log. If you open no log, list the misses of this "
        "server",
    )
    parser.add_argument(
        "--own-server", action="store_true", help="start the built-in server even if a log is open"
    )
    parser.add_argument(
        "--upstream",
        type=api_url,
        metavar="URL",
        help="base URL of a real API that writes drafts, such as https://api.openai.com/v1; the "
        "key is read from WORKBENCH_UPSTREAM_KEY",
    )
    parser.add_argument(
        "--demo",
        action="store_true",
        help="try workbench with sample traffic in a temporary folder",
    )


def run(args: argparse.Namespace) -> int:
    if args.demo:
        import tempfile

        with tempfile.TemporaryDirectory(prefix="workbench-demo-") as folder:
            return _demo(Path(folder))
    patterns = args.log or [name for name in SUITE_LOGS if Path(name).exists()][:1]
    if not has_screen(patterns):
        raise UserError(*what_to_use(patterns, args.fixtures))
    return _application(args, patterns)


def usable_settings(settings: Settings, notes: list[str]) -> Settings:
    """The settings without the keys that are not understood; reports these here, and both them and
    unknown settings in ``notes``: what is printed here is only read after quitting.
    """
    notes += [_sentence(warning) for _, warning in settings.passed_over]
    if not settings.keys:
        return settings
    from workbench.tui.keys.keymap import checked  # which loads every binding

    usable, problems = checked(settings.keys)
    for problem in problems:
        print_message("warning", problem)
        notes.append(_sentence(problem))
    return settings._replace(keys=usable)


def _sentence(text: str) -> str:
    return text if text.endswith("?") else f"{text}."


def _application(args: argparse.Namespace, patterns: Sequence[str]) -> int:
    from workbench.cli.fixtures_folder import folder_warning, settings_for
    from workbench.io.logs.log_files import expand, open_tail
    from workbench.io.logs.server_of_log import named_server
    from workbench.io.state_folder import StateFolder
    from workbench.io.user_folder import is_first_start

    notes: list[str] = []
    tails: list[Tail] = [_standard_input()] if "-" in patterns else []
    with contextlib.ExitStack() as stack:
        paths = expand([pattern for pattern in patterns if pattern != "-"])
        if not (patterns or args.server) and (log := newest_log(Path.cwd())):
            paths.append(shown(log))
            notes.append(f"Reading {shown(log)}, the newest log of this project.")
        state_folder = StateFolder.locate(Path.cwd())
        named = named_server(paths)
        settings = settings_for(args.fixtures, named)
        settings = usable_settings(settings, notes)
        url = args.server or (named and named.listening.url) or None
        is_own = args.own_server or not (patterns or args.server)
        on_ready = None
        if is_own:
            server = stack.enter_context(own_server(settings, state_folder, notes))
            url = server.url
            paths.append(server.log)
            on_ready = partial(start, server)
        elif warning := folder_warning(settings.fixtures, args.fixtures, named):
            notes.append(sentence(warning))

        def start_server() -> tuple[str, Path]:
            server = stack.enter_context(own_server(settings, state_folder, notes))
            start(server)
            return server.url, server.log

        return show(
            settings,
            state_folder,
            tails=[*tails, *map(open_tail, paths)],
            server_url=url,
            # Without a log the empty list shows it.
            expects_server=bool(args.server and patterns),
            notes=notes,
            is_own=is_own,
            on_ready=on_ready,
            welcome=is_first_start(),
            upstream_url=args.upstream or settings.upstream,
            start_server=start_server,
        )


def show(
    settings: Settings,
    state_folder: StateFolder,
    *,
    suite: Suite | None = None,
    **more: Any,
) -> int:
    """Run the application, then print the summary of the session.

    Args:
        suite: what ``workbench run`` runs.
        more: fields of ``Launch``.
    """
    check_screen()
    # Objects of the start stay: a search for garbage takes a tenth of the start and finds
    # none. The application enables it when the first rows are drawn.
    gc.disable()
    from workbench.io.user_folder import keep_theme, kept_theme
    from workbench.tui.app import WorkbenchApp
    from workbench.tui.launch import Launch
    from workbench.tui.widgets.line_filters import wants_plain

    session = new_session(settings, state_folder)
    session.suite = suite
    launch = Launch(
        plain=settings.plain or wants_plain(),
        bell=settings.bell,
        keys=settings.keys,
        theme=kept_theme(),
        keep_theme=keep_theme,
        play_sample=_play_sample,
        **more,
    )
    app = WorkbenchApp(session, launch)
    sys.setswitchinterval(SWITCH_INTERVAL)
    app.run()
    app.window.leave()
    for tail in launch.tails:
        tail.close()
    from workbench.cli.session_summary import closing_lines

    again = None if launch.is_demo else shell.command(["workbench", *sys.argv[1:]])
    if lines := closing_lines(session, again):
        print_message("note", *lines)
    session.close()
    return app.return_code or EXIT_OK


def _demo(folder: Path) -> int:
    from workbench.core.user_error import SettingsError
    from workbench.io.settings import Settings

    profile = None
    with contextlib.suppress(SettingsError):  # of a project that is not used
        profile = Settings.resolve().profile
    if not has_screen():
        from workbench.demo.main_job import run_once

        return run_once(folder, print_result, profile or SERVE_PROFILE)
    from workbench.demo.sample_files import install_fixtures, install_records
    from workbench.io.logs.log_files import open_tail
    from workbench.io.state_folder import StateFolder

    settings = Settings(fixtures=folder / "fixtures", profile=profile)
    install_fixtures(settings.fixtures)
    state_folder = StateFolder(folder / ".workbench")
    install_records(state_folder)
    notes = ["The sample agents have started: requests without a fixture appear in the list."]
    with own_server(settings, state_folder, notes, folder) as server:

        def begin() -> None:
            start(server)
            _play_sample(server.url, then_hold=True)

        return show(
            settings,
            state_folder,
            tails=[open_tail(server.log)],
            server_url=server.url,
            notes=notes,
            is_own=True,
            is_demo=True,
            on_ready=begin,
            welcome=True,
        )


def _play_sample(url: str, *, then_hold: bool = False) -> None:
    """Send the sample traffic to a server, in a daemon thread. With ``then_hold``, turn hold on
    after it, and run an agent that waits for its answers.
    """
    import threading

    from workbench.demo.traffic import play, play_held

    def send() -> None:
        play(url)
        if then_hold:
            play_held(url)

    threading.Thread(target=send, daemon=True).start()


def _standard_input() -> Tail:
    """Standard input as a log. It is moved to another file descriptor, so that keys can be read
    from the terminal as standard input.
    """
    from workbench.io.logs.tail import StreamTail

    log = os.dup(0)
    terminal = os.open("/dev/tty", os.O_RDWR)
    os.dup2(terminal, 0)
    os.close(terminal)
    return StreamTail(log)
