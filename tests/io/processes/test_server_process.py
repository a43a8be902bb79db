"""Our server is ours: it starts, it answers, and it never outlives us."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import has_ended
from tests.server.running import wait_until
from workbench.io.network.ports import listen
from workbench.io.processes import server_process as child
from workbench.io.processes.server_process import ChildServer


def is_healthy(url: str) -> bool:
    with urllib.request.urlopen(f"{url}/healthz", timeout=60) as reply:
        return bool(json.load(reply) == {"ok": True})


def accepts(url: str) -> bool:
    parts = urllib.parse.urlsplit(url)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5).close()
    except OSError:
        return False
    return True


def make(folder: Path, *arguments: str) -> ChildServer:
    listener, _ = listen("127.0.0.1", 0)
    return ChildServer(
        listener, fixtures=folder / "fixtures", log=folder / "server.log", arguments=arguments
    )


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChildServer]:
    with make(tmp_path) as server:
        yield server


def test_it_answers_logs_each_line_once_and_stops_when_told(server: ChildServer) -> None:
    assert is_healthy(server.url)
    assert f"listening on {server.url} (fixtures: " in server.log.read_text()
    assert server.log.stat().st_mode & 0o777 == 0o600  # it holds requests
    request = urllib.request.Request(
        f"{server.url}/v1/chat/completions",
        b'{"messages": []}',
        {"Content-Type": "application/json"},
    )
    urllib.request.urlopen(request, timeout=60).close()
    assert server.log.read_text().count("unknown fixture hash") == 1
    assert server.pid is not None
    assert os.getsid(server.pid) != os.getsid(0), "what the terminal sends does not hit it"
    assert server.stop() == 0
    assert has_ended(server.pid)
    assert not accepts(server.url)
    assert server.stop() == 0


def test_one_that_never_started(tmp_path: Path) -> None:
    server = make(tmp_path)
    assert server.pid is None
    assert server.stop() is None
    assert not accepts(server.url)
    assert os.listdir(tmp_path) == []


def test_one_that_does_not_listen_to_reason_is_killed(server: ChildServer) -> None:
    assert is_healthy(server.url)
    assert server.pid is not None
    os.kill(server.pid, signal.SIGSTOP)
    begun = time.monotonic()
    assert server.stop(timeout=0.1) == -signal.SIGKILL
    assert time.monotonic() - begun < 20
    assert not accepts(server.url)


def test_what_a_crash_says_is_in_the_log(tmp_path: Path) -> None:
    server = make(tmp_path, "--no-such-flag")
    server.start()
    wait_until("ended", lambda: has_ended(server.pid or 0))
    assert "unknown option --no-such-flag" in server.log.read_text()
    assert server.stop() == 2


def test_the_log_is_appended_to_until_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "MAX_LOG_BYTES", 10)
    log = tmp_path / "server.log"
    log.write_text("short\n")
    with make(tmp_path) as server:
        assert is_healthy(server.url)
    assert log.read_text().startswith("short\n[mock-llm] listening on ")
    with make(tmp_path) as server:
        assert is_healthy(server.url)
    assert log.read_text().startswith("[mock-llm] listening on ")
    assert (tmp_path / "server.log.1").read_text().startswith("short\n")


def test_a_log_that_cannot_be_written_is_an_os_error(tmp_path: Path) -> None:
    (tmp_path / "server.log").mkdir()
    server = make(tmp_path)
    with pytest.raises(IsADirectoryError):
        server.start()
    assert server.pid is None
    assert not accepts(server.url)


def test_a_folder_of_the_same_name_is_not_run_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "workbench").mkdir()
    for name in ["__init__.py", "__main__.py"]:
        (tmp_path / "workbench" / name).write_text("raise SystemExit('the wrong one')\n")
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong one')\n")
    monkeypatch.chdir(tmp_path)
    with make(tmp_path) as server:
        assert is_healthy(server.url)


PARENT = """
import os, signal, subprocess, sys, time
from pathlib import Path
from workbench.io.processes.server_process import ChildServer
from workbench.io.network.ports import listen

# Whoever runs the tests may ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
folder = Path(sys.argv[1])
listener, _ = listen("127.0.0.1", 0)
server = ChildServer(listener, fixtures=folder, log=folder / "server.log")
server.start()
# Other children, as an editor is, must not hold the pipe's end.
subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
print(server.url, flush=True)
end = sys.argv[2]
if end == "raise":
    raise RuntimeError("a crash")
if end == "exit":
    os._exit(3)
time.sleep(60)
"""


@pytest.mark.parametrize("end", ["SIGKILL", "SIGINT", "raise", "exit"])
def test_it_ends_with_us_however_we_end(tmp_path: Path, end: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path), end],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as parent:
        assert parent.stdout is not None
        url = parent.stdout.readline().decode().strip()
        try:
            if end.startswith("SIG"):
                assert is_healthy(url)
                parent.send_signal(getattr(signal, end))
            wait_until("the parent ended", lambda: parent.poll() is not None)
            wait_until("its server ended", lambda: not accepts(url))
        finally:
            os.killpg(parent.pid, signal.SIGKILL)  # the other child
