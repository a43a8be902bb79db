"""``workbench wait``: wait until a stub server answers."""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import TYPE_CHECKING, Any, Final

from workbench.cli.arguments import server_url
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.help_text import CommandHelp
from workbench.cli.output import print_message
from workbench.core.text.inert import excerpt
from workbench.io.network.http_client import client, reason

if TYPE_CHECKING:
    import httpx

_PAUSE_SECONDS: Final = 0.1
_PATIENCE_SECONDS: Final = 2.0
_HEALTH: Final = "/healthz"
_HEALTHY: Final = {"ok": True}
# More than that reply has.
_MOST_BYTES: Final = 1000
_NAME_WIDTH: Final = 60


HELP: Final = CommandHelp(
    page="server",
    examples={
        "workbench wait http://127.0.0.1:7899": "wait for up to 30 seconds",
        "workbench wait http://127.0.0.1:7899 --timeout 0": "check once",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "url", type=server_url, metavar="URL", help="URL of the server, http://HOST:PORT"
    )
    parser.add_argument(
        "--timeout",
        type=_seconds,
        default=30.0,
        metavar="SECONDS",
        help="seconds to wait (default: 30)",
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
    end = time.monotonic() + args.timeout
    with client(_PATIENCE_SECONDS) as http:
        while problem := trouble(http, args.url):
            if time.monotonic() >= end:
                print_message("error", f"{args.url} {problem}")
                return EXIT_FINDINGS
            time.sleep(_PAUSE_SECONDS)
    return EXIT_OK


def trouble(http: httpx.Client, url: str) -> str:
    """Why no stub server answers at ``url``, as the rest of a sentence; "" if one does."""
    import httpx

    try:
        with http.stream("GET", httpx.URL(url).join(_HEALTH)) as reply:
            body = _beginning(reply)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        return f"does not answer: {reason(error)}"
    if reply.status_code == httpx.codes.OK and _read(body) == _HEALTHY:
        return ""
    name = excerpt(reply.headers.get("server", ""), _NAME_WIDTH)
    server = f"another program ({name})" if name else "another program"
    return f"is {server}, not a stub server; it answered GET {_HEALTH} with {_described(reply)}"


def _beginning(reply: httpx.Response) -> bytes:
    """The body of a reply, limited to the length and time of a stub server's reply."""
    body, until = b"", time.monotonic() + _PATIENCE_SECONDS
    for part in reply.iter_raw():
        body += part
        if len(body) > _MOST_BYTES or time.monotonic() > until:
            break
    return body


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _described(reply: httpx.Response) -> str:
    """The status and the type of a reply: ``200 (text/html)``."""
    kind = excerpt(reply.headers.get("content-type", ""), _NAME_WIDTH)
    return f"{reply.status_code} ({kind})" if kind else f"{reply.status_code}"
