"""Rows 31 and 35: what is in a folder of fixtures, and how long requests take for it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests.benchmarks.place import WORKBENCH, Place
from tests.benchmarks.server import (
    ANSWER,
    OURS,
    asked_of,
    fixtures_folder,
    ours_with,
    question,
    running,
    started,
    wait_for,
)
from tests.benchmarks.table import Row
from tests.server.load import Connection, request_of
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import file_name, variant_name

QUESTIONS = 20
# So many that a hundredth of the time is more than the clock of a process can tell.
REQUESTS = 20_000
MANY = 10_000

TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}


# Row 35: other ways in which a folder holds the answers of the same requests


@cache
def with_variants(place: Place, first: int) -> Path:
    """The answers of the questions; those from the number ``first`` on also have one for clients
    that offer a tool.
    """
    folder = place.project(f"variants-{first}") / "fixtures"
    for number in range(first + QUESTIONS):
        payload = question(number)
        write(folder, digest(payload), payload)
        if number >= first:
            offering = {**payload, "tools": [TOOL]}
            write(folder, variant_name(digest(offering), view(offering)), offering)
    return folder


@cache
def with_sequences(place: Place, first: int) -> Path:
    """The answers of the questions; those from the number ``first`` on begin with one that is given
    once.
    """
    folder = place.project(f"sequences-{first}") / "fixtures"
    for number in range(first + QUESTIONS):
        payload = question(number)
        once = [{"content": "Only once."}] if number >= first else []
        write(folder, digest(payload), payload, once)
    return folder


def write(
    folder: Path, name: str, payload: dict[str, Any], once: Sequence[dict[str, Any]] = ()
) -> None:
    fixture: dict[str, Any] = {"response": {"content": ANSWER}, "request": payload}
    if once:
        fixture["first"] = once
    (folder / file_name(name)).write_text(json.dumps(fixture))


FOLDERS: dict[str, Callable[[Place], Path]] = {
    "variants of other requests": partial(with_variants, first=QUESTIONS),
    "variants of each request": partial(with_variants, first=0),
    "sequences of other requests": partial(with_sequences, first=QUESTIONS),
    "a sequence of each request": partial(with_sequences, first=0),
}


def ours_on(folder: Callable[[Place], Path]) -> Callable[[Place, int], Sequence[str]]:
    """``workbench serve`` on one of these folders."""
    return lambda place, port: [
        *(WORKBENCH, "serve", "--port", str(port)),
        *("--fixtures", str(folder(place))),
    ]


def per_request(command: Callable[[Place, int], Sequence[str]]) -> Callable[[Place], float]:
    """Microseconds that the server's process computes for a request."""
    requests = [asked_of("chat", number, stream=False) for number in range(QUESTIONS)]

    def measure(place: Place) -> float:
        with running(place, command) as server:
            return server.microseconds_of(requests, REQUESTS)

    return measure


# Row 31


def first_miss(after: float) -> Callable[[Place], float]:
    """The seconds until the first miss is answered.

    Args:
        after: the start of the server it is asked so many seconds.
    """

    async def ask(port: int) -> float:
        connection = await Connection.open(port)
        begun = time.perf_counter()
        await connection.ask(request_of(question(-1)))
        taken = time.perf_counter() - begun
        await connection.close()
        return taken

    def measure(place: Place) -> float:
        fixtures_folder(place, MANY)  # made before the server starts
        with started(place, ours_with(MANY)) as (process, port):
            wait_for(port, process)
            time.sleep(after)
            return asyncio.run(ask(port))

    return measure


ROWS = [
    Row(31, "first miss of 10,000, at once", "", 0.05, first_miss(after=0), None, "s"),
    Row(31, "the same, 2 s after the start", "", 0.05, first_miss(after=2), None, "s"),
    *(
        Row(
            35, f"server CPU a request, {what}", "without", 1.05,
            per_request(ours_on(folder)), per_request(OURS), "µs",
        )
        for what, folder in FOLDERS.items()
    ),
]  # fmt: skip
