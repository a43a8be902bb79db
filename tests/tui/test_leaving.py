"""How it ends with its terminal, and locales without the characters to be shown."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.session.support import chat, missed
from tests.terminal import WORKBENCH, Terminal
from workbench.io.state_folder import StateFolder
from workbench.session.drafts.store import DraftStore
from workbench.tui.workspace.pane_layout import LARGE

# Without its coercion Python takes LC_ALL=C at its word, and writes ASCII.
ASCII_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The application with a miss of wide, narrow and combined characters."""
    log = tmp_path / "suite.log"
    log.write_text(missed(chat("日本 ☃ e\u0301 🚀 end")), "utf-8")
    return [*WORKBENCH, "--log", str(log), "--fixtures", "fixtures"]


def test_bytes_that_are_no_utf8_end_it_with_a_line_and_a_draft(
    command: list[str], tmp_path: Path
) -> None:
    with Terminal(command, folder=tmp_path) as terminal:
        terminal.wait_for("Misses [1/1]")
        terminal.press("enter")
        terminal.wait_for("[Answer]")
        terminal.type("half an ans")
        terminal.wait_for("half an ans")
        terminal.type(b"caf\xe9 \xff!")
        said = terminal.wait_for_rest("ended by bytes from the terminal that are not UTF-8")
        assert terminal.wait_for_end() == 1
        assert "Traceback" not in said
    kept = DraftStore(StateFolder(tmp_path / ".workbench"), tmp_path / "fixtures")
    assert kept.recover() == []
    [draft] = kept.drafts.values()
    assert "half an ans" in draft.text


def test_they_end_it_in_a_line_while_it_starts(command: list[str], tmp_path: Path) -> None:
    with Terminal(command, folder=tmp_path) as terminal:
        terminal.type(b"\xff")
        assert terminal.wait_for_end() == 1
        said = terminal.wait_for_rest("ended by bytes from the terminal that are not UTF-8")
        assert "error" not in said


def test_what_the_locale_lacks_takes_the_room_it_has(command: list[str], tmp_path: Path) -> None:
    with Terminal(command, folder=tmp_path, environment={**ASCII_LOCALE}) as terminal:
        screen = terminal.wait_for("???? ? e ?? end")
        frame = [line for line in screen.splitlines() if line.startswith("|")]
        assert {line.rstrip()[-1] for line in frame} == {"|"}
        assert {len(line.rstrip()) for line in frame} == {80}


def test_a_terminal_that_goes_without_a_word_ends_it(command: list[str], tmp_path: Path) -> None:
    """The system tells of the end of a terminal those alone whom it controls."""
    with bare(command, tmp_path) as (process, master):
        read_until("日本".encode(), master)
        os.close(master)
        process.wait(60)


@pytest.mark.parametrize("after", [0.02, 0.04, 0.06, 0.08])
def test_it_leaves_in_silence_before_its_first_paint(
    command: list[str], tmp_path: Path, after: float
) -> None:
    with bare(command, tmp_path) as (process, master):
        read_until(b"\x1b[?1049h", master)
        time.sleep(after)
        process.send_signal(signal.SIGTERM)
        said = read_rest(master)
        assert process.wait(60) in (0, -signal.SIGTERM)
        assert b"Traceback" not in said


@pytest.mark.parametrize("is_closed", [True, False], ids=["closed", "terminated"])
def test_a_terminal_that_no_longer_reads_does_not_keep_it_or_its_suite(
    tmp_path: Path, is_closed: bool
) -> None:
    leader, lines = tmp_path / "leader", tmp_path / "lines"
    # It ends with its output, should the application not end it.
    loop = f"while printf '%02000d\\n' 1; do echo >> {lines}; sleep 0.01; done"
    script = f"echo $$ > {leader}; {loop}"
    with bare([*WORKBENCH, "run", "--", "sh", "-c", script], tmp_path, LARGE) as (process, master):
        read_until(b"running", master)
        # It draws two tabs in turn, until it waits for its terminal and the suite for it.
        before = -1
        while (now := lines.stat().st_size if lines.exists() else 0) != before:
            before = now
            for _ in range(20):
                os.write(master, b"15")
                time.sleep(0.05)
        if is_closed:
            os.close(master)
        else:
            process.send_signal(signal.SIGTERM)
        process.wait(60)
        with pytest.raises(ProcessLookupError):
            os.kill(int(leader.read_text()), 0)


STUCK = """
import threading
from workbench.tui.leaving import leave_when_asked
leave_when_asked(threading.Event, lambda: print("children ended", flush=True) or 130)
print("ready", flush=True)
threading.Event().wait()
"""


def test_what_cannot_begin_to_leave_gets_no_time_to_leave() -> None:
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == b"ready\n"
            process.terminate()
            assert process.wait(5) == 130
            assert process.stdout.read() == b"children ended\n"
        finally:
            process.kill()


@contextlib.contextmanager
def bare(
    command: list[str], folder: Path, size: tuple[int, int] = (80, 24)
) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """The command in a terminal that does not control it, and which is read only by the test."""
    master, slave = pty.openpty()
    termios.tcsetwinsize(master, size[::-1])
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, cwd=folder, start_new_session=True
    )
    os.close(slave)
    try:
        yield process, master
    finally:
        process.kill()
        process.wait()


def read_until(wanted: bytes, master: int) -> None:
    shown = b""
    while wanted not in shown:
        shown += os.read(master, 65536)


def read_rest(master: int) -> bytes:
    shown = b""
    with contextlib.suppress(OSError):  # nobody has the terminal open any more
        while part := os.read(master, 65536):
            shown += part
    return shown
