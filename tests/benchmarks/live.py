"""Rows 13, 14 and 25: what is seen of a change, and what waiting for one costs."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from pathlib import Path

import psutil

from tests.benchmarks.place import Place
from tests.benchmarks.stress_log import missed, request
from tests.benchmarks.table import Row, median
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.io.files.atomic import write_atomic

TIMES = 8
IDLE_SECONDS = 30


def row_on_screen(place: Place) -> float:
    """From the write of a log line to its row."""
    project = place.project("live")
    log = project / "mock-llm.log"
    log.write_bytes(missed(request("the first one")))
    with place.workbench(project) as screen, log.open("ab", buffering=0) as file:
        screen.until(b"the first one")
        screen.rest(1, 3)
        taken = []
        for number in range(5):
            screen.watch(_pause(number))
            since = len(screen.output)
            begun = time.perf_counter()
            file.write(missed(request(f"needle {number}")))
            taken.append(screen.until(f"needle {number}".encode(), since=since) - begun)
        return median(taken)


def line_event(place: Place) -> float:
    log = place.project("watched") / "mock-llm.log"
    log.touch()
    with log.open("ab", buffering=0) as file:
        return _event(log.parent, lambda n: file.write(missed(request(f"needle {n}"))))


def row_cleared(place: Place) -> float:
    """From the save of a fixture by another program to its row gone."""
    project = place.project("cleared")
    payloads = [request(f"question {n}") for n in range(20)]
    (project / "mock-llm.log").write_bytes(b"".join(missed(p) for p in payloads))
    with place.workbench(project) as screen:
        screen.until(b"Misses 20")
        screen.rest(1, 3)
        taken = []
        for number in range(1, TIMES + 1):
            screen.watch(_pause(number))
            since = len(screen.output)
            begun = time.perf_counter()
            _save(project / "fixtures", payloads[number])
            taken.append(screen.until(b"Misses %d" % (20 - number), since=since) - begun)
        return median(taken)


def save_event(place: Place) -> float:
    folder = place.project("saved") / "fixtures"
    return _event(folder, lambda n: _save(folder, request(f"question {n}")))


def _save(folder: Path, payload: dict[str, object]) -> None:
    found = digest(payload)
    text = new_document(found, {"content": "an answer", "finish_reason": "stop"}).text
    write_atomic(folder / f"{found}.json", text.encode())


def _event(folder: Path, change: Callable[[int], object]) -> float:
    """What the operating system and watchfiles alone take to tell of a change."""
    return asyncio.run(_events(folder, change))


async def _events(folder: Path, change: Callable[[int], object]) -> float:
    from watchfiles import awatch

    stop, told = asyncio.Event(), asyncio.Event()

    async def listen() -> None:
        async for _ in awatch(folder, step=50, recursive=False, stop_event=stop):
            told.set()

    listening = asyncio.ensure_future(listen())
    taken = []
    for number in range(TIMES):
        await asyncio.sleep(_pause(number))
        told.clear()
        begun = time.perf_counter()
        change(number)
        await told.wait()
        taken.append(time.perf_counter() - begun)
    stop.set()
    await listening
    return median(taken)


def _pause(number: int) -> float:
    """So long that what happened before is over, and never in step with anything."""
    return random.Random(number).uniform(0.6, 1.1)


def idle_cpu(place: Place) -> float:
    """Share of one core, in percent, that the application takes while nothing happens."""
    with place.workbench(place.small_project) as screen:
        screen.until(b"weather in London?")
        screen.rest(1, 3)
        process = psutil.Process(screen.process.pid)
        before = process.cpu_times()
        screen.watch(IDLE_SECONDS)
        after = process.cpu_times()
    used = after.user + after.system - before.user - before.system
    return float(100 * used / IDLE_SECONDS)


ROWS = [
    Row(13, "log line to row", "raw awatch event", 1.5, row_on_screen, line_event),
    Row(14, "file saved to row cleared", "raw awatch event", 1.5, row_cleared, save_event),
    Row(25, "idle CPU", "", 0.75, idle_cpu, None, "%"),
]
