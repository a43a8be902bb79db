"""The main job in a real terminal: keys are pressed, the screen, files and sockets looked at."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import pytest

from tests.forked import FORKED
from tests.reference import LOG, short_log
from tests.terminal import WORKBENCH, Terminal
from workbench.io.network.ports import DEFAULT_PORT

COMMAND = [*FORKED, "--log", "suite.log", "--fixtures", "my canned"]
WEATHER = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "suite.log").write_bytes(short_log())
    return tmp_path


def wait_until(holds: object, timeout: float = 60) -> None:
    until = time.monotonic() + timeout
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < until, "did not come true"
        time.sleep(0.02)


def ask(url: str, payload: object) -> dict[str, object]:
    request = urllib.request.Request(
        f"{url}/v1/chat/completions",
        json.dumps(payload).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.loads(reply.read())  # type: ignore[no-any-return]


def test_misses_are_answered_and_saved_on_a_small_and_on_a_large_screen(tmp_path: Path) -> None:
    shutil.copy(LOG, tmp_path / "suite.log")
    with Terminal(COMMAND, columns=80, rows=24, folder=tmp_path) as terminal:
        terminal.wait_for("Misses [1/108]")
        terminal.wait_for("weather in London?")
        terminal.press("enter")
        terminal.type("It is 12 °C and raining.")
        terminal.wait_for("It is 12 °C and raining.")
        terminal.press("^s")
        terminal.wait_for("Saved c62fad60235a")
        # Without it, and without the later turn that quotes another answer to it.
        terminal.wait_for("Misses [1/106]")
        saved = json.loads((tmp_path / "my canned" / f"{WEATHER}.json").read_text("utf-8"))
        assert saved["response"] == {"content": "It is 12 °C and raining.", "finish_reason": "stop"}
        assert saved["request"]["messages"][1]["content"] == "weather in London?"
        terminal.resize(200, 50)
        terminal.press("enter")
        terminal.type("Answered on a large screen.")
        terminal.wait_for("Answered on a large screen.")
        terminal.press("^s")
        terminal.wait_for("Misses [1/105]")
        assert len(list((tmp_path / "my canned").glob("*.json"))) == 2
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        said = terminal.wait_for_rest("continue:")
        assert "note:\x1b[0m 2 saved, 0 ignored, 0 skipped. 105 of 108 misses left" in said
        assert "check the fixtures: workbench validate 'my canned'  " in said
        assert "continue: workbench --log suite.log --fixtures 'my canned'" in said


def test_an_undone_save_is_a_draft_again_which_is_there_at_the_next_start(folder: Path) -> None:
    log = folder / "suite.log"  # read all the same where its server has no address
    log.write_bytes(b"[mock-llm] listening on http://[::1 (fixtures: x)\n" + log.read_bytes())
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_for("Misses [1/7]")
        terminal.press("enter")
        terminal.type("First.")
        terminal.press("^s")
        terminal.wait_for("Misses [1/6]")
        terminal.press("u")
        terminal.wait_for("Undid the save of c62fad60235a")
        terminal.wait_for("Misses [1/7]")
        terminal.wait_for("draft")
        assert list((folder / "my canned").glob("*.json")) == []
        terminal.press("enter")
        terminal.wait_for("First.")
        terminal.press("^q")
        assert terminal.wait_for_end() == 0
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_for("1 draft of the last session is back.")
        terminal.wait_for("Misses [1/7]")
        terminal.press("enter")
        terminal.wait_for("First.")
        terminal.type("\x13\x11")  # Ctrl+S and Ctrl+Q as one read has them
        assert terminal.wait_for_end() == 0
    saved = json.loads((folder / "my canned" / f"{WEATHER}.json").read_text("utf-8"))
    assert saved["response"]["content"] == "First."


def test_a_tool_call_is_refused_until_it_is_right_and_commands_are_picked_from_the_palette(
    folder: Path,
) -> None:
    with Terminal(COMMAND, columns=120, rows=36, folder=folder) as terminal:
        terminal.wait_for("Misses [1/7]")
        terminal.press("t")
        terminal.wait_for("call 0 ─ get_weather")
        terminal.type('London", "unit": "k"')
        terminal.wait_for("arguments-schema")
        terminal.press("^s")
        terminal.wait_for("1 error: not saved.")
        assert not (folder / "my canned").exists()
        terminal.press("end", "left", "backspace")
        terminal.type("c")
        terminal.wait_for("no problems")
        terminal.press("^s")
        terminal.wait_for("Saved c62fad60235a")
        saved = json.loads((folder / "my canned" / f"{WEATHER}.json").read_text("utf-8"))
        call = saved["response"]["tool_calls"][0]
        assert call["id"] == "call_c62fad60"
        assert call["function"] == {
            "name": "get_weather",
            "arguments": '{"city": "London", "unit": "c"}',
        }
        terminal.wait_for("Misses [1/6]")
        for key, skipped in (("^p", "38a6ff7876bb"), (":", "671caf06cd1f")):
            terminal.press(key)
            terminal.wait_for("Show only what matches")
            terminal.type("skip")
            terminal.wait_for(lambda text: "unskip" in text and "Show only" not in text)
            terminal.press("enter")
            terminal.wait_for(f"Skipped {skipped}.")


def test_alone_it_starts_a_server_that_answers_with_what_is_saved(tmp_path: Path) -> None:
    """Also where something else has the usual port, which is said."""
    # An address of this process alone: other suites on this machine have the usual port, too.
    number = os.getpid()
    host = f"127.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    with (
        socket.create_server((host, DEFAULT_PORT)),
        Terminal(
            FORKED, columns=120, rows=36, folder=tmp_path, environment={"WORKBENCH_HOST": host}
        ) as terminal,
    ):
        terminal.wait_for(f"Port {DEFAULT_PORT} is in use; using ")
        screen = terminal.wait_for("OPENAI_BASE_URL=http://")
        url = screen.split("OPENAI_BASE_URL=")[1].split("/v1")[0]
        assert not url.endswith(f":{DEFAULT_PORT}"), screen
        payload = {"model": "m", "messages": [{"role": "user", "content": "hello there"}]}
        fallback = ask(url, payload)
        assert "enough information" in json.dumps(fallback)
        terminal.wait_for("hello there")
        terminal.wait_for("Misses [1/1]")
        terminal.press("enter")
        terminal.type("General Kenobi")
        terminal.wait_for("General Kenobi")
        terminal.press("^s")
        terminal.wait_for("Saved")
        assert "General Kenobi" in json.dumps(ask(url, payload))
        terminal.press("q")
        assert terminal.wait_for_end() == 0
        wait_until(lambda: not listens(url))


def listens(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/healthz", timeout=1):
            return True
    except (URLError, ConnectionError, TimeoutError):
        return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_nothing_of_it_runs_on_however_it_ends(tmp_path: Path, number: signal.Signals) -> None:
    with Terminal(FORKED, columns=120, rows=36, folder=tmp_path) as terminal:
        screen = terminal.wait_for("OPENAI_BASE_URL=http://127.0.0.1:")
        url = screen.split("OPENAI_BASE_URL=")[1].split("/v1")[0]
        wait_until(lambda: listens(url))
        terminal.kill(number)
        terminal.wait_for_end()
        wait_until(lambda: not listens(url))


def test_the_server_starts_after_the_first_paint(tmp_path: Path) -> None:
    """So a server that cannot start is said there, and everything else goes on."""
    (tmp_path / "pyproject.toml").write_text("[tool.workbench]\nport = 0\n")
    (tmp_path / ".workbench" / "server.log").mkdir(parents=True)
    with Terminal(FORKED, folder=tmp_path) as terminal:
        terminal.wait_for("The server cannot start: .workbench/server.log: is a directory.")
        terminal.press("q")
        assert terminal.wait_for_end() == 0


def test_without_a_terminal_it_says_what_to_use_instead(tmp_path: Path) -> None:
    import subprocess

    done = subprocess.run(
        [*WORKBENCH, "--log", "suite.log"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "workbench misses --log suite.log" in done.stderr
    assert "Traceback" not in done.stderr


def test_where_what_it_draws_is_not_seen_it_says_so(tmp_path: Path) -> None:
    """It draws on standard error: with that in a file the terminal would stay black."""
    command = ["sh", "-c", f"{shlex.join([*WORKBENCH, '--log', 'suite.log'])} 2>said; echo END $?"]
    with Terminal(command, folder=tmp_path) as terminal:
        terminal.wait_for("END 2")
    assert "workbench misses --log suite.log" in (tmp_path / "said").read_text()


def test_a_key_typed_before_anything_is_drawn_acts(folder: Path) -> None:
    with Terminal([*FORKED, "--log", "suite.log"], folder=folder) as terminal:
        terminal.type("q")
        assert terminal.wait_for_end() == 0
