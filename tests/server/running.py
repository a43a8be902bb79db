"""A real stub server for tests: ``workbench serve`` in a process of its own, on a free port."""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.forked import Forked
from workbench.io.files.atomic import write_atomic

PATIENCE_SECONDS = 60


def wait_until(what: str, holds: Callable[[], object]) -> None:
    """Wait until ``holds()`` is true. Raises TimeoutError, which says ``what`` never was."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"never: {what}")
        time.sleep(0.005)


def clean_environment() -> dict[str, str]:
    """The environment without what would set up a server."""
    prefixes = ("MOCK_LLM_", "WORKBENCH_")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)}


class RunningServer:
    """A server that runs inside a ``with`` block and never outlives it.

    Attributes:
        fixtures: its folder of fixtures; need not exist.
        url: where it listens; the API is under ``url + "/v1"``.
        log_path: its log, standard error included.

    Args:
        program: what Python is started with; None: the command is forked.
    """

    def __init__(
        self,
        folder: Path,
        *,
        fixtures: Path | None = None,
        arguments: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        working_folder: Path | None = None,
        program: tuple[str, ...] | None = None,
    ) -> None:
        self.fixtures = fixtures or folder / "fixtures"
        self.log_path = folder / "server.log"
        self._program = program
        self._arguments = arguments
        self._working_folder = working_folder
        self._environment = {**clean_environment(), **(environment or {})}

    def __enter__(self) -> RunningServer:
        # A socket that listens before there is a server: clients may connect at once.
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port: int = listener.getsockname()[1]
            self.url = f"http://127.0.0.1:{self.port}"
            self.log_path.touch()
            self.process = self._start(listener)
        wait_until("a server", lambda: self.log_size() or self.process.poll() is not None)
        return self

    def _start(self, listener: socket.socket) -> subprocess.Popen[bytes] | Forked:
        arguments = ["serve", "--fixtures", str(self.fixtures), "--log-file", str(self.log_path)]
        arguments += ["--exit-with-stdin", *self._arguments]
        if self._program is None:
            return Forked(
                arguments,
                environment=self._environment,
                folder=self._working_folder,
                log=self.log_path,
                listener=listener,
            )
        descriptor = listener.fileno()
        with self.log_path.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, *self._program, *arguments, "--fd", str(descriptor)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=[descriptor],
                env=self._environment,
                cwd=self._working_folder,
            )

    def __exit__(self, *_: object) -> None:
        self.let_go()
        try:
            self.process.wait(PATIENCE_SECONDS)
        finally:
            self.process.kill()
            self.process.wait()

    def let_go(self) -> None:
        """Close its standard input, which ends it."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def connect(self) -> http.client.HTTPConnection:
        """A connection of one's own; close it."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """Send one request on a new connection and read the whole reply."""
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers or {}))
            reply = connection.getresponse()
            return Response(reply.status, dict(reply.getheaders()), reply.read())
        finally:
            connection.close()

    def post(
        self, path: str, payload: object, headers: Mapping[str, str] | None = None
    ) -> Response:
        """POST ``payload`` as JSON."""
        kind = {"Content-Type": "application/json"}
        return self.request("POST", path, json.dumps(payload).encode(), {**kind, **(headers or {})})

    def chat(self, payload: object, headers: Mapping[str, str] | None = None) -> Response:
        """POST ``payload`` to the chat route."""
        return self.post("/v1/chat/completions", payload, headers)

    def write_fixture(self, digest: str, value: object) -> Path:
        """Write a fixture as an editor does."""
        self.fixtures.mkdir(parents=True, exist_ok=True)
        path = self.fixtures / f"{digest}.json"
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        write_atomic(path, data)
        return path

    def log(self, since: int = 0) -> str:
        """The log from byte ``since`` on."""
        with self.log_path.open("rb") as file:
            file.seek(since)
            return file.read().decode("utf-8")

    def log_size(self) -> int:
        return self.log_path.stat().st_size


class Response:
    """A whole reply."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def content(self) -> Any:
        """The content of an envelope."""
        return self.json()["choices"][0]["message"]["content"]
