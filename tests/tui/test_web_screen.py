"""The application in a browser, as ``textual serve`` runs it: frames and keys go through pipes."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

from tests.session.support import chat, missed
from tests.terminal import WORKBENCH

WEB = {
    "TEXTUAL_DRIVER": "textual.drivers.web_driver:WebDriver",
    "TERM_PROGRAM": "textual",
    "COLUMNS": "100",
    "ROWS": "30",
}


def packet(keys: bytes) -> bytes:
    return b"D" + struct.pack(">I", len(keys)) + keys


def run(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*WORKBENCH, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **WEB},
    )


def test_a_screen_in_a_browser_is_one(tmp_path: Path) -> None:
    (tmp_path / "suite.log").write_text(missed(chat("what about browsers?")), "utf-8")
    with run("--log", "suite.log", folder=tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        shown = b""
        while b"what about browsers?" not in shown:
            data = os.read(process.stdout.fileno(), 65536)
            assert data, process.communicate()[1].decode()
            shown += data
        process.stdin.write(packet(b"q"))
        process.stdin.flush()
        process.communicate()
        assert process.returncode == 0


def test_standard_input_is_no_log_there(tmp_path: Path) -> None:
    with run("--log", "-", folder=tmp_path) as process:
        said = process.communicate()[1].decode()
        assert process.returncode == 2
        assert "needs a terminal" in said
