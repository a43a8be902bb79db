"""Detect a suite that sent no request to its server, and explain what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.core.log.lines import MARK, read_listening
from workbench.io.processes.client_environment import base_urls

# It is in the line that the server writes about each request.
_ACCESS: Final = b" HTTP/1."
_MARK: Final = MARK.encode()


def lines_of_last_run(log: Path) -> Iterator[bytes]:
    """The lines in the log of our server since the suite was started last; none if the server was
    not started.

    Raises:
        OSError: the log cannot be read.
    """
    begin = end = 0
    with suppress(FileNotFoundError), log.open("rb") as lines:
        for line in lines:
            end += len(line)
            if line.startswith(_MARK) and read_listening(line.removeprefix(_MARK)):
                begin = end
        lines.seek(begin)
        yield from lines


def has_requests(log: Path) -> bool:
    """True if the log of our server has a request since the last start of the suite.

    Raises:
        OSError: the log cannot be read.
    """
    return any(_ACCESS in line for line in lines_of_last_run(log))


def how_clients_find(server_url: str, *, is_intercepted: bool = False) -> list[str]:
    """How the suite was given the URL of the server, and what to do where its clients do not use
    it: a sentence per line, the first one about what was done.
    """
    if is_intercepted:
        return [
            "Your tests got the proxy of --intercept in HTTPS_PROXY.",
            "A client that ignores proxies, or has its own certificates, is not intercepted.",
            "What to do about such a client: workbench manual interception",
        ]
    url = server_url.rstrip("/")
    variable = next(iter(base_urls(url)))
    return [
        f"Your tests got the server's URL in {variable} and similar variables.",
        f"If your code sets a base URL, make it {url}",
        "Your client may read another variable: workbench manual clients",
        "Any client that calls the real hosts of an API: workbench run --intercept",
        "With tox, add the variables to pass_env: workbench manual variables",
    ]
