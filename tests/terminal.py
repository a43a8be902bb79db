"""A program in a real pseudo-terminal, with its screen as text."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import pyte

from tests.forked import FORKED, Forked

WORKBENCH = [sys.executable, "-m", "workbench"]
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f12": "\x1b[24~",
    "backspace": "\x7f",
    "delete": "\x1b[3~",
}

# A program gives back the screen it found.
LEFT_SCREEN = b"\x1b[?1049l"


class Terminal:
    """Runs ``command`` in a terminal of ``columns`` x ``rows``.

    Args:
        command: one that begins with ``FORKED`` is forked.
        environment: changes to the environment; None takes a variable out.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        folder: Path,
        environment: dict[str, str | None] | None = None,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._lock = threading.Lock()
        self._news = threading.Event()
        self.raw = bytearray()
        self._on_screen = 0  # how much of it
        self._master, slave = pty.openpty()
        self._slave_name = os.ttyname(slave)
        _set_size(self._master, columns, rows)
        changes = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        changes["XDG_DATA_HOME"] = _user_data().name
        env = {**os.environ, **changes, **(environment or {})}
        # Else the size is theirs, and not this terminal's.
        env |= dict.fromkeys(("COLUMNS", "LINES"))
        given = {name: value for name, value in env.items() if value is not None}
        self.process = self._start(list(command), given, folder, slave)
        os.close(slave)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _start(
        self, command: list[str], environment: dict[str, str], folder: Path, slave: int
    ) -> subprocess.Popen[bytes] | Forked:
        if command[:1] == FORKED:
            name = self._slave_name
            return Forked(command[1:], environment=environment, folder=folder, terminal=name)
        return subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env=environment,
            start_new_session=True,
            preexec_fn=_take_terminal,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                self.raw += data
            self._news.set()

    def _draw(self) -> None:
        """Bring the screen up to date, which costs more than what draws it: only when asked."""
        self._stream.feed(bytes(self.raw[self._on_screen :]))
        self._on_screen = len(self.raw)

    @property
    def lines(self) -> list[str]:
        """The screen, line by line, without trailing blanks."""
        with self._lock:
            self._draw()
            return [line.rstrip() for line in self._screen.display]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def press(self, *keys: str) -> None:
        """Press keys one by one: names of ``KEYS``, ``^s`` for Ctrl+S, else the characters."""
        for key in keys:
            if len(key) == 2 and key[0] == "^":
                data = chr(ord(key[1].upper()) & 0x1F)
            else:
                data = KEYS.get(key, key)
            os.write(self._master, data.encode())
            time.sleep(0.02)
            self._wait_until_read()
            if key == "escape":
                time.sleep(0.3)  # else it and the next key are taken for Alt and that key

    def _wait_until_read(self, timeout: float = 60) -> None:
        """Wait until the program has read the keys, or has ended."""
        until = time.monotonic() + timeout
        with contextlib.suppress(OSError):  # it has ended
            slave = os.open(self._slave_name, os.O_RDONLY | os.O_NOCTTY)
            try:
                while any(fcntl.ioctl(slave, termios.FIONREAD, bytes(4))):
                    assert time.monotonic() < until, "keys are not read"
                    time.sleep(0.02)
            finally:
                os.close(slave)

    def type(self, text: str | bytes) -> None:
        """Type a text as fast as a program can."""
        os.write(self._master, text.encode() if isinstance(text, str) else text)

    def resize(self, columns: int, rows: int) -> None:
        with self._lock:
            self._draw()
            self._screen.resize(rows, columns)
        self.resize_undrawn(columns, rows)

    def resize_undrawn(self, columns: int, rows: int) -> None:
        """Resize it where only its bytes are looked at from now on, and no longer its screen."""
        _set_size(self._master, columns, rows)

    def wait_for(self, wanted: str | Callable[[str], bool], timeout: float = 60) -> str:
        """Wait until the screen shows ``wanted``; returns the screen."""
        shows = wanted if callable(wanted) else lambda text: wanted in text
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            self._news.clear()
            screen = self.text
            if shows(screen):
                return screen
            # Reading the screen costs as much as drawing it: only where something came.
            self._news.wait(0.5)
            time.sleep(0.02)
        raise AssertionError(f"not shown within {timeout} s: {wanted!r}\n{self.text}")

    def wait_until_raw(self, timeout: float = 60) -> None:
        """Wait until the program gets keys as they are typed, and not line by line."""
        until = time.monotonic() + timeout
        while termios.tcgetattr(self._master)[3] & termios.ICANON:
            assert time.monotonic() < until, "the terminal stays in line mode"
            time.sleep(0.001)

    def wait_for_rest(self, wanted: str, timeout: float = 60) -> str:
        """Wait for ``wanted`` after the program gave the screen back; returns all that came then.
        Where it stands on the screen depends on where the cursor was left.
        """
        until = time.monotonic() + timeout
        while time.monotonic() < until:
            with self._lock:
                _, _, rest = bytes(self.raw).rpartition(LEFT_SCREEN)
            if wanted.encode() in rest:
                return rest.decode("utf-8", "replace")
            time.sleep(0.02)
        raise AssertionError(f"not said at the end: {wanted!r}\n{self.text}")

    def wait_for_end(self, timeout: float = 60) -> int:
        """Wait until the program has ended; returns its exit code."""
        return self.process.wait(timeout)

    def kill(self, number: int = signal.SIGKILL) -> None:
        self.process.send_signal(number)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        with contextlib.suppress(OSError):
            os.close(self._master)
        self._reader.join(2)


@cache
def _user_data() -> tempfile.TemporaryDirectory[str]:
    """The data of a user who saw the welcome card, which covers the panes."""
    folder = tempfile.TemporaryDirectory(prefix="workbench-user-")
    mark = Path(folder.name) / "workbench" / "welcomed"
    mark.parent.mkdir()
    mark.touch()
    return folder


def _take_terminal() -> None:
    """Makes the slave the controlling terminal, so that hang-ups and ^c arrive.

    Also where the tests run in the background of a shell, which ignores ^c.
    """
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
