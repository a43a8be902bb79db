"""Rows 4 to 6: the list of misses against Textual's DataTable."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.place import EAGER, Place
from tests.benchmarks.screen import Mark, Screen
from tests.benchmarks.stress_log import missed, request
from tests.benchmarks.table import Measure, Row, Summary, median, p95

SIZE = (200, 50)
DOWN = "\x1b[B"
KEYS = 30
BURST_SECONDS = 6.0
BURST_STEP = 0.05
A_SECOND = 1000

COLOUR = re.compile(rb"\x1b\[[0-9;:]*m")


def selected(number: int) -> Mark:
    """Our list draws the row of ``question <number>`` as the selected one."""
    row = re.compile(rb"> [^\x1b>\r\n]*question %06d" % number)
    return lambda output: row.search(COLOUR.sub(b"", output)) is not None


def highlighted(number: int) -> Mark:
    """The DataTable draws that row in the colour of its cursor."""
    row = re.compile(rb"48;2;1;120;212m *question %06d" % number)
    return lambda output: row.search(output) is not None


# Down


def down_in_application(place: Place) -> float:
    with place.workbench(place.many_misses, size=SIZE, environment=EAGER) as screen:
        screen.until(b"Misses 100,000", timeout=300)
        screen.rest(0.5)
        return median(downs(screen, selected))


def down_in_list(place: Place) -> float:
    with place.program("misses", "100000", size=SIZE, environment=EAGER) as screen:
        screen.until(b"ready", timeout=120)
        screen.echo("L", selected(0))
        screen.rest(0.5)
        return median(downs(screen, selected))


def down_in_table(place: Place) -> float:
    with place.program("table", "100", "0", size=SIZE, environment=EAGER) as screen:
        screen.until(b"question")
        screen.rest(0.5)
        return median(downs(screen, highlighted))


def downs(screen: Screen, mark: object) -> Iterator[float]:
    assert callable(mark)
    for number in range(1, KEYS + 1):
        yield screen.echo(DOWN, mark(number))
        screen.rest(0.05, 1)


# Loading


def load_list(place: Place) -> float:
    with place.program("misses", "100000", size=SIZE) as screen:
        screen.until(b"ready", timeout=120)
        screen.rest(0.5)
        return screen.echo("L", b"question 000010")


def load_table(place: Place) -> float:
    with place.program("table", "0", "0", size=SIZE) as screen:
        screen.until(b"request")
        screen.rest(0.5)
        return screen.echo("L", b"question 000010", timeout=120)


# Keys while misses arrive


def in_application(summary: Summary) -> Measure:
    return lambda place: summary(downs_in_burst(place))


def downs_in_burst(place: Place) -> list[float]:
    project = place.project("burst")
    log = project / "mock-llm.log"
    log.write_bytes(b"".join(missed(request(f"question {n:06}")) for n in range(1000)))
    with place.workbench(project, size=SIZE) as screen:
        screen.until(b"Misses 1,000")
        screen.rest(0.5, 3)
        with arriving(log):
            return list(downs_for(screen, selected))


def in_table(summary: Summary) -> Measure:
    def measured(place: Place) -> float:
        with place.program("table", "1000", str(A_SECOND), size=SIZE) as screen:
            screen.until(b"question")
            screen.watch(0.5)
            return summary(downs_for(screen, highlighted))

    return measured


def downs_for(screen: Screen, mark: object) -> Iterator[float]:
    assert callable(mark)
    until = time.perf_counter() + BURST_SECONDS
    number = 0
    while time.perf_counter() < until or number < 5:
        number += 1
        yield screen.echo(DOWN, mark(number))
        screen.watch(0.1)


@contextmanager
def arriving(log: Path) -> Iterator[None]:
    """Inside, so many new misses a second are written to ``log``."""
    count = int(A_SECOND * BURST_STEP)
    pieces = [
        b"".join(missed(request(f"new {n:06}")) for n in range(at, at + count))
        for at in range(0, int(A_SECOND * BURST_SECONDS * 3), count)
    ]
    stop = threading.Event()

    def write() -> None:
        with log.open("ab", buffering=0) as file:
            for piece in pieces:
                file.write(piece)
                if stop.wait(BURST_STEP):
                    return

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield
    finally:
        stop.set()
        writer.join()


TABLE_100 = "DataTable of 100 rows"
ROWS = [
    Row(4, "Down, 100,000 misses", TABLE_100, 1.5, down_in_application, down_in_table),
    Row(4, "Down, only the list", TABLE_100, 1.5, down_in_list, down_in_table),
    Row(5, "loading 100,000 rows", "DataTable", 0.05, load_list, load_table),
    Row(6, "key, 1,000 misses/s", "DataTable", 0.15, in_application(median), in_table(median)),
    Row(6, "the same, p95", "DataTable", None, in_application(p95), in_table(p95)),
]
