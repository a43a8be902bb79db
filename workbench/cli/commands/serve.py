"""``workbench serve``: run the stub server."""

from __future__ import annotations

import argparse
import ipaddress
import os
import re
import socket
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.arguments import (
    add_profile,
    add_record,
    filled,
    path,
    resolve_settings,
    upstream_of,
    whole_number,
)
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_message
from workbench.core.replies.profile_names import SERVE_PROFILE
from workbench.core.user_error import UserError
from workbench.io.files.path_text import reason_of
from workbench.io.network.ports import DEFAULT_PORT, PortTakenError, listen

if TYPE_CHECKING:
    from workbench.core.recordings.exchanges import Exchange
    from workbench.io.fixture.store import FixtureStore
    from workbench.io.network.upstream import Upstream
    from workbench.io.settings import Settings
    from workbench.server.log import LogSink
    from workbench.server.misses.recorder import Recorder

DEFAULT_HOLD_SECONDS = 300
MAX_HOLD_SECONDS = 86_400
# More digits than positions in a recording have; Python refuses very many.
MAX_DIGITS = 20


HELP: Final = CommandHelp(
    page="server",
    examples={
        "workbench serve": "answer from ./fixtures; a request without a fixture gets the fallback "
        "(a placeholder reply)",
        "workbench serve --hold --log-file mock-llm.log": "keep each request without a fixture "
        "waiting for your answer",
        "workbench serve --strict --port 0": "answer a request without a fixture with an error, on "
        "any free port",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_fixtures(parser)
    parser.add_argument("--host", type=filled, help="address to listen on (default: 127.0.0.1)")
    parser.add_argument(
        "--port",
        type=_port,
        help=f"port to listen on; 0 picks a free one (default: {DEFAULT_PORT}, or the next free "
        "one)",
    )
    parser.add_argument(
        "--log-file", type=path, metavar="PATH", help="append the log to this file as well"
    )
    add_profile(parser, SERVE_PROFILE)
    parser.add_argument(
        "--strict",
        action="store_true",
        help="answer requests without a fixture with an error (404)",
    )
    parser.add_argument(
        "--hold",
        nargs="?",
        const=DEFAULT_HOLD_SECONDS,
        type=_seconds,
        metavar="SECONDS",
        help="keep requests without a fixture waiting for up to SECONDS (default: "
        f"{DEFAULT_HOLD_SECONDS})",
    )
    parser.add_argument(
        "--allow-host",
        type=_host,
        action="append",
        default=[],
        metavar="NAME",
        help="accept requests to the control API (/__workbench/) under this host name as well; "
        "other names are blocked, because web pages could use them to reach the server (DNS "
        "rebinding)",
    )
    add_record(parser)
    parser.add_argument(
        "--replay",
        type=filled,
        metavar="RUN[@N]",
        help="answer from a recording (path, id or name), starting at exchange N; a client can "
        "send the name of its node in the header X-Workbench-Node",
    )
    # For the program that starts this one: a socket that already listens; standard input is a pipe
    # that closes when that program ends.
    parser.add_argument("--fd", type=whole_number, help=argparse.SUPPRESS)
    parser.add_argument("--exit-with-stdin", action="store_true", help=argparse.SUPPRESS)


def _port(text: str) -> int:
    port = int(text) if re.fullmatch("[0-9]{1,5}", text) else -1
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port number, 0 to 65535")
    return port


def _host(text: str) -> str:
    """The host name in ``text``, which may have a port."""
    from workbench.server.wire.guard import host_name

    name = host_name(text)
    if not name or "/" in text:
        raise argparse.ArgumentTypeError(f"{text!r} is not a host name")
    return name


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= MAX_HOLD_SECONDS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of seconds, above 0 and up to {MAX_HOLD_SECONDS}"
        )
    return seconds


def run(args: argparse.Namespace) -> int:
    from workbench.io.fixture.store import FixtureStore
    from workbench.io.state_folder import StateFolder
    from workbench.server.app import StubApp
    from workbench.server.log import LogSink
    from workbench.server.process import run as serve
    from workbench.server.wire.delays import Delays

    upstream = upstream_of(args)
    _check_modes(args)
    settings = resolve_settings(vars(args))
    log = LogSink(args.log_file, partial(_say_waiting, args.log_file))
    store = FixtureStore(settings.fixtures)
    replay = _recorded_calls(args.replay) if args.replay else None
    recorder = None
    if upstream is not None:
        recorder = _recorder(upstream, store, log, settings)
    if args.fd is not None:
        listener = socket.socket(fileno=args.fd)
    else:
        listener = _listen(settings.host, settings.port)
    app = StubApp(
        store,
        settings.profile or SERVE_PROFILE,
        Delays.from_environment(os.environ),
        log,
        strict=args.strict,
        normalise=settings.normalise,
        hold=args.hold,
        recorder=recorder,
        replay=replay,
        state_folder=StateFolder.locate(Path.cwd()),
        allowed_hosts=args.allow_host,
        more_hosts=settings.intercept_hosts,
        docs_url=settings.docs_url,
    )
    serve(
        app,
        listener,
        log,
        fixtures=str(settings.fixtures),
        exit_with_stdin=args.exit_with_stdin,
    )
    return EXIT_OK


def _say_waiting(log: Path) -> None:
    print_message(
        "note", f"--log-file {log} is a named pipe without a reader; waiting for a reader"
    )


def _check_modes(args: argparse.Namespace) -> None:
    """Raises UserError for options that exclude each other."""
    modes = {"--record": args.record, "--hold": args.hold, "--strict": args.strict}
    chosen = [mode for mode, is_on in modes.items() if is_on]
    if args.record and len(chosen) > 1:
        raise UserError(f"{chosen[0]} cannot be used with {chosen[1]}")
    if args.replay and chosen:
        raise UserError(f"--replay cannot be used with {' and '.join(chosen)}")


def _recorder(
    upstream: Upstream, store: FixtureStore, log: LogSink, settings: Settings
) -> Recorder:
    from workbench.io.fixture.reply_saver import ReplySaver
    from workbench.io.recordings.writers import RecordingWriters
    from workbench.io.state_folder import StateFolder
    from workbench.server.misses.recorder import Recorder

    state = StateFolder.locate(Path.cwd())
    state.ensure()
    writers = RecordingWriters(state.recordings)
    return Recorder(
        upstream,
        ReplySaver(store, settings.store_request, settings.request_limit),
        writers,
        log,
    )


def _recorded_calls(which: str) -> list[Exchange]:
    """The LLM calls of ``RUN[@N]``."""
    from workbench.core.formats import FormatError
    from workbench.io.recordings import recording_file
    from workbench.io.state_folder import StateFolder

    name, at, number = which.rpartition("@")
    if not (at and number.isdecimal() and len(number) <= MAX_DIGITS):
        name, at, number = which, "", "1"
    try:
        journal = recording_file.find(StateFolder.locate(Path.cwd()).recordings, name)
    except LookupError as error:
        raise UserError(f"--replay: {error}") from None
    try:
        recording = recording_file.Recording(journal)
    except FormatError as error:
        raise UserError(f"--replay {journal}: {error}") from None
    begin = int(number)
    if at and not 1 <= begin <= len(recording):
        raise UserError(
            f"--replay {which}: the recording has only the exchanges 1 to {len(recording)}"
        )
    calls = [exchange for exchange in recording.exchanges(begin - 1) if exchange.is_chat]
    for problem in recording.problems:
        print_message("warning", f"{journal}: {problem}")
    return calls


def _listen(host: str, port: int | None) -> socket.socket:
    """A listening socket; warns of another port and of an address that is not loopback."""
    try:
        listener, is_other = listen(host, port)
    except PortTakenError as error:
        raise UserError(f"{error}; choose another with --port, or 0 for a free one") from None
    except OSError as error:
        raise UserError(
            f"cannot listen on {host}: {reason_of(error)}; choose an address with --host"
        ) from None
    address, chosen = listener.getsockname()[:2]
    if is_other:
        print_message("note", f"port {DEFAULT_PORT} is in use; using {chosen}")
    if not ipaddress.ip_address(address).is_loopback:
        print_message(
            "warning",
            f"{address} is not a loopback address, so everyone who can reach this machine can use "
            "the server; to prevent this: --host 127.0.0.1",
        )
    return listener
