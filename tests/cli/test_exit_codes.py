"""The exit codes of commands that are run: all that the table in ``cli/exit_codes.py`` has, and no
others.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.forked import FORKED, run_forked
from tests.server.running import RunningServer
from tests.server.upstream_model import KEY, running_model
from tests.session.support import chat, missed, tool
from tests.terminal import WORKBENCH, Terminal
from workbench.cli.exit_codes import EXIT_CODES, OTHER
from workbench.cli.main import COMMANDS
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import served_line
from workbench.testing import Checkpointer, Run

MISSING = chat("weather in London?", tools=[tool()])
TODAY, YESTERDAY = (chat(f"News of 2026-11-{day}, please.") for day in (20, 19))
SECRET = chat(f"My key is {KEY}.")
BARE = chat("its fixture holds no request")
MISSED, OLD = digest(MISSING), digest(YESTERDAY)
ANSWER = {"content": "x", "finish_reason": "stop"}
CAPTURE = json.dumps({"choices": [{"index": 0, "message": {"content": "x"}}]})


@pytest.fixture
def folder(project: Project) -> Path:
    """A project with a miss, a fixture of another day, one without its request, and a broken one
    in a folder of its own.
    """
    project.fixtures.mkdir()
    project.write_log(missed(MISSING, TODAY, BARE))
    text = new_document(OLD, ANSWER, request=YESTERDAY).text
    (project.fixtures / f"{OLD}.json").write_text(text)
    (project.fixtures / f"{digest(BARE)}.json").write_text(new_document(digest(BARE), ANSWER).text)
    (project.folder / "broken").mkdir()
    (project.folder / "broken" / f"{MISSED}.json").write_text("{broken")
    (project.folder / "request.json").write_text(json.dumps(MISSING))
    (project.folder / "fine.har").write_text(har(200))
    (project.folder / "redirected.har").write_text(har(302))
    (project.folder / "secret.log").write_text(missed(SECRET))
    (project.folder / "used.log").write_text(served_line(OLD))
    (project.folder / "no.log").write_text("Everything is fine.\n")
    nested = project.folder / "nested" / "chat"
    nested.mkdir(parents=True)
    (nested / f"{MISSED}.json").write_text("{}")
    return project.folder


def har(status: int) -> str:
    request = {"method": "POST", "url": "https://api/v1/chat/completions"}
    posted = {**request, "postData": {"text": json.dumps(MISSING)}}
    content = {"mimeType": "application/json", "text": CAPTURE}
    entry = {"request": posted, "response": {"status": status, "content": content}}
    return json.dumps({"log": {"entries": [entry]}})


CASES: list[tuple[list[str], int]] = [
    (["misses", "suite.log"], 0),
    (["misses", "suite.log", "--fail"], 1),
    (["misses", "none.log"], 2),
    (["misses", "no.log"], 0),
    (["misses", "no.log", "--fail"], 2),
    (["mcp", "--log", "-"], 2),
    (["doctor", "--fixtures", "none"], 0),
    (["doctor", "--fixtures", "broken"], 1),
    (["doctor", "x"], 2),
    (["help", "misses"], 0),
    (["help", "x"], 2),
    (["completion", "bash"], 0),
    (["drift"], 2),
    (["skill"], 0),
    (["skill", "x"], 2),
    (["completion", "x"], 2),
    (["manual"], 0),
    (["manual", "none"], 2),
    (["explain", "suite.log", MISSED], 0),
    (["explain", "suite.log", "abc"], 2),
    (["promote", "suite.log", MISSED, "--content", "x"], 0),
    (["promote", "suite.log", MISSED, "--tool-call", "get_weather", "{}"], 1),
    (["promote", "suite.log", MISSED], 2),
    (["promote", "suite.log", digest(BARE), "--content", "x"], 2),
    (["promote", "suite.log", digest(BARE), "--content", "x", "--force"], 0),
    (["rekey", OLD, "suite.log", digest(TODAY)], 0),
    (["rekey", "--all", "suite.log"], 0),
    (["rekey", "--all", "suite.log", "--fixtures", "none"], 0),
    (["rekey", OLD, "secret.log", digest(SECRET)], 1),
    (["rekey", "abc", "suite.log", MISSED], 2),
    (["rekey", "--like", "abc", "suite.log"], 2),
    (["adopt", "suite.log"], 0),
    (["adopt", "suite.log", "--fixtures", "broken"], 1),
    (["adopt", "none.log"], 2),
    (["ignore", "suite.log", MISSED, "--reason", "wanted"], 0),
    (["ignore", "suite.log", MISSED, "--reason", " "], 2),
    (["list", "weather"], 0),
    (["list", "--fixtures", "suite.log"], 2),
    (["show", OLD[:4]], 0),
    (["show", MISSED[:4], "--fixtures", "broken"], 1),
    (["show", MISSED[:4]], 2),
    (["prune", "--log", "used.log", "--dry-run"], 0),
    (["prune", "--log", "used.log", "--yes"], 1),
    (["prune", "--log", "suite.log"], 2),
    (["validate"], 0),
    (["validate", "broken"], 1),
    (["validate", "none"], 2),
    (["validate", "nested"], 2),
    (["hash", "request.json"], 0),
    (["hash", "suite.log"], 2),
    (["preview", OLD[:8]], 0),
    (["preview", f"broken/{MISSED}.json"], 1),
    (["preview", "none.json"], 2),
    (["schema"], 0),
    (["schema", "--format"], 2),
    (["import", "fine.har"], 0),
    (["import", "redirected.har"], 1),
    (["import", "suite.log"], 2),
    (["import", "fine.har", "--log", "none.log"], 2),
    (["replay", "none.json", "--step", "os:getcwd"], 2),
    (["serve", "--port", "x"], 2),
    (["serve", "--host", "nowhere.invalid"], 2),
    (["run"], 2),
    (["wait", "http://127.0.0.1:1", "--timeout", "0"], 1),
    (["wait", "nowhere"], 2),
    (["--nonsense"], 2),
    ([], 2),
]


# What takes the process, a terminal or a server.


def ended(process: subprocess.Popen[bytes] | Terminal, number: int) -> int:
    if isinstance(process, Terminal):
        process.kill(number)
        return process.wait_for_end()
    process.send_signal(number)
    return process.wait(60)


def application_that_quits(folder: Path) -> int:
    with Terminal([*FORKED, "--log", "suite.log"], folder=folder) as terminal:
        terminal.wait_for("Misses [1/2]")
        terminal.press("q")
        return terminal.wait_for_end()


def application_that_fails(folder: Path) -> int:
    with Terminal([*WORKBENCH, "--log", "suite.log"], folder=folder) as terminal:
        terminal.wait_for("Misses [1/2]")
        terminal.type(b"\xff")
        return terminal.wait_for_end()


def running(*words: str) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        environment = {**os.environ, "WORKBENCH_PORT": "0"}
        return run_forked("run", "--", *words, folder=folder, environment=environment).returncode

    return run


def run_that_is_ended(folder: Path) -> int:
    words = [*FORKED, "run", "sleep", "60"]
    with Terminal(words, folder=folder, environment={"WORKBENCH_PORT": "0"}) as terminal:
        terminal.wait_for("● running")
        return ended(terminal, signal.SIGTERM)


def run_without_terminal_that_is_ended(number: int) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        words = [*WORKBENCH, "run", "--no-tui", "--", "sh", "-c", "echo ready; exec sleep 60"]
        environment = {**os.environ, "WORKBENCH_PORT": "0"}
        with subprocess.Popen(
            words, cwd=folder, env=environment, stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            return ended(process, number)

    return run


def server_that_is_ended(folder: Path) -> int:
    words = [*WORKBENCH, "serve", "--port", "0"]
    codes = set()
    for number in (signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE) as process:
            assert process.stderr is not None
            assert b"listening on" in process.stderr.readline()
            codes.add(ended(process, number))
    [code] = codes
    return code


def wait_for_a_server(folder: Path) -> int:
    with RunningServer(folder) as server:
        return run_forked("wait", server.url, folder=folder).returncode


def drifting(model: str, url: str = "") -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        payload = chat(model)
        text = new_document(digest(payload), ANSWER, request=payload).text
        (folder / "fixtures" / f"{digest(payload)}.json").write_text(text)
        with running_model() as upstream:
            words = ["drift", digest(payload), "--upstream", url or upstream.url]
            return run_forked(*words, folder=folder).returncode

    return run


def replaying(step: str) -> Callable[[Path], int]:
    def run(folder: Path) -> int:
        (folder / "steps.py").write_text(
            "def step(state):\n"
            "    return {**state, 'total': 1, 'complete': True}\n"
            "def fails(state):\n"
            "    raise ZeroDivisionError\n"
        )
        checkpoints = Checkpointer(folder / "checkpoints", "sums", enabled=True)
        with Run.record("sums", folder=folder / ".workbench" / "runs"):
            first = checkpoints.save({"total": 0, "complete": False}, 0)
            checkpoints.save({"total": 1, "complete": True}, 1)
        assert first is not None
        words = ["replay", str(first), "--step", f"steps:{step}"]
        return run_forked(*words, folder=folder).returncode

    return run


def agent_that_leaves(folder: Path) -> int:
    return run_forked("mcp", "--log", "suite.log", folder=folder).returncode


# Asks for the models, which takes no fixture, or with an argument for an answer.
ASK = f"""
import contextlib, json, os, sys, urllib.request
url, body = os.environ["OPENAI_BASE_URL"] + "/models", None
if len(sys.argv) > 1:
    url, body = url.replace("models", "chat/completions"), json.dumps({MISSING!r}).encode()
headers = {{"content-type": "application/json"}}
with contextlib.suppress(OSError):
    urllib.request.urlopen(urllib.request.Request(url, body, headers))
"""
PROCESSES: list[tuple[str, Callable[[Path], int], int, int | str]] = [
    ("", application_that_quits, 0, 0),
    ("", application_that_fails, 1, 1),
    ("run", running(sys.executable, "-c", ASK), 0, 0),
    ("run", running(sys.executable, "-c", ASK, "answer"), 1, 1),
    ("run", running("./request.json"), 126, 126),
    ("run", running("nosuch-command"), 127, 127),
    ("run", run_that_is_ended, 130, 130),
    ("run", run_without_terminal_that_is_ended(signal.SIGHUP), 129, 129),
    ("run", run_without_terminal_that_is_ended(signal.SIGTERM), 143, 143),
    ("run", running("sh", "-c", "exit 5"), 5, OTHER),
    ("serve", server_that_is_ended, 0, 0),
    ("wait", wait_for_a_server, 0, 0),
    ("drift", drifting("hello"), 0, 0),
    ("drift", drifting("fail"), 1, 1),
    ("drift", drifting("hello", "http://127.0.0.1:9/v1"), 1, 1),
    ("replay", replaying("step"), 0, 0),
    ("replay", replaying("fails"), 1, 1),
    ("mcp", agent_that_leaves, 0, 0),
]


def test_every_code_of_the_table_is_here_and_no_other() -> None:
    tried: set[tuple[str, int | str]] = {
        (arguments[0] if arguments and arguments[0] in COMMANDS else "", code)
        for arguments, code in CASES
    }
    tried |= {(command, code) for command, _, _, code in PROCESSES}
    assert tried == {(command, code) for command, codes in EXIT_CODES.items() for code in codes}


@pytest.mark.parametrize(
    ("command", "run", "code", "named"),
    PROCESSES,
    ids=[f"{command or 'workbench'} {code}" for command, _, code, _ in PROCESSES],
)
def test_the_exit_code_of_a_process(
    folder: Path, command: str, run: Callable[[Path], int], code: int, named: int | str
) -> None:
    assert run(folder) == code
    assert named in EXIT_CODES[command]


@pytest.mark.parametrize(("arguments", "code"), CASES, ids=lambda case: str(case)[:60])
@pytest.mark.usefixtures("folder")
def test_the_exit_code(project: Project, arguments: list[str], code: int) -> None:
    ran = project.run(*arguments)
    assert ran.code == code
    if code == 2:
        assert ran.out == ""
        command = (
            f"workbench {arguments[0]}" if arguments and arguments[0] in COMMANDS else "workbench"
        )
        assert any(line.startswith(f"{command}: ") for line in ran.err.splitlines())
        assert "Traceback" not in ran.err
