"""A server that records an upstream, which says exactly what it is told, over a real socket."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.scripted_server import ScriptedServer
from tests.server.running import Response, RunningServer
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import Sent
from workbench.io.recordings.recording_file import Recording, journals


class RecordingServer:
    """A recording server, its upstream, and what it kept.

    Attributes:
        parts: what the upstream says to each request.
    """

    def __init__(self, folder: Path, query: str) -> None:
        self.folder = folder
        self.parts: list[bytes] = []
        self.upstream = ScriptedServer(lambda client, _: [*map(client.sendall, self.parts)])
        arguments = ("--record", "--upstream", f"{self.upstream.url}/v1{query}")
        self.server = RunningServer(folder, arguments=arguments, working_folder=folder)
        self._count = 0
        self.payload: dict[str, Any] = {}

    def tell(
        self,
        *parts: bytes,
        stream: bool = False,
        headers: dict[str, str] | None = None,
        query: str = "",
        text: str = "",
    ) -> Response:
        """Ask something new, to which the upstream says ``parts``; returns the reply."""
        self.parts = list(parts)
        self._count += 1
        messages = [{"role": "user", "content": f"question {self._count}: {text}"}]
        self.payload = {"model": "m", "messages": messages, "stream": stream}
        return self.server.post(f"/v1/chat/completions{query}", self.payload, headers)

    @property
    def fixture(self) -> Path:
        return self.server.fixtures / f"{digest(self.payload)}.json"

    def outcome(self) -> Sent:
        """What was recorded last."""
        (path,) = journals(self.folder / ".workbench" / "runs")
        outcome = list(Recording(path).exchanges())[-1].outcome
        assert isinstance(outcome, Sent)
        return outcome


@contextmanager
def recording_server(folder: Path, query: str = "") -> Iterator[RecordingServer]:
    """A recording server whose upstream is scripted.

    Args:
        query: of the upstream's base URL.
    """
    (folder / "pyproject.toml").touch()
    recording = RecordingServer(folder, query)
    with recording.upstream, recording.server:
        yield recording
        assert "Traceback" not in recording.server.log()


def head(status: str = "200 OK", **headers: str) -> bytes:
    given = {"content_type": "application/json", "connection": "close", **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in given.items()]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode("latin-1")


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)
