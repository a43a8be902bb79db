"""``workbench serve``: the stub server."""

from __future__ import annotations

import argparse
import ipaddress
import os
import socket
import sys
from pathlib import Path

from workbench.cli import EXIT_OK, UsageError
from workbench.cli.common import add_fixtures
from workbench.core.wire import PROFILES

HOST_VARIABLE = "MOCK_LLM_HOST"
PORT_VARIABLE = "MOCK_LLM_PORT"


def configure(parser: argparse.ArgumentParser) -> None:
    add_fixtures(parser)
    parser.add_argument(
        "--host", help=f"address to listen on (default: ${HOST_VARIABLE}, else 127.0.0.1)"
    )
    parser.add_argument(
        "--port",
        type=_port,
        help=f"default: ${PORT_VARIABLE}, else 7899 or the next that is free; 0 takes any",
    )
    parser.add_argument(
        "--log-file", type=Path, metavar="PATH", help="append the log to this file, too"
    )
    parser.add_argument(
        "--profile", choices=list(PROFILES), default="stub", help="how replies are written"
    )
    # For the program that starts this one: a socket that listens already, and a pipe whose end is
    # that program's.
    parser.add_argument("--fd", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--exit-with-stdin", action="store_true", help=argparse.SUPPRESS)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text}")
    return port


def run(args: argparse.Namespace) -> int:
    from workbench.io.store import FixtureStore
    from workbench.server.app import StubApp
    from workbench.server.delays import Delays
    from workbench.server.log import LogSink
    from workbench.server.run import run as serve

    try:
        log = LogSink(args.log_file)
    except OSError as error:
        raise UsageError(f"--log-file {args.log_file}: {error.strerror}") from None
    listener = _adopt(args.fd) if args.fd is not None else _listen(args)
    app = StubApp(
        FixtureStore(args.fixtures),
        PROFILES[args.profile],
        Delays.from_environment(os.environ),
        log,
    )
    serve(
        app,
        listener,
        log,
        fixtures=str(args.fixtures),
        exit_with_stdin=args.exit_with_stdin,
    )
    return EXIT_OK


def _adopt(descriptor: int) -> socket.socket:
    try:
        return socket.socket(fileno=descriptor)
    except OSError as error:
        raise UsageError(f"--fd {descriptor}: {error.strerror}") from None


def _listen(args: argparse.Namespace) -> socket.socket:
    """A listening socket where the flags and the environment want it; says what is special."""
    from workbench.io.ports import PortTakenError, listen

    host = args.host or os.environ.get(HOST_VARIABLE) or "127.0.0.1"
    port = args.port if args.port is not None else _port_of_environment()
    try:
        listener, taken = listen(host, port)
    except PortTakenError as error:
        raise UsageError(f"{host}:{port} is in use") from error
    except OSError as error:
        raise UsageError(f"cannot listen on {host}: {error.strerror}") from None
    address, chosen = listener.getsockname()[:2]
    if taken:
        print(f"{host}:7899 is in use. Started on {chosen}.", file=sys.stderr)
    if not ipaddress.ip_address(address).is_loopback:
        print(
            f"WARNING: listening on {address}, which is not only this machine: "
            "whoever reaches it can use this server.",
            file=sys.stderr,
        )
    return listener


def _port_of_environment() -> int | None:
    text = os.environ.get(PORT_VARIABLE, "")
    if not text:
        return None
    try:
        return _port(text)
    except (ValueError, argparse.ArgumentTypeError):
        raise UsageError(f"${PORT_VARIABLE} is {text!r}, not a port") from None
