"""Rows 10 to 12: a log of 1 GB."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator

import psutil

from tests.benchmarks.lists import DOWN, selected
from tests.benchmarks.place import LARGE_LOG_MISSES, Place
from tests.benchmarks.screen import Screen
from tests.benchmarks.table import Measure, NotMeasuredError, Row, Summary, median, p95
from workbench.core.log.events import MissLogged
from workbench.core.log.reader import LogParser
from workbench.io.logs.tail import LogData, LogTail

READ = f"Misses {LARGE_LOG_MISSES:,}".encode()
IDLE_KEYS = 30
HASH_LINE = b"[mock-llm] unknown fixture hash"


def find_misses(place: Place) -> float:
    """All that the application reads there: misses, what they ask, hits, and the times of both."""
    parser = LogParser()
    begun = time.perf_counter()
    tail, found = LogTail(place.large_log / "mock-llm.log"), 0
    while events := tail.read():
        for event in events:
            assert isinstance(event, LogData)
            found += [*map(type, parser.feed(event.data))].count(MissLogged)
    taken = time.perf_counter() - begun
    tail.close()
    assert found == LARGE_LOG_MISSES
    return taken


def grep(place: Place) -> float:
    log = str(place.large_log / "mock-llm.log")
    command = ["grep", "-F", "-b", "-o", HASH_LINE.decode(), log]
    begun = time.perf_counter()
    try:
        # Into a pipe: grep does not read on when its output goes nowhere.
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    except FileNotFoundError:
        raise NotMeasuredError("no grep") from None
    taken = time.perf_counter() - begun
    assert done.stdout.count(b"\n") == LARGE_LOG_MISSES
    return taken


def memory(place: Place) -> float:
    with place.workbench(place.large_log) as screen:
        screen.until(READ, timeout=300)
        screen.rest(1, 5)
        return megabytes(screen)


def memory_of_minimal(place: Place) -> float:
    with place.program("minimal") as screen:
        screen.until(b"ready")
        screen.rest(1, 5)
        return megabytes(screen)


def megabytes(screen: Screen) -> float:
    return float(psutil.Process(screen.process.pid).memory_info().rss) / 1e6


def keys_while_read(summary: Summary) -> Measure:
    def measured(place: Place) -> float:
        with place.workbench(place.large_log) as screen:
            screen.until(b"question 000001", timeout=60)  # the row that the first key goes to
            return summary(_downs_until_read(screen))

    return measured


def keys_when_idle(summary: Summary) -> Measure:
    def measured(place: Place) -> float:
        with place.workbench(place.large_log) as screen:
            screen.until(READ, timeout=300)
            screen.rest(1, 5)
            return summary(_downs(screen, IDLE_KEYS))

    return measured


def _downs_until_read(screen: Screen) -> Iterator[float]:
    number = 0
    while READ not in screen.output:
        number += 1
        yield screen.echo(DOWN, selected(number))
        screen.watch(0.05)
    if number < 10:
        raise NotMeasuredError(f"read after {number} keys")


def _downs(screen: Screen, count: int) -> Iterator[float]:
    for number in range(1, count + 1):
        yield screen.echo(DOWN, selected(number))
        screen.watch(0.05)


ROWS = [
    Row(10, "reading a log of 1 GB", "grep -F -b -o", 2, find_misses, grep, "s"),
    Row(11, "memory with that log", "minimal Textual app", 3.1, memory, memory_of_minimal, "MB"),
    Row(12, "key while it is read", "idle", 1.6, keys_while_read(median), keys_when_idle(median)),
    Row(12, "the same, p95", "idle", None, keys_while_read(p95), keys_when_idle(p95)),
]
