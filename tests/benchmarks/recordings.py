"""Rows 26 and 27: a recording of 10,000 exchanges, 100 MB."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tests.benchmarks.logs import megabytes, memory_of_minimal
from tests.benchmarks.place import Place
from tests.benchmarks.stress_log import request, words
from tests.benchmarks.table import Row
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import CheckpointMark, End, Exchange, Header, Sent
from workbench.io.recordings.journal import SUFFIX, JournalWriter
from workbench.session.recordings.exchange_rows import ExchangeRows
from workbench.session.recordings.index import RecordingIndex

EXCHANGES = 10_000
EXCHANGE_BYTES = 9_800
SCREEN_ROWS = 50
BLOCK = 1 << 20
RECORDING = "largerecording"


def large_recording(place: Place) -> Path:
    """The journal, in a project of its own."""
    path = place.folder / "largerecording" / ".workbench" / "runs" / f"{RECORDING}{SUFFIX}"
    if path.exists():
        return path
    project = place.project("largerecording")
    (project / "pyproject.toml").touch()
    (project / "mock-llm.log").touch()
    path.parent.mkdir(parents=True)
    writer = JournalWriter(path, Header(RECORDING, "large recording", "2026-11-20T10:00:00+01:00"))
    for number in range(1, EXCHANGES + 1):
        payload = request(f"question {number:06} {words(EXCHANGE_BYTES - 600, number)}")
        body = b'{"choices": [{"message": {"content": "answer %06d"}, "finish_reason": "stop"}]}'
        reply = Sent(200, "application/json", body % number)
        writer.append(Exchange(number, "ask", number, payload, reply, digest(payload)))
        if number % 50 == 0:
            writer.append(CheckpointMark(f"c{number}", number, number // 50))
    writer.append(End())
    writer.close()
    return path


def open_recording(place: Place) -> float:
    """What the application does to list it and to draw a screen of its exchanges."""
    path = large_recording(place)
    begun = time.perf_counter()
    index = RecordingIndex(path.parent)
    index.apply(index.read([path.name]))
    rows = ExchangeRows(index, RECORDING)
    rows.refresh()
    shown = [rows.facts(number) for number in range(1, SCREEN_ROWS)]
    taken = time.perf_counter() - begun
    assert (index.facts[RECORDING].calls, shown[0].reply) == (EXCHANGES, "answer 000001")
    return taken


def read_file(place: Place) -> float:
    path = large_recording(place)
    begun = time.perf_counter()
    descriptor = os.open(path, os.O_RDONLY)
    while os.read(descriptor, BLOCK):
        pass
    os.close(descriptor)
    return time.perf_counter() - begun


def memory(place: Place) -> float:
    with place.workbench(large_recording(place).parents[2]) as screen:
        screen.until(b"No misses yet", timeout=60)
        screen.press("3")
        screen.until(b"answer 000001", timeout=60)
        screen.rest(1, 5)
        return megabytes(screen)


ROWS = [
    Row(26, "opening a recording of 100 MB", "reading the file", 3, open_recording, read_file),
    Row(
        27,
        "memory with that recording",
        "minimal Textual app",
        3.1,
        memory,
        memory_of_minimal,
        "MB",
    ),
]
