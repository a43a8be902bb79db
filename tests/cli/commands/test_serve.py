"""``workbench serve``: its arguments. What it serves is tested in ``tests/server``."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.cli.running import Project
from tests.equivalent_requests import conversation
from tests.forked import Forked
from tests.server.running import clean_environment, wait_until
from workbench.core.digest import digest
from workbench.io.fixture.form_cache import FEWEST_KEPT
from workbench.io.network.ports import DEFAULT_PORT

LISTENING = re.compile(r"^\[mock-llm\] listening on (http://\S+:(\d+)) \(fixtures: (.+)\)$", re.M)


class Served:
    """A server started from the command line.

    Attributes:
        said: what it wrote to standard error.
    """

    def __init__(self, process: Forked, said: Path) -> None:
        self.process = process
        self._said = said

    @property
    def said(self) -> str:
        return self._said.read_text()

    @property
    def port(self) -> int:
        return int(self.listening[2])

    @property
    def listening(self) -> re.Match[str]:
        wait_until("a listening line", lambda: LISTENING.search(self.said))
        found = LISTENING.search(self.said)
        assert found is not None
        return found


@contextmanager
def serve(
    folder: Path, *arguments: str, environment: Mapping[str, str] | None = None
) -> Iterator[Served]:
    said = folder / "stderr.txt"
    said.write_bytes(b"")
    process = Forked(
        ["serve", *arguments],
        environment={**clean_environment(), **(environment or {})},
        folder=folder,
        log=said,
    )
    try:
        yield Served(process, said)
    finally:
        process.kill()
        process.wait()


def refused(project: Project, *arguments: str) -> str:
    """What a command that must end with 2 says."""
    ran = project.run("serve", *arguments)
    assert ran.code == 2
    assert "Traceback" not in ran.err
    return ran.err


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Project:
    """A project whose standard error is a file, as the server's log needs it."""
    return Project(tmp_path, monkeypatch, capfd)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that something listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_any_port(tmp_path: Path) -> None:
    with serve(tmp_path, "--port", "0") as served:
        assert served.listening[1] == f"http://127.0.0.1:{served.port}"
        assert served.listening[3] == "fixtures"
        with socket.create_connection(("127.0.0.1", served.port)):
            pass
        assert "WARNING" not in served.said
        served.process.send_signal(signal.SIGINT)
        assert served.process.wait(60) == 0


@pytest.mark.parametrize("variable", [None, "MOCK_LLM_PORT", "WORKBENCH_PORT"])
def test_a_port_that_is_given_and_taken(
    project: Project, monkeypatch: pytest.MonkeyPatch, taken: int, variable: str | None
) -> None:
    arguments = [] if variable else ["--port", str(taken)]
    if variable:
        monkeypatch.setenv(variable, str(taken))
    said = f"127.0.0.1:{taken} is in use; choose another with --port, or 0 for a free one"
    assert refused(project, *arguments) == f"workbench serve: error: {said}\n"


def test_the_default_port_that_is_taken_makes_room(tmp_path: Path) -> None:
    port = DEFAULT_PORT
    while port == DEFAULT_PORT:  # another program had it, and left it to us
        with ExitStack() as stack:
            with suppress(OSError):
                stack.enter_context(socket.create_server(("127.0.0.1", DEFAULT_PORT)))
            served = stack.enter_context(serve(tmp_path))
            port, said = served.port, served.said
    assert said.startswith(f"workbench serve: note: port {DEFAULT_PORT} is in use; using {port}\n")


def test_flags_beat_the_environment(tmp_path: Path) -> None:
    environment = {"MOCK_LLM_PORT": "1", "MOCK_LLM_HOST": "nowhere.invalid"}
    arguments = ("--host", "127.0.0.1", "--port", "0", "--fixtures", "mine")
    with serve(tmp_path, *arguments, environment=environment) as served:
        assert served.listening[1].startswith("http://127.0.0.1:")
        assert served.listening[3] == "mine"


def test_the_environment_and_the_project_count_and_another_address_is_said_loudly(
    tmp_path: Path,
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.workbench]\nfixtures = "canned"\nport = 0\n')
    environment = {"MOCK_LLM_HOST": "0.0.0.0"}
    with serve(tmp_path, environment=environment) as served:
        assert served.listening[1].startswith("http://0.0.0.0:")
        assert served.listening[3] == str(tmp_path / "canned")
        assert "workbench serve: warning: 0.0.0.0 is not a loopback address" in served.said


def test_the_log_goes_to_the_file_too(tmp_path: Path) -> None:
    log = tmp_path / "mock.log"
    log.write_text("[mock-llm] of an earlier run\n")
    with serve(tmp_path, "--port", "0", "--log-file", str(log)) as served:
        with socket.create_connection(("127.0.0.1", served.port)) as client:
            client.sendall(
                b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
            )
            assert client.recv(15) == b"HTTP/1.1 200 OK"
        lines = log.read_text().splitlines()
        assert lines[0] == "[mock-llm] of an earlier run"
        assert lines[1] == served.listening[0]
        assert lines[2] == f"[mock-llm] unknown fixture hash {digest({})}"
        assert served.said.splitlines() == lines[1:]


def test_a_log_that_is_a_pipe_waits_for_its_reader_and_says_so(tmp_path: Path) -> None:
    log = tmp_path / "pipe"
    os.mkfifo(log)
    with serve(tmp_path, "--port", "0", "--log-file", str(log)) as served:
        waiting = (
            f"workbench serve: note: --log-file {log} is a named pipe without a reader; waiting"
        )
        wait_until("what it waits for", lambda: waiting in served.said)
        assert not LISTENING.search(served.said)
        with log.open() as reader:
            assert reader.readline().rstrip() == served.listening[0]
    with serve(tmp_path, "--port", "0", "--log-file", str(log)) as served, log.open() as reader:
        assert reader.readline().rstrip() == served.listening[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--port", "99999"], "'99999' is not a port number"),
        (["--port", "x"], "'x' is not a port number"),
        (["--host", "nowhere.invalid"], "cannot listen on nowhere.invalid: "),
        (["--host", "x" * 300], "not a host name"),
        (["--log-file", "."], "serve: error: .: is a directory"),
        (["--log-file", "none/mock.log"], "serve: error: none/mock.log: no such file"),
        (["--profile", "none"], "invalid choice: 'none'"),
        (["--hold", "0"], "'0' is not a number of seconds"),
        (["--hold", "soon"], "'soon' is not a number of seconds"),
        (["--hold", "nan"], "'nan' is not a number of seconds"),
        (["--hold", "100000"], "up to 86400"),
        (["--fd", "99"], "serve: error: bad file descriptor"),
        (["--fd", "0"], "serve: error: socket operation on non-socket"),
        (["--fd", "-1"], "'-1' is not a whole number"),
        (["--fd", "9" * 5000], "is not a whole number"),
        (["--port", "9" * 5000], "is not a port number"),
        (["--port", "-1"], "'-1' is not a port number"),
        (["--port", "١٢"], "'١٢' is not a port number"),
        (["--hold=-5"], "'-5' is not a number of seconds"),
        (["--host", ""], "--host: the value is empty"),
        (["--fixtures", ""], "--fixtures: the value is empty"),
        (["--fixtures", __file__], f"{__file__} is not a folder"),
        (["--log-file", ""], "--log-file: the value is empty"),
        (["--replay", ""], "--replay: the value is empty"),
        (["--replay", "nothing"], "there is no recording 'nothing'"),
        (["--replay", __file__], f"--replay {__file__}: line 1: not JSON"),
        (["--allow-host", ""], "'' is not a host name"),
        (["--allow-host", "http://stub"], "'http://stub' is not a host name"),
    ],
)
def test_wrong_use(project: Project, arguments: list[str], words: str) -> None:
    assert words in refused(project, *arguments)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("MOCK_LLM_PORT", "x", "MOCK_LLM_PORT: expected a port number"),
        ("WORKBENCH_PORT", "70000", "WORKBENCH_PORT: expected a port number"),
    ],
)
def test_a_wrong_environment(
    project: Project, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(variable, value)
    assert words in refused(project)


@pytest.mark.parametrize(("arguments", "seconds"), [(["--hold"], 300), (["--hold", "1.5"], 1.5)])
def test_how_long_misses_are_held(tmp_path: Path, arguments: list[str], seconds: float) -> None:
    with (
        serve(tmp_path, "--port", "0", *arguments) as served,
        urlopen(f"http://127.0.0.1:{served.port}/__workbench/hold") as reply,
    ):
        state = json.load(reply)
    assert state == {"enabled": True, "timeout_s": seconds, "possible": True}


def test_what_is_known_of_many_fixtures_is_kept_for_the_next_start(tmp_path: Path) -> None:
    def answer() -> str:
        """That of a request which no fixture was written for."""
        request = json.dumps(conversation("openai")).encode()
        url = f"http://127.0.0.1:{served.port}/v1/chat/completions"
        with urlopen(Request(url, request, {"Content-Type": "application/json"})) as reply:
            return str(json.load(reply)["choices"][0]["message"]["content"])

    def write(request: dict[str, Any], content: str) -> None:
        value = {"response": {"content": content}, "request": request}
        (tmp_path / "fixtures" / f"{digest(request)}.json").write_text(json.dumps(value))

    (tmp_path / "fixtures").mkdir()
    for number in range(FEWEST_KEPT):
        write({"model": "m", "messages": [{"role": "user", "content": str(number)}]}, "No.")
    kept = tmp_path / ".workbench" / "cache"
    with serve(tmp_path, "--port", "0") as served:
        assert answer() != "It rains."
        wait_until("a cache", lambda: list(kept.glob("forms-*.json")))
    [cache] = kept.iterdir()
    written = cache.stat().st_mtime_ns
    write(conversation("stub"), "It rains.")
    with serve(tmp_path, "--port", "0") as served:
        assert answer() == "It rains."
    assert cache.stat().st_mtime_ns == written  # one more is not worth a file


def test_what_is_for_other_programs_is_not_in_the_help(project: Project) -> None:
    shown = project.run("serve", "--help").out
    assert "--log-file" in shown
    assert "--fd" not in shown
    assert "--exit-with-stdin" not in shown
