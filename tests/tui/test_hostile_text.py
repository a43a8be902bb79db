"""Hostile text in every field of all that is read, and what goes to a real terminal of it."""

from __future__ import annotations

import json
import re
import socket
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.hostile import HOSTILE, leaks, response, write_project
from tests.scripted_server import ScriptedServer, reply
from tests.terminal import Terminal
from workbench.core.log.lines import listening_line
from workbench.tui.workspace.pane_layout import LARGE, MEDIUM

# One for each arrangement of the panes.
SIZES = [MEDIUM, LARGE, (80, 24)]
# A head with other control characters is not valid HTTP.
IN_HEAD = "\x9b5i\u202e[red]pwned[/red]"
ANSWER = {
    "id": HOSTILE,
    "model": HOSTILE,
    "choices": [{"index": 0, "message": response(), "finish_reason": HOSTILE, HOSTILE: HOSTILE}],
    "usage": {HOSTILE: HOSTILE},
    HOSTILE: HOSTILE,
}


def answer(connection: socket.socket, request: bytes) -> None:
    """Answer as a server that means harm."""
    if request.startswith(b"POST /upstream/"):
        connection.sendall(reply(json.dumps(ANSWER).encode(), status=f"200 {IN_HEAD}"))
    elif b'"stream": true' in request:
        body = f"data: {json.dumps(ANSWER)}\n\n{IN_HEAD}\n"
        connection.sendall(reply(body.encode(), f"text/event-stream;{IN_HEAD}", f"200 {IN_HEAD}"))
    else:
        kind = f"text/{IN_HEAD}\r\nX-Pwned: {IN_HEAD}"
        connection.sendall(reply(HOSTILE.encode(), kind, f"500 {IN_HEAD}"))


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(answer) as server:
        yield server


class Walk:
    """Keys for a terminal, of which only the bytes are looked at: its screen takes long to draw."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal

    def press(self, *keys: str, until: str) -> None:
        """Press keys and wait until ``until`` is drawn anew, in one go."""
        seen = len(self._terminal.raw)
        self._terminal.press(*keys)
        self._wait_for(until, seen)

    def see_all_sizes(self) -> None:
        """Have what is shown drawn at each size, that of the start last."""
        for columns, rows in SIZES:
            seen = len(self._terminal.raw)
            self._terminal.resize_undrawn(columns, rows)
            self._wait_for(f"\x1b[{rows};1H", seen)  # goes to the last line

    def _wait_for(self, until: str, seen: int) -> None:
        end = time.monotonic() + 60
        while until.encode() not in self._terminal.raw[seen:]:
            assert time.monotonic() < end, f"{until!r} is not drawn:\n{self._terminal.text}"
            time.sleep(0.05)


def walk_misses(walk: Walk) -> None:
    walk.see_all_sizes()
    walk.press(".", *"]]]", "m", "d", "v", until="the server answers 500")
    walk.see_all_sizes()
    walk.press("j", "g", "x", until="curl")
    walk.see_all_sizes()
    walk.press("c", until="sends it again")
    walk.press("U", "y", until="The upstream's answer is the draft")
    walk.see_all_sizes()
    walk.press("R", until="Move 1 fixture?")
    walk.see_all_sizes()
    walk.press("n", "enter", "\t", "\t", "\t", "home", "escape", "s", until="Skipped")


def walk_other_tabs(walk: Walk) -> None:
    walk.press("2", until="[2 Fixtures")
    walk.see_all_sizes()
    walk.press("j", "F", until="Fix 1 file")
    walk.see_all_sizes()
    walk.press("n", "enter", "escape", "3", until="[3 Recordings")
    walk.see_all_sizes()
    walk.press("j", "d", "k", "enter", "G", "enter", "4", until="[4 Evals")
    walk.see_all_sizes()
    walk.press("y", until="Copied")
    walk.press("(", "enter", "]", "escape", "(", until="not JSON")
    walk.see_all_sizes()
    walk.press("1", "s", until="Skipped")  # what was decided is summed up at the end


# Two walks, so that two workers share them.
@pytest.mark.parametrize("go", [walk_misses, walk_other_tabs])
def test_nothing_of_it_acts_on_the_terminal(
    tmp_path: Path, server: ScriptedServer, go: Callable[[Walk], None]
) -> None:
    write_project(tmp_path)
    command = [*FORKED, "--log", "mock-llm.log", "--fixtures", "fixtures"]
    command += ["--server", server.url, "--upstream", f"{server.url}/upstream"]
    home = {"HOME": str(tmp_path / "home"), "XDG_DATA_HOME": None}
    columns, rows = SIZES[-1]
    with Terminal(
        command, columns=columns, rows=rows, folder=tmp_path, environment=home
    ) as terminal:
        terminal.wait_for("Welcome")
        go(Walk(terminal))
        terminal.press("^q")
        assert terminal.wait_for_end() == 0
        terminal.wait_for_rest("workbench: ")
        raw = bytes(terminal.raw)
    assert leaks(raw) == []
    assert b"[red]pwned" in raw


def test_the_command_for_the_server_of_a_log_holds_nothing_else_of_its_url(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:7897/;touch${{IFS}}X;{IN_HEAD}"
    (tmp_path / "mock-llm.log").write_text(listening_line(url, HOSTILE), "utf-8")
    with Terminal(FORKED, columns=120, rows=36, folder=tmp_path) as terminal:
        terminal.wait_for("y copies a command")
        terminal.press("y")
        terminal.wait_for("Copied")
        [copied] = re.findall(rb"\x1b\]52;c;([^\x07]+)\x07", terminal.raw)
        raw = bytes(terminal.raw)
    url = "http://127.0.0.1:7897"
    assert b64decode(copied).decode() == (
        f"OPENAI_BASE_URL={url}/v1 ANTHROPIC_BASE_URL={url} "
        f"GOOGLE_GEMINI_BASE_URL={url} OPENAI_API_KEY=x ANTHROPIC_API_KEY=x GEMINI_API_KEY=x pytest"
    )
    assert leaks(raw) == []
