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


def first_miss(*, since_start: bool) -> Callable[[Place], float]:
    """The seconds until a miss is answered which is asked for as soon as the server listens.

    Args:
        since_start: of the process, else since the request.
    """

    async def ask(port: int) -> None:
        connection = await Connection.open(port)
        await connection.ask(request_of(question(-1)))
        await connection.close()

    def measure(place: Place) -> float:
        command = ours_with(MANY)
        fixtures_folder(place, MANY)  # made before the clock runs
        begun = time.perf_counter()
        with started(place, command) as (process, port):
            wait_for(port, process)
            if not since_start:
                begun = time.perf_counter()
            asyncio.run(ask(port))
            return time.perf_counter() - begun

    return measure


ROWS = [
    Row(31, "first miss, 10,000 fixtures", "", 0.05, first_miss(since_start=False), None, "s"),
    Row(31, "start until they are indexed", "", 2.0, first_miss(since_start=True), None, "s"),
    *(
        Row(
            35, f"server CPU a request, {what}", "without", 1.05,
            per_request(ours_on(folder)), per_request(OURS), "µs",
        )
        for what, folder in FOLDERS.items()
    ),
]  # fmt: skip
