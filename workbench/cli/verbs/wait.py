"""``workbench wait``: wait until a server answers."""

from __future__ import annotations

import argparse
import math
import time
from typing import Final

from workbench.cli import EXIT_FINDINGS, EXIT_OK
from workbench.cli.common import server_url
from workbench.cli.output import print_message
from workbench.io.network.http_client import client, reason

_PAUSE_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 2.0


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("url", type=server_url, metavar="URL", help="http://HOST:PORT of a server")
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=30.0,
        metavar="SECONDS",
        help="how long to wait (default: 30)",
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:  # nor is NaN, which would never be over
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds, 0 or more")
    return seconds


def run(args: argparse.Namespace) -> int:
    import httpx

    end = time.monotonic() + args.timeout
    with client(_PATIENCE_SECONDS) as http:
        while True:
            try:
                http.get(f"{args.url.rstrip('/')}/healthz")
            except httpx.HTTPError as error:
                if time.monotonic() >= end:
                    print_message(f"workbench wait: {args.url} does not answer: {reason(error)}")
                    return EXIT_FINDINGS
                time.sleep(_PAUSE_SECONDS)
            else:
                return EXIT_OK
