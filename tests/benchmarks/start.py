"""Rows 1 to 3: how soon something is on the screen, or done."""

from __future__ import annotations

import re
import subprocess
import sys
import time

from tests.benchmarks import installed
from tests.benchmarks.lists import COLOUR, DOWN
from tests.benchmarks.place import WORKBENCH, Place
from tests.benchmarks.screen import Mark, Screen
from tests.benchmarks.stress_log import ACCESS
from tests.benchmarks.table import Row

PAINTED = b"1 Misses"
FIRST_ROW = b"weather in London?"
RUNS = 5

_SECOND_ROW = re.compile(rb"> [^\x1b>\r\n]*Today's date")


def first_paint(place: Place) -> float:
    return _painted(place.workbench(place.small_project), PAINTED)


def first_paint_with_server(place: Place) -> float:
    project = place.project("alone")
    return _painted(place.run([WORKBENCH], project), PAINTED)


def second_row_is_selected(output: bytes) -> bool:
    return _SECOND_ROW.search(COLOUR.sub(b"", output)) is not None


def first_key(place: Place) -> float:
    """Down in the list of misses, pressed when its first row is drawn."""
    with place.workbench(place.small_project) as screen:
        screen.until(FIRST_ROW)
        screen.press(DOWN)
        return screen.until(second_row_is_selected) - screen.started


def minimal_key(place: Place) -> float:
    with place.program("minimal") as screen:
        screen.until(b"ready")
        screen.press("k")
        return screen.until(b"pressed") - screen.started


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


MINIMAL, BARE = "minimal Textual app", "python -c pass"
ROWS = [
    Row(1, "first paint, a log", MINIMAL, 1.5, first_paint, minimal),
    Row(1, "first paint, built-in server", MINIMAL, 1.5, first_paint_with_server, minimal),
    Row(1, "first key acts, a log", MINIMAL, 1.5, first_key, minimal_key),
    Row(2, "first paint, a log", "toolong", 0.65, first_paint, toolong),
    Row(2, "first paint, a log", "posting", 0.35, first_paint, posting),
    Row(3, "workbench --help", BARE, 4.5, show_help, bare_python),
    Row(3, "workbench hash", BARE, 4.5, hash_a_request, bare_python),
]
