"""A program in a real pseudo-terminal, with the moment each of its bytes arrives.

Other than ``tests.terminal`` it emulates nothing: reading must cost next to nothing here.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

_ESCAPE = re.compile(rb"\x1b(\[[0-9;:?<>=]*[ -/]*[@-~]|[^\[])|[^\w\s\x1b!-~]+")

Mark = bytes | Callable[[bytes], bool]


class Screen:
    """Runs ``command`` in a terminal of ``size`` (columns, rows).

    Attributes:
        started: when the process was about to be started, by ``time.perf_counter``.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        size: tuple[int, int] = (120, 36),
        environment: dict[str, str] | None = None,
    ) -> None:
        self.output = bytearray()
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        terminal = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            list(command),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**os.environ, **terminal, **(environment or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0) and None,
        )
        os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def until(self, mark: Mark, *, since: int = 0, timeout: float = 60) -> float:
        """Read until what came after the first ``since`` bytes holds ``mark``; returns when that
        was, by ``time.perf_counter``.
        """
        holds = mark if callable(mark) else lambda output: mark in output
        deadline = time.perf_counter() + timeout
        now = time.perf_counter()
        while not holds(bytes(self.output[since:])):
            if now >= deadline:
                raise TimeoutError(f"{mark!r} did not come within {timeout} s, but {self._end()}")
            self._read(deadline - now)
            now = time.perf_counter()
        return now

    def echo(self, keys: str, mark: Mark, *, timeout: float = 60) -> float:
        """Press keys; returns after how many seconds ``mark`` came."""
        since = len(self.output)
        begun = time.perf_counter()
        self.press(keys)
        return self.until(mark, since=since, timeout=timeout) - begun

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def rest(self, quiet: float = 0.1, most: float = 10) -> None:
        """Read until no data for ``quiet`` seconds, but no longer than ``most``."""
        deadline = time.perf_counter() + most
        while time.perf_counter() < deadline and self._read(quiet):
            pass

    def watch(self, seconds: float) -> None:
        """Read for so long, whatever comes."""
        deadline = time.perf_counter() + seconds
        while (left := deadline - time.perf_counter()) > 0:
            self._read(left)

    def _read(self, timeout: float) -> bool:
        """Whether something came within ``timeout`` seconds."""
        if not select.select([self._master], [], [], timeout)[0]:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            data = b""
        if not data:
            raise EOFError(f"the program ended with {self.process.wait(5)}: {self._end()}")
        self.output += data
        return True

    def _end(self) -> str:
        """What came last, as text."""
        text = _ESCAPE.sub(b" ", bytes(self.output[-20_000:])).decode("utf-8", "replace")
        return " ".join(text.split())[-400:]

    def close(self) -> None:
        """End the program, whatever it is doing."""
        self.process.send_signal(signal.SIGTERM)
        with contextlib.suppress(EOFError):
            self.watch(3)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)
