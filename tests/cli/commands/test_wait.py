"""``workbench wait``."""

from __future__ import annotations

import contextlib
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.server.running import RunningServer
from workbench.cli.main import main
from workbench.io.processes.server_process import ChildServer


def test_it_waits_until_a_server_answers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with RunningServer(tmp_path) as server:
        for url in (server.url, f"{server.url}/v1"):
            assert main(["wait", url]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_is_no_url_is_told_with_one_of_a_server(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["wait", "127.0.0.1:7899"])
    said = "'127.0.0.1:7899' is not a URL such as http://127.0.0.1:7899\n"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (404, "text/html", b"Not found"),
        (200, "text/html", b"<html>ok</html>"),
        (200, "application/json", b'{"status": "ok"}'),
        (200, "application/json", b'{"ok": true, "name": "another"}'),
        (503, "application/json", b'{"ok": true}'),
        (200, "application/json", b"x" * 100_000),
        (200, "", b""),
        (302, "", b""),
    ],
)
def test_another_program_is_named(
    status: int, kind: str, body: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    class Other(BaseHTTPRequestHandler):
        server_version, sys_version = "Other/1.0", ""

        def do_GET(self) -> None:
            self.send_response(status)
            if kind:
                self.send_header("content-type", kind)
            self.end_headers()
            with contextlib.suppress(OSError):
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        assert main(["wait", url, "--timeout", "0"]) == 1
        server.shutdown()
    said = f"workbench wait: error: {url} is another program (Other/1.0), not a stub server; "
    described = f"{status} ({kind})" if kind else f"{status}"
    assert capsys.readouterr().err == f"{said}it answered GET /healthz with {described}\n"


def test_it_waits_until_another_program_is_gone(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        other = threading.Thread(target=refuse_once, args=(listener,), daemon=True)
        other.start()
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(main, ["wait", url, "--timeout", "60"])
            other.join(60)
            with ChildServer(listener, fixtures=tmp_path, log=tmp_path / "server.log"):
                assert waiting.result(60) == 0


def refuse_once(listener: socket.socket) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(10_000)
        connection.sendall(b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n")


def test_it_gives_up_in_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["wait", "http://127.0.0.1:1", "--timeout", "0"]) == 1
    assert capsys.readouterr().err.startswith(
        "workbench wait: error: http://127.0.0.1:1 does not answer"
    )


@pytest.mark.parametrize("seconds", ["nan", "-1", "soon"])
def test_a_time_that_is_none_is_refused(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    with pytest.raises(SystemExit) as refused:
        main(["wait", "http://127.0.0.1:1", f"--timeout={seconds}"])
    assert refused.value.code == 2
    said = f"--timeout: '{seconds}' is not a number of seconds, 0 or more\n"
    assert said in capsys.readouterr().err
