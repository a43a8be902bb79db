"""A suite that sent no request to its server: whether that is so, and what to say then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from workbench.core.log.lines import MARK, read_listening
from workbench.core.text.wording import listed
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
    """Whether the log of our server has a request since the suite was started last.

    Raises:
        OSError: the log cannot be read.
    """
    return any(_ACCESS in line for line in lines_of_last_run(log))


def how_clients_find(server_url: str, *, is_intercepted: bool = False) -> list[str]:
    """Which variables the suite was given for the server, and what to do where they do not help:
    sentences to follow "no request came".
    """
    if is_intercepted:
        return [
            "Your suite was started with the proxy of --intercept in HTTPS_PROXY.",
            "A client that asks no proxy, or that trusts certificates of its own, is not "
            "intercepted.",
            '"workbench manual interception" says what to do then.',
        ]
    url = server_url.rstrip("/")
    names = list(base_urls(url))
    return [
        f"Your suite was started with the URL of the server, {url}, in variables that clients "
        f"read, such as {names[0]}.",
        "A client that reads none of them, or that gets a base URL in your code, needs the URL in "
        "your code.",
        "workbench run --intercept also answers what such clients send to the hosts of APIs.",
        "A tox environment with a pass_env of its own needs the variables there.",
        '"workbench manual clients" says what each client reads.',
        f"The variables that were set: {listed(names)}.",
    ]
