"""Rows 17 to 22, 28 and 29: the server under load, at its start, and after a long time.

What bounds a server's requests a second on one core is the time its process computes for each:
that is measured, since it does not depend on what else the machine does.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import installed
from tests.benchmarks.place import PROGRAMS, WORKBENCH, Place
from tests.benchmarks.table import NotMeasuredError, Row
from tests.server.load import Connection, Opening, ask_all, repeated, request_of
from workbench.core.digest import digest

AIMOCK = ("@copilotkit/aimock", "1.43.0")
CONNECTIONS = 32
WARM_UP = 300
REQUESTS = 3000
FILL = 2000
LONG = 200_000
LOOKUPS = 800
PATIENCE_SECONDS = 60
ANSWER = "The same reply from a framework, of the length that ours has here."


def question(number: int, *, stream: bool = False, filling: str = "") -> dict[str, Any]:
    content = f"question {number}{filling}"
    payload: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": content}]}
    return {**payload, "stream": True} if stream else payload


def asked_of(api: str, number: int, *, stream: bool) -> bytes:
    """The same question over another API."""
    payload = question(number, stream=stream)
    match api:
        case "responses":
            payload["input"] = payload.pop("messages")
            return request_of(payload, "/v1/responses")
        case "messages":
            return request_of({**payload, "max_tokens": 99}, "/v1/messages")
    return request_of(payload)


# Servers

Command = Callable[[Place, int], Sequence[str]]


class Server:
    """One that runs and answers.

    Args:
        processes: that answer.
        opening: connects with the port.
    """

    def __init__(
        self,
        port: int,
        *processes: subprocess.Popen[bytes],
        opening: Opening = Connection.open,
    ) -> None:
        import psutil

        self.port = port
        self.processes = processes
        self._opening = opening
        self._measured = [psutil.Process(process.pid) for process in processes]

    @property
    def cpu_seconds(self) -> float:
        times = [process.cpu_times() for process in self._measured]
        return float(sum(each.user + each.system for each in times))

    @property
    def memory(self) -> float:
        return float(sum(process.memory_info().rss for process in self._measured))

    def ask(self, requests: Sequence[bytes], count: int) -> None:
        def check(_: Any, status: int, body: bytes) -> None:
            if status != 200:
                raise NotMeasuredError(f"a reply {status}: {body[:100]!r}")

        asked = repeated([(None, request) for request in requests], count)
        asking = ask_all(
            self.port, asked, connections=CONNECTIONS, check=check, opening=self._opening
        )
        asyncio.run(asking)

    def microseconds_of(self, requests: Sequence[bytes], count: int) -> float:
        """What its processes compute for a request, of so many."""
        self.ask(requests, WARM_UP)
        before = self.cpu_seconds
        self.ask(requests, count)
        return (self.cpu_seconds - before) / count * 1e6


@contextlib.contextmanager
def started(place: Place, command: Command) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    with (place.folder / "server.out").open("wb") as out:
        process = subprocess.Popen(command(place, port), cwd=place.folder, stdout=out, stderr=out)
    try:
        yield process, port
    finally:
        process.kill()
        process.wait()


@contextlib.contextmanager
def running(place: Place, command: Command) -> Iterator[Server]:
    installed.need("psutil")
    with started(place, command) as (process, port):
        wait_for(port, process)
        yield Server(port, process)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    """Until it answers."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError):
            with contextlib.suppress(urllib.error.HTTPError):  # one without that route answers too
                urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5).close()
            return
        time.sleep(0.002)
    raise NotMeasuredError("the server does not start")


def ours_with(fixtures: int) -> Command:
    """``workbench serve`` on so many fixtures."""

    def command(place: Place, port: int) -> Sequence[str]:
        folder = fixtures_folder(place, fixtures)
        return [WORKBENCH, "serve", "--port", str(port), "--fixtures", str(folder)]

    return command


@functools.cache
def fixtures_folder(place: Place, count: int) -> Path:
    folder = place.project(f"{count}-fixtures") / "fixtures"
    for number in range(count):
        payload = question(number, filling=FILLING if count > 100 or count == 1 else "")
        value = {"response": {"content": ANSWER}, "request": payload}
        (folder / f"{digest(payload)}.json").write_text(json.dumps(value))
    return folder


# What makes a prompt of 8.7 KB.
FILLING = " word" * 1730


def starlette(_: Place, port: int) -> Sequence[str]:
    # With its access log, since ours has one.
    where = ("--app-dir", str(PROGRAMS), "--port", str(port))
    return [sys.executable, "-m", "uvicorn", "echo:app", *where]


def aimock(place: Place, port: int) -> Sequence[str]:
    fixture = {"match": {"userMessage": "question"}, "response": {"content": ANSWER}}
    folder = place.folder / "aimock"
    folder.mkdir(exist_ok=True)
    (folder / "all.json").write_text(json.dumps({"fixtures": [fixture]}))
    quiet = ("--log-level", "silent")
    program = installed.npm(*AIMOCK) / "dist" / "cli.js"
    return ["node", str(program), "--port", str(port), "--fixtures", str(folder), *quiet]


# Measurements


def per_request(command: Command, *, stream: bool, api: str = "chat") -> Callable[[Place], float]:
    """Microseconds that the server's process computes for a request."""

    def measure(place: Place) -> float:
        requests = [asked_of(api, number, stream=stream) for number in range(20)]
        with running(place, command) as server:
            return server.microseconds_of(requests, REQUESTS)

    return measure


def lookup(fixtures: int, *, is_equivalent: bool = False) -> Callable[[Place], float]:
    """The median time of a reply to a prompt of 8.7 KB, of so many fixtures.

    Args:
        is_equivalent: the request is written differently in the fixture.
    """
    payload = question(0, filling=FILLING)
    if is_equivalent:
        message = payload["messages"][0]
        message["content"] = [{"type": "text", "text": message["content"]}]

    async def ask(port: int) -> float:
        connection = await Connection.open(port)
        # A miss waits until the server has read the folder, which it does after its start.
        await connection.ask(request_of(question(-1)))
        request, taken = request_of(payload), []
        for _ in range(LOOKUPS):
            begun = time.perf_counter()
            await connection.ask(request)
            taken.append(time.perf_counter() - begun)
        await connection.close()
        return statistics.median(taken)

    def measure(place: Place) -> float:
        with running(place, ours_with(fixtures)) as server:
            return asyncio.run(ask(server.port))

    return measure


def start(command: Command) -> Callable[[Place], float]:
    """From the start of the process to its first 200, the quickest of three."""

    def once(place: Place) -> float:
        begun = time.perf_counter()
        with started(place, command) as (process, port):
            wait_for(port, process)
            return time.perf_counter() - begun

    return lambda place: min(once(place) for _ in itertools.repeat(None, 3))


def run_of_nothing(place: Place) -> float:
    """The quickest of three."""

    def once() -> float:
        begun = time.perf_counter()
        command = [WORKBENCH, "run", "--no-tui", "--", "true"]
        subprocess.run(command, cwd=place.project("run"), check=True, capture_output=True)
        return time.perf_counter() - begun

    return min(once() for _ in itertools.repeat(None, 3))


@functools.cache
def grown_memory(place: Place) -> float:
    """Memory after many requests, plain and streamed, hits and misses, beside that after the few
    that fill what is bounded: the last exchanges, the connections, the interpreter's own pools.
    """
    numbers = [*range(20), *range(1000, 1020)]
    requests = [request_of(question(n, stream=stream)) for n in numbers for stream in (False, True)]
    with running(place, ours_with(20)) as server:
        server.ask(requests, FILL)
        before = server.memory
        server.ask(requests, LONG)
        return server.memory / before


PLAIN, STREAM = "server CPU per request, plain", "server CPU a request, stream"
OURS = ours_with(20)

# Requests a second are promised; computing time for each is their inverse.
ROWS = [
    Row(
        17, PLAIN, "uvicorn, Starlette", 1 / 0.9,
        per_request(OURS, stream=False), per_request(starlette, stream=False), "µs",
    ),
    Row(
        18, STREAM, "uvicorn, StreamingResponse", 1 / 2.0,
        per_request(OURS, stream=True), per_request(starlette, stream=True), "µs",
    ),
    Row(
        19, PLAIN, "aimock", 1 / 1.3,
        per_request(OURS, stream=False), per_request(aimock, stream=False), "µs",
    ),
    Row(
        19, STREAM, "aimock", 1.0,
        per_request(OURS, stream=True), per_request(aimock, stream=True), "µs",
    ),
    Row(20, "lookup among 10,000, p50", "among 1", 1.1, lookup(10_000), lookup(1)),
    Row(
        20, "equivalent among 10,000, p50", "among 1", 1.1,
        lookup(10_000, is_equivalent=True), lookup(1, is_equivalent=True),
    ),
    Row(21, "serve, start to 200", "uvicorn, Starlette", 1.25, start(OURS), start(starlette)),
    *(
        Row(
            28, f"{api}, {'streamed' if stream else 'plain'}", "our chat route", 1.3,
            per_request(OURS, stream=stream, api=api), per_request(OURS, stream=stream), "µs",
        )
        for api in ("responses", "messages")
        for stream in (False, True)
    ),
    Row(29, "run --no-tui -- true", "serve, start to 200", 1.5, run_of_nothing, start(OURS)),
    Row(22, f"memory after {LONG:,} requests", "before", 1.05, grown_memory, None, ""),
]  # fmt: skip
