"""The server's process: how it starts, and that it ends whatever happens."""

from __future__ import annotations

import resource
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.server.running import RunningServer, clean_environment, wait_until
from workbench.core.digest import digest

# Started, and not forked from a process that has its own settings and modules.
PROGRAM = ("-m", "workbench")
SLOW_STREAM = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nX-Mock-LLM-%s-Delay-Ms: 600000\r\n"
    b'Content-Length: 16\r\n\r\n{"stream": true}'
)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def end(server: RunningServer, how: signal.Signals | None) -> None:
    if how is None:
        server.let_go()
    else:
        server.process.send_signal(how)


def test_it_stops_when_it_is_told(tmp_path: Path) -> None:
    with RunningServer(tmp_path, program=PROGRAM) as server:
        end(server, signal.SIGINT)
        assert server.process.wait(60) == 0
        assert not is_listening(server.port)
        assert server.log().count("\n") == 1


@pytest.mark.parametrize("how", [None, signal.SIGTERM, signal.SIGINT])
def test_it_stops_soon_and_finishes_what_it_sends(
    tmp_path: Path, how: signal.Signals | None
) -> None:
    with RunningServer(tmp_path) as server:
        idle = server.connect()
        idle.request("GET", "/healthz")
        idle.getresponse().read()
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(6)]
        for number, client in enumerate(clients):
            client.sendall(SLOW_STREAM % (b"Total", b"Stream-Chunk")[number % 2])
        wait_until("six misses", lambda: server.log().count("unknown fixture hash") == 6)
        started = time.monotonic()
        end(server, how)
        for client in clients:
            assert read_all(client).endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
        assert server.process.wait(60) == 0
        assert time.monotonic() - started < 20  # about a second; the machine may be busy
        assert not is_listening(server.port)
        idle.close()
    assert "Traceback" not in server.log()


def read_all(client: socket.socket) -> bytes:
    with client, client.makefile("rb") as file:
        return file.read()


def test_clients_that_do_not_finish_are_left(tmp_path: Path) -> None:
    with (
        RunningServer(tmp_path) as server,
        socket.create_connection(("127.0.0.1", server.port)) as client,
    ):
        client.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        assert server.request("GET", "/healthz").status == 200
        server.process.terminate()
        assert server.process.wait(60) == 0
    assert server.log().count("\n") == 2


PARENT = """
import subprocess, sys, time
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE)
print("started", flush=True)
time.sleep(600)
"""


def test_it_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        descriptor = listener.fileno()
        listener.set_inheritable(True)
        parent = subprocess.Popen(
            [
                *(sys.executable, "-c", PARENT.replace("PIPE)", f"PIPE, pass_fds=[{descriptor}])")),
                *(sys.executable, "-m", "workbench", "serve", "--fd", str(descriptor)),
                *("--log-file", str(log), "--exit-with-stdin"),
            ],
            pass_fds=[descriptor],
            stderr=subprocess.DEVNULL,
            env=clean_environment(),
        )
    try:
        wait_until("a server", lambda: log.exists() and log.read_bytes())
        assert is_listening(port)
    finally:
        parent.kill()
        parent.wait()
    wait_until("the end of the server", lambda: not is_listening(port))


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="the limits are not shown here")
def test_it_may_open_as_many_files_as_the_system_allows(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(512, hard), hard))
    try:
        with RunningServer(tmp_path, program=PROGRAM) as server:
            limits = Path(f"/proc/{server.process.pid}/limits").read_text()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    (line,) = [line for line in limits.splitlines() if "open files" in line]
    assert line.split()[3] == line.split()[4]


@pytest.mark.parametrize("junk", ["x", "4"])
def test_what_the_environment_says_to_uvicorn_is_not_heard(tmp_path: Path, junk: str) -> None:
    environment = {"WEB_CONCURRENCY": junk, "FORWARDED_ALLOW_IPS": "*"}
    with RunningServer(tmp_path, environment=environment) as server:
        reply = server.request("GET", "/healthz", headers={"X-Forwarded-For": "6.6.6.6"})
        assert reply.status == 200
        assert "127.0.0.1 - - " in server.log()


def test_many_connections_at_once(tmp_path: Path) -> None:
    with RunningServer(tmp_path) as server:
        clients = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(200)]
        for client in clients:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert all(read_all(client).endswith(b'{"ok":true}\n') for client in clients)
        assert server.log().count('"GET /healthz HTTP/1.1" 200 -\n') == 200


def test_requests_are_answered_and_held_without_pydantic(tmp_path: Path) -> None:
    """It would stand between a file and the wire, and takes time to load."""
    key = digest({"model": "a"})
    environment = {"PYTHONPROFILEIMPORTTIME": "1"}
    with RunningServer(tmp_path, environment=environment, program=PROGRAM) as server:
        server.write_fixture(key, {"response": {"content": "saved"}})
        assert server.chat({"model": "a"}).content == "saved"
        assert server.chat({"model": "b"}).status == 200
        server.request("PUT", "/__workbench/hold", b'{"enabled": true, "timeout_s": 0.01}')
        assert server.chat({"model": "c"}).status == 200
        assert server.request("GET", "/__workbench/misses").status == 200
    assert "workbench.core.control_api" in server.log()  # what it loads is told
    assert "pydantic" not in server.log()


READS = """
import socket
from pathlib import Path
from workbench.io.fixture.store import FixtureStore
from workbench.server.app import StubApp
from workbench.server.log import LogSink
from workbench.server.process import run
from workbench.server.wire.delays import Delays

class Store(FixtureStore):
    def document(self, digest):
        print(digest, flush=True)
        return super().document(digest)

log = LogSink()
app = StubApp(Store(Path()), "stub", Delays(), log)
run(app, socket.create_server(("127.0.0.1", 0)), log, fixtures=".", exit_with_stdin=True)
"""


def test_the_folder_is_read_before_anybody_asks(tmp_path: Path) -> None:
    (tmp_path / f"{'a' * 64}.json").write_text("{}")
    with subprocess.Popen(
        [sys.executable, "-c", READS],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=clean_environment(),
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"a" * 64 + b"\n"
