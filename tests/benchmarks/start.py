"""Rows 1 to 3: how soon something is on the screen, or done."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.benchmarks import installed
from tests.benchmarks.place import WORKBENCH, Place
from tests.benchmarks.screen import Mark, Screen
from tests.benchmarks.stress_log import ACCESS
from tests.benchmarks.table import Row

PAINTED = b"1 Misses"
RUNS = 5


def first_paint(place: Place) -> float:
    return _painted(place.workbench(place.small_project), PAINTED)


def first_paint_with_server(place: Place) -> float:
    project = place.project("alone")
    return _painted(place.run([WORKBENCH], project), PAINTED)


def minimal(place: Place) -> float:
    return _painted(place.program("minimal"), b"ready")


def toolong(place: Place) -> float:
    """With short lines: it looks for times in each, which takes seconds where a line has a dump."""
    project = place.project("toolong")
    (project / "access.log").write_bytes(ACCESS * 100)
    command = [installed.program("toolong", "tl"), "access.log"]
    return _painted(place.run(command, project), b"TAIL")


def posting(place: Place) -> float:
    command = [installed.program("posting", "posting"), "--collection", "."]
    return _painted(place.run(command, place.project("posting")), b"Collection")


def _painted(screen: Screen, mark: Mark) -> float:
    with screen:
        return screen.until(mark) - screen.started


def show_help(_: Place) -> float:
    return _ran(WORKBENCH, "--help")


def hash_a_request(_: Place) -> float:
    return _ran(WORKBENCH, "hash", "-", stdin=b'{"model": "m", "messages": []}')


def bare_python(_: Place) -> float:
    return _ran(sys.executable, "-c", "pass")


def _ran(*command: str, stdin: bytes = b"") -> float:
    """The quickest of some runs: what slows a run down is not the program's doing."""
    taken = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        subprocess.run(command, input=stdin, stdout=subprocess.PIPE, check=True)
        taken.append(time.perf_counter() - begun)
    return min(taken)


ROWS = [
    Row(1, "first paint, a log", "minimal Textual app", 1.25, first_paint, minimal),
    Row(
        1, "first paint, own server", "minimal Textual app", 1.25, first_paint_with_server, minimal
    ),
    Row(2, "first paint, a log", "toolong", 0.5, first_paint, toolong),
    Row(2, "first paint, a log", "posting", 0.25, first_paint, posting),
    Row(3, "workbench --help", "python -c pass", 4, show_help, bare_python),
    Row(3, "workbench hash", "python -c pass", 4, hash_a_request, bare_python),
]
