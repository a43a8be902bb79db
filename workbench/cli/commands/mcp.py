"""``workbench mcp``: the use cases for coding agents, over MCP on standard input and output."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.arguments import filled, server_url
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import expanded, session_of
from workbench.cli.output import print_message
from workbench.core.request_body import RequestError
from workbench.core.user_error import UserError
from workbench.io.files.path_text import error_text
from workbench.io.logs.newest_log import RUN_LOG, SUITE_LOGS, newest_log
from workbench.io.logs.server_of_log import named_server

if TYPE_CHECKING:
    from workbench.io.logs.kept_logs import KeptLogs
    from workbench.session.session import Session


HELP: Final = CommandHelp(
    page="agents",
    examples={
        "workbench mcp": "serve an agent on standard input and output",
        "workbench mcp --log mock-llm.log --server http://127.0.0.1:7899": "name the log and the "
        "server that holds requests",
    },
    about="Agents start this command themselves; the manual shows how to register it.",
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--log",
        type=filled,
        nargs="+",
        action="extend",
        default=[],
        metavar="PATH",
        help=f"server logs, which may be created later (default: .workbench/{RUN_LOG}, else "
        f"{SUITE_LOGS[0]})",
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--server",
        type=server_url,
        metavar="URL",
        help="URL of the server that holds requests; without a log, its misses are listed "
        "(default: the server named in the log)",
    )


def run(args: argparse.Namespace) -> int:
    if "-" in args.log:
        raise UserError("--log - cannot be used: standard input carries the protocol; name a file")
    try:
        from workbench.io.logs.kept_logs import KeptLogs
        from workbench.mcp.server import build
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "mcp":
            raise
        raise UserError(
            "the MCP SDK is not installed: pip install 'llm-fixture-workbench[mcp]'"
        ) from None
    if sys.stdin.isatty():
        print_message(
            "note", "waiting for an agent on standard input; for more: workbench manual agents"
        )
    # The SDK reads in a thread, for which a KeyboardInterrupt would wait.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with closing(KeptLogs()) as kept:
        server = build(partial(opened_session, args.log, args.fixtures, args.server, kept))
        try:
            server.run("stdio")
        except BaseExceptionGroup as errors:
            if errors.split(BrokenPipeError)[1] is not None:
                raise
            raise BrokenPipeError from None  # the agent left before it had its answer
    return EXIT_OK


@contextmanager
def opened_session(
    patterns: list[str],
    fixtures: Path | None,
    server: str | None,
    kept: KeptLogs,
    *,
    with_misses: bool = True,
) -> Iterator[Session]:
    """A session that has read the logs in their present state or, without logs, fetched the
    server's misses.

    Args:
        kept: data that earlier sessions read from the logs.
        with_misses: False works without a log, and without a server that answers.

    Raises:
        ToolError: the request cannot be carried out; also for errors inside the context.
    """
    from mcp.server.mcpserver.exceptions import ToolError

    newest = newest_log(Path.cwd())
    names = expanded(patterns or ([] if newest is None else [str(newest)]))
    logs = [name for name in names if Path(name).exists()]
    named = named_server(map(Path, logs))
    url = server or (named and named.listening.url)
    if with_misses and not (logs or url):
        missing = names or (f".workbench/{RUN_LOG}", SUITE_LOGS[0])
        raise ToolError(
            f"There is no log {' or '.join(missing)} yet, and --server is not set. Run the suite: "
            "workbench run -- COMMAND"
        )
    try:
        with session_of(logs, fixtures, creates=True, kept=kept) as session:
            if url:
                _connect(session, url, asks_for_misses=with_misses and not logs)
            yield session
    except OSError as error:
        raise ToolError(error_text(error)) from None
    except (UserError, RequestError) as error:
        raise ToolError("\n".join(map(str, error.args))) from None


def _connect(session: Session, url: str, *, asks_for_misses: bool) -> None:
    """Connect a session to its server, and check the server. Raises ControlError if misses cannot
    be fetched.
    """
    from workbench.io.network.control_client import ControlError
    from workbench.io.network.server_misses import ServerMisses

    session.server.url = url
    with suppress(ControlError):  # a log may outlive its server
        session.server.refresh()
    if asks_for_misses:
        session.take_log(ServerMisses(session.server.client, session.intake).connected(url))
