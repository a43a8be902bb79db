"""What the commands print acts on no terminal, whatever a log, a file or an argument holds."""

from __future__ import annotations

import io
import itertools
import json
import re
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.running import Project
from tests.forked import FORKED
from tests.hostile import HOSTILE, IN_NAME, MISSES, OTHER_DAY, leaks, request, write_project
from tests.session.support import chat, missed
from tests.terminal import Terminal
from workbench.cli.logs import events
from workbench.cli.output import (
    OutputStyle,
    Painted,
    Progress,
    print_annotation,
    print_json,
    print_result,
    use_style,
)
from workbench.core.digest import digest

LOG = ["mock-llm.log", "--fixtures", "fixtures"]
FIRST, STALE = (digest(miss) for miss in MISSES[:2])
COMMANDS: list[Sequence[str]] = [
    ("misses", *LOG),
    ("misses", *LOG, "--format", "json"),
    ("explain", *LOG),
    ("explain", LOG[0], STALE, *LOG[1:], "--format", "json"),
    ("promote", LOG[0], FIRST, *LOG[1:], "--tool-call", HOSTILE, '{"' + HOSTILE + '": 1}'),
    ("promote", LOG[0], FIRST, *LOG[1:], "--content", HOSTILE, "--dry-run"),
    ("promote", LOG[0], FIRST, *LOG[1:], "--response", IN_NAME),
    ("rekey", "--all", *LOG, "--dry-run"),
    ("adopt", *LOG),
    ("ignore", LOG[0], FIRST, "--fixtures", IN_NAME, "--reason", HOSTILE),
    ("validate", "fixtures"),
    ("validate", "fixtures", "--fix"),
    ("validate", "fixtures", "--format", "github"),
    ("validate", "fixtures", "--format", "json"),
    ("validate", "--explain", HOSTILE),
    ("hash", "request.json", "--explain"),
    ("preview", digest(OTHER_DAY)),
    ("preview", digest(OTHER_DAY), "--stream", "--request", "request.json"),
    ("preview", "f" * 64),
    ("import", "traffic.har", "--dry-run"),
    ("replay", "checkpoint.json", "--step", HOSTILE),
    ("replay", "checkpoint.json", "--step", "failing:step"),
    (HOSTILE,),
    ("--log", IN_NAME, HOSTILE),
]


def write_more(folder: Path) -> None:
    """Files that are only named on the command line."""
    (folder / "request.json").write_text(json.dumps(request(), ensure_ascii=False), "utf-8")
    entry = {
        "request": {"method": "POST", "url": f"http://x/{HOSTILE}/v1/chat/completions"},
        "response": {"status": 200, "content": {"text": HOSTILE}},
    }
    (folder / "traffic.har").write_text(json.dumps({"log": {"entries": [entry]}}), "utf-8")
    (folder / "checkpoint.json").write_text(json.dumps({HOSTILE: 1}), "utf-8")
    (folder / "failing.py").write_text(f"raise ValueError({HOSTILE!r})", "utf-8")


def test_no_command_acts_on_the_terminal(tmp_path: Path) -> None:
    write_project(tmp_path)
    write_more(tmp_path)
    words = ", ".join(map(repr, COMMANDS))
    program = (
        f"from workbench.cli.main import main\nfor command in [{words}]:\n"
        "    try:\n        main(command)\n    except SystemExit:\n        pass\n"
        "    print('after', command[0].isascii() and command[0], flush=True)"
    )
    with Terminal([sys.executable, "-c", program], columns=200, folder=tmp_path) as terminal:
        assert terminal.wait_for_end(60) == 0
        terminal.close()  # when all it wrote was read
        raw = bytes(terminal.raw)
    assert leaks(raw) == []
    assert raw.count(b"after ") == len(COMMANDS)
    assert rb"\x1b]0;PWNED\x07\x1b[5i\x9b5i\u202e" in raw
    assert rb"\u001b]0;PWNED\u0007" in raw


def test_the_servers_log_acts_on_no_terminal(tmp_path: Path) -> None:
    body = json.dumps(request(), ensure_ascii=False).encode()
    head = f"POST /v1/chat/completions?{HOSTILE.replace(chr(13), '')} HTTP/1.1\r\nHost: 127.0.0.1"
    with Terminal([*FORKED, "serve", "--port", "0"], columns=200, folder=tmp_path) as terminal:
        started = terminal.wait_for("listening on http://127.0.0.1:")
        port = int(re.findall(r"127\.0\.0\.1:(\d+)", started)[0])
        ask(port, b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1", body)
        ask(port, head.encode(), body)
        terminal.wait_for("Invalid HTTP request")
        terminal.kill(signal.SIGTERM)
        terminal.wait_for_end()
        terminal.close()
        raw = bytes(terminal.raw)
    assert leaks(raw) == []
    dump = re.findall(rb"\[mock-llm\] request: ([^\r\n]+)", raw)[0]
    assert json.loads(dump) == request()


def ask(port: int, head: bytes, body: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port)) as connection:
        sizes = f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        connection.sendall(head + sizes.encode() + b"\r\nConnection: close\r\n\r\n" + body)
        while connection.recv(65536):
            pass


class Screen(io.StringIO):
    """Standard error that is a terminal."""

    def isatty(self) -> bool:
        return True


def progress_shown(on: io.StringIO, monkeypatch: pytest.MonkeyPatch, *seconds: float) -> list[str]:
    """What is written where a part of the work is done after each of these seconds."""
    clock = iter([0.0, *seconds])
    monkeypatch.setattr("sys.stderr", on)
    monkeypatch.setattr("workbench.cli.output.time", SimpleNamespace(monotonic=clock.__next__))
    with Progress("Checking", 2000) as progress:
        for done in range(1000, 1000 + len(seconds)):
            progress(done)
    return on.getvalue().split("\r\x1b[K")


def test_progress_is_shown_of_long_work_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = progress_shown(Screen(), monkeypatch, 0.4, 0.6, 0.65, 0.8)
    assert shown == ["", "Checking 1,001 of 2,000", "Checking 1,003 of 2,000", ""]
    assert progress_shown(Screen(), monkeypatch, 0.1, 0.2) == [""]
    assert progress_shown(io.StringIO(), monkeypatch, 0.4, 0.6) == [""]


def test_progress_is_shown_of_a_long_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / f"{IN_NAME}.log"
    log.write_bytes(b"".join(b"a line of an application\n" for _ in range(3 << 20 >> 4)))
    screen = Screen()
    monkeypatch.setattr("sys.stderr", screen)
    clock = itertools.count()
    monkeypatch.setattr("workbench.cli.output.time", SimpleNamespace(monotonic=clock.__next__))
    list(events(str(log)))
    first, *shown, last = screen.getvalue().split("\r\x1b[K")
    assert first == last == ""
    said = [line.rpartition("MB ")[2] for line in shown]
    assert said == ["1 of 4", "2 of 4", "3 of 4", "4 of 4", "4 of 4"]
    assert not leaks("".join(shown).encode())


def test_what_is_printed_in_a_workflow_commands_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    print_result("::error::##[error]")
    print_json(["##[error]"])
    out = capsys.readouterr().out
    assert json.loads(out[out.index("[\n") :]) == ["##[error]"]
    print_annotation("error", "50%\n::error::##[error]", file="a,b:##[error]")
    *lines, annotation = (out + capsys.readouterr().out).splitlines()
    assert not [line for line in lines if line.lstrip().startswith("::")]
    assert "##[" not in "".join([*lines, annotation])
    assert annotation == (r"::error file=a%2Cb%3A\u0023#[error]::50%25%0A::error::\u0023#[error]")


# How much is printed, and in which colours

RED, CYAN, END = "\x1b[1;31m", "\x1b[36m", "\x1b[0m"


@pytest.fixture
def missed_one(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with one miss, whose terminal shows no colours by itself."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    project.fixtures.mkdir()
    project.write_log(missed(chat("::hello")))
    return project


def test_quiet_leaves_out_notes_and_verbose_adds_some(missed_one: Project) -> None:
    plain = missed_one.run("misses", missed_one.log)
    assert plain.err == "workbench misses: note: 1 request without a fixture (sent once)\n"
    for option in ("-q", "--quiet"):
        quiet = missed_one.run("misses", option, missed_one.log)
        assert (quiet.code, quiet.out, quiet.err) == (0, plain.out, "")
    for option in ("-v", "--verbose"):
        verbose = missed_one.run("misses", missed_one.log, option)
        assert verbose.out == plain.out
        assert "workbench misses: note: fixtures folder fixtures\n" in verbose.err
    missed_one.settings('profile = "stub"')
    for command in ("list", "validate"):
        verbose = missed_one.run(command, "-v")
        assert f"workbench {command}: note: settings pyproject.toml\n" in verbose.err
        assert f"workbench {command}: note: fixtures folder fixtures\n" in verbose.err
    assert "cannot be used with" in missed_one.run("misses", "-q", "-v").err


def test_quiet_keeps_errors_and_warnings(missed_one: Project) -> None:
    missed_one.fixtures.rmdir()
    assert (
        "warning: the folder fixtures does not exist yet"
        in missed_one.run("misses", "-q", missed_one.log).err
    )
    assert missed_one.run("misses", "-q", "none.log").err == (
        "workbench misses: error: none.log: no such file or directory\n"
    )


@pytest.mark.parametrize(
    ("environment", "options", "is_coloured"),
    [
        ({}, [], False),
        ({}, ["--color", "always"], True),
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": ""}, [], False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--color", "never"], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
    ],
)
def test_lines_have_colours_where_these_are_asked_for(
    missed_one: Project,
    environment: dict[str, str],
    options: list[str],
    is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    ran = missed_one.run("misses", missed_one.log, *options)
    assert ran.out.startswith(f"{RED}missing  {END}   1  " if is_coloured else "missing     1  ")
    assert (f"{CYAN}note:{END} 1 request" in ran.err) is is_coloured
    assert "\x1b" not in missed_one.run("misses", missed_one.log, "--format", "json", *options).out


def test_a_terminal_shows_colours(missed_one: Project) -> None:
    with Terminal([*FORKED, "validate", "none"], folder=missed_one.folder) as terminal:
        terminal.wait_for_end()
        terminal.close()
        assert f"workbench validate: {RED}error:{END} ".encode() in bytes(terminal.raw)


def test_colours_hide_no_command_of_a_workflow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    use_style(OutputStyle(colour="always"))
    print_result(":", Painted(":error::x", "red"))
    print_result("fine ", Painted("red", "red"))
    use_style(OutputStyle())
    first, second = capsys.readouterr().out.splitlines()
    assert first == r"\u003a:error::x"
    assert second == f"fine {RED}red{END}"


def test_these_options_may_stand_before_the_command(missed_one: Project) -> None:
    for options in (["-q"], ["--color", "always", "--quiet"], ["--color=always"]):
        before = missed_one.run(*options, "misses", missed_one.log)
        assert before == missed_one.run("misses", *options, missed_one.log)
        assert before.code == 0
