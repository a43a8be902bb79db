"""Rows 31 and 35 to 37: how many fixtures are in a folder, and which, and what that costs."""

from __future__ import annotations

import asyncio
import json
import shutil
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
from tests.benchmarks.start import FIRST_ROW, PAINTED
from tests.benchmarks.table import Row
from tests.reference import LOG
from tests.server.load import Connection, request_of
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import file_name, variant_name
from workbench.io.fixture.equivalents import EquivalentFixtures
from workbench.io.fixture.form_cache import FormCache
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder

QUESTIONS = 20
# So many that a hundredth of the time is more than the clock of a process can tell.
REQUESTS = 20_000
FEW, MANY, VERY_MANY = 100, 10_000, 50_000

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


def first_miss(count: int, *, is_kept: bool) -> Callable[[Place], float]:
    """The seconds that a client waits which asks as soon as the server listens, of so many
    fixtures.

    Args:
        is_kept: an earlier start read the folder.
    """
    return lambda place: _first_miss(place, count, is_kept=is_kept)[1]


def all_read(count: int) -> Callable[[Place], float]:
    """The seconds from the start of a server that never ran here to the reply to that client, which
    comes when all fixtures are read.
    """
    return lambda place: _first_miss(place, count, is_kept=False)[0]


def _first_miss(place: Place, count: int, *, is_kept: bool) -> tuple[float, float]:
    """The seconds until the reply, since the start and since the request."""
    folder, state = fixtures_folder(place, count), StateFolder.locate(place.folder)
    shutil.rmtree(state.cache, ignore_errors=True)
    if is_kept:
        EquivalentFixtures(FixtureStore(folder), FormCache(state, folder)).refresh()

    async def ask(port: int) -> None:
        connection = await Connection.open(port)
        await connection.ask(request_of(question(-1)))
        await connection.close()

    begun = time.perf_counter()
    with started(place, ours_with(count)) as (process, port):
        wait_for(port, process)
        asked = time.perf_counter()
        asyncio.run(ask(port))
        answered = time.perf_counter()
    return answered - begun, answered - asked


# Row 36


def until_drawn(count: int, mark: bytes) -> Callable[[Place], float]:
    """From the start of the application on so many fixtures until something is drawn."""

    def measure(place: Place) -> float:
        project = fixtures_folder(place, count).parent
        shutil.copy(LOG, project / "mock-llm.log")
        with place.workbench(project) as screen:
            return screen.until(mark) - screen.started

    return measure


# Row 37


def memory_after_misses(count: int) -> Callable[[Place], float]:
    """Megabytes of a server with so many fixtures, after a thousand misses."""

    def measure(place: Place) -> float:
        with running(place, ours_with(count)) as server:
            server.ask([request_of(question(-number)) for number in range(1, 1001)], 1000)
            return server.memory / 1e6

    return measure


ROWS = [
    *(
        Row(
            31, f"first miss, {count:,} fixtures", "", 0.05, first_miss(count, is_kept=True), None,
            "s",
        )
        for count in (MANY, VERY_MANY)
    ),
    *(
        Row(31, f"first start until {count:,} are read", "", 2.0, all_read(count), None, "s")
        for count in (MANY, VERY_MANY)
    ),
    *(
        Row(
            35, f"server CPU per request, {what}", "without", 1.05,
            per_request(ours_on(folder)), per_request(OURS), "µs",
        )
        for what, folder in FOLDERS.items()
    ),
    *(
        Row(
            36, f"{what}, {VERY_MANY:,} fixtures", f"{FEW} fixtures", 1.2,
            until_drawn(VERY_MANY, mark), until_drawn(FEW, mark),
        )
        for what, mark in (("first paint", PAINTED), ("first row", FIRST_ROW))
    ),
    Row(
        37, f"memory, {VERY_MANY:,} fixtures", f"{FEW} fixtures", 3.0,
        memory_after_misses(VERY_MANY), memory_after_misses(FEW), "MB",
    ),
]  # fmt: skip
