"""What is seen and heard of the application from outside: title, bell, and the shell it is
stopped from.
"""

from __future__ import annotations

import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.reference import short_log
from tests.server.running import RunningServer
from tests.terminal import WORKBENCH, Terminal
from tests.tui.running import ask

KEEP, SET, BACK = b"\x1b[22;0t", b"\x1b]2;%b\x07", b"\x1b[23;0t"
OURS = KEEP + SET % b"workbench"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.log").write_bytes(short_log())
    return tmp_path


def wait_for_bytes(terminal: Terminal, wanted: bytes, after: int = 0) -> int:
    """Wait until they came; returns where they end."""
    until = time.monotonic() + 60
    while (at := bytes(terminal.raw).find(wanted, after)) < 0:
        assert time.monotonic() < until, f"did not come: {wanted!r}"
        time.sleep(0.02)
    return at + len(wanted)


def test_a_shell_stops_it_and_lets_it_go_on_with_screen_title_and_keys(folder: Path) -> None:
    with Terminal(["bash", "--norc", "-i"], folder=folder) as terminal:
        terminal.type(shlex.join([*WORKBENCH, "--log", "suite.log"]) + "\n")
        terminal.wait_for("Misses [1/7]")
        at = wait_for_bytes(terminal, OURS)
        for _ in range(2):
            terminal.press("^z")
            at = wait_for_bytes(terminal, BACK, at)
            terminal.wait_for("Stopped")
            terminal.type("fg\n")
            at = wait_for_bytes(terminal, OURS, at)
            # Nothing has to be pressed for it.
            terminal.wait_for(lambda text: "Misses [1/7]" in text and "Stopped" not in text)
        terminal.press("enter")
        terminal.type("Rain.")
        terminal.wait_for("Rain.")
        terminal.press("^z")  # in a field it undoes
        terminal.wait_for(lambda text: "Rain." not in text and "Answer" in text)
        terminal.press("^q")
        wait_for_bytes(terminal, BACK, at)
        terminal.type("exit\n")
        assert terminal.wait_for_end() == 0


def test_what_no_shell_would_let_go_on_does_not_stop(folder: Path) -> None:
    with Terminal([*FORKED, "--log", "suite.log"], folder=folder) as terminal:
        terminal.wait_for("Misses [1/7]")
        terminal.press("^z")
        terminal.wait_for("Not suspended, because no shell could bring this window back.")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        # The last bytes may be read only after it has ended.
        wait_for_bytes(terminal, BACK)
        assert OURS in terminal.raw
        assert terminal.raw.count(BACK) == 1


def test_a_console_without_windows_gets_no_title(folder: Path) -> None:
    environment: dict[str, str | None] = {"TERM": "linux"}
    command = [*FORKED, "--log", "suite.log"]
    with Terminal(command, folder=folder, environment=environment) as terminal:
        terminal.wait_for("Misses [1/7]")
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        assert KEEP not in terminal.raw


@pytest.mark.parametrize(
    ("tmux", "notification"),
    [
        ("", b"\x1b]9;workbench: 1 request waiting\x07"),
        # In tmux it goes to the terminal around it.
        ("/tmp/x", b"\x1bPtmux;\x1b\x1b]9;workbench: 1 request waiting\x07\x1b\\"),
    ],
)
def test_a_request_that_waits_is_in_the_title_and_calls_who_looks_elsewhere(
    tmp_path: Path, tmux: str, notification: bytes
) -> None:
    environment: dict[str, str | None] = {"WORKBENCH_BELL": "notification", "TMUX": tmux}
    waiting = SET % "1 waiting · workbench".encode()
    with ThreadPoolExecutor() as pool, RunningServer(tmp_path, arguments=("--hold",)) as server:
        command = [*FORKED, "--server", server.url]
        with Terminal(command, folder=tmp_path, environment=environment) as terminal:
            terminal.wait_for("hold on 5m")
            terminal.type("\x1b[O")  # the focus goes
            pool.submit(server.chat, ask("who waits?"))
            at = wait_for_bytes(terminal, notification)
            at = wait_for_bytes(terminal, waiting)
            terminal.type("\x1b[I")  # and comes back
            terminal.wait_for("who waits?")
            terminal.press("L")
            at = wait_for_bytes(terminal, SET % b"workbench", at)
            pool.submit(server.chat, ask("and here?"))
            wait_for_bytes(terminal, waiting, at)
            assert terminal.raw.count(b"]9;") == 1
