"""``workbench run`` without a terminal: a real command against a real server."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.core.fixture.rules.rule_cases import KEY
from tests.forked import run_forked
from tests.processes import has_ended
from tests.server.running import wait_until
from tests.server.upstream_model import running_model
from tests.terminal import WORKBENCH
from workbench.core.digest import digest
from workbench.core.log.events import SuiteEnded, SuiteStarted
from workbench.core.log.reader import LogParser
from workbench.io.processes.client_environment import client_environment

HELLO = {"model": "gpt-4o", "messages": [{"role": "user", "content": "hello"}]}
LOUD = {"model": "::error::gpt", "messages": [{"role": "user", "content": "##[error]loud"}]}
# Asks as a client would; prints the status of each reply.
ASK = f"""
import json, os, sys, urllib.error, urllib.request
chat = "/v1/chat/completions"
requests = [(chat, {HELLO!r}), ("/v1/audio/speech", {{}}), (chat, {LOUD!r})]
for path, body in requests[: int(sys.argv[1])]:
    url, headers = os.environ["WORKBENCH_URL"] + path, {{"content-type": "application/json"}}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        print(urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as error:
        print(error.code)
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def _project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "fixtures").mkdir()


class Ended(NamedTuple):
    returncode: int
    stdout: str
    stderr: str


def run(tmp_path: Path, *words: str, github: bool = False) -> Ended:
    more = {"GITHUB_ACTIONS": "true" if github else "", "WORKBENCH_PORT": "0"}
    done = run_forked("run", *words, folder=tmp_path, environment={**os.environ, **more})
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def asking_for(bodies: Sequence[Mapping[str, Any]]) -> str:
    """A program that sends these requests, and else does what ``ASK`` does."""
    return ASK.replace("in requests[:", f"in [(chat, body) for body in {bodies!r}][:")


def asking(requests: int, code: int = 0) -> list[str]:
    return ["--", sys.executable, "-c", ASK, str(requests), str(code)]


def test_what_had_no_fixture_is_listed_and_fails_the_run(tmp_path: Path) -> None:
    ended = run(tmp_path, *asking(2))
    assert (ended.returncode, ended.stdout) == (1, "404\n400\n")
    lines = ended.stderr.splitlines()
    assert lines[0].split()[:3] == ["missing", "1", digest(HELLO)]
    assert lines[1].startswith(
        "unsupported 1  POST /v1/audio/speech: this server does not support audio"
    )
    assert lines[-1] == "workbench run: note: open them: workbench"
    # The next run has a log of its own; the code of the command comes before ours.
    ended = run(tmp_path, "--no-tui", *asking(1, 7))
    assert (ended.returncode, ended.stdout) == (7, "404\n")
    assert "missing     1  " in ended.stderr
    assert "unsupported" not in ended.stderr


def test_misses_that_are_allowed_are_annotated_on_github(tmp_path: Path) -> None:
    ended = run(tmp_path, "--allow-misses", *asking(3), github=True)
    assert ended.returncode == 0
    miss, other, loud = ended.stdout.splitlines()[3:]
    assert miss.startswith(f"::warning title=No fixture::{digest(HELLO)}  gpt-4o")
    assert miss.endswith("hello%0Aopen it: workbench")
    assert other.startswith("::warning title=Unsupported request::POST /v1/audio/speech")
    # What a request holds is no command to the workflow.
    assert r"\u0023#[error]loud" in loud
    assert r"\u0023#[error]loud" in ended.stderr
    assert "##[" not in ended.stdout + ended.stderr


def test_the_log_of_the_newest_of_two_runs_at_a_time_is_found(tmp_path: Path) -> None:
    """Each has a log of its own, whatever the other does."""
    inner = [*WORKBENCH, "run", "--no-tui", "--allow-misses", *asking(3)]
    script = f"{shlex.join(inner)}; {shlex.join(asking(1)[1:])}"
    ended = run(tmp_path, "--allow-misses", "--", "sh", "-c", script)
    assert ended.stderr.count("missing") >= 2
    outer = [
        line
        for line in ended.stderr.splitlines()
        if line.startswith("workbench run: note: open them")
    ][-1]
    assert re.search(r"--log \.workbench/run-\d+\.log", outer)
    rows = json.loads(
        subprocess.run(
            [*WORKBENCH, "misses", "--format", "json"],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        ).stdout
    )
    assert len(rows) == 3  # of the inner run, which began last


def test_the_nearest_fixture_is_named(tmp_path: Path) -> None:
    other = {**HELLO, "messages": [{"role": "user", "content": "hello there"}]}
    fixture = {"request": other, "response": {"content": "hi"}}
    (tmp_path / "fixtures" / f"{digest(other)}.json").write_text(json.dumps(fixture))
    ended = run(tmp_path, *asking(1), github=True)
    said = f"The nearest fixture is {digest(other)[:12]} ("
    assert ended.stderr.splitlines()[1].strip().startswith(said)
    assert "user: hello there -> hello." in ended.stderr
    assert f"%0A{said}" in ended.stdout


def test_why_a_fixture_cannot_be_sent_is_said_in_place_of_the_nearest(tmp_path: Path) -> None:
    other = {**HELLO, "messages": [{"role": "user", "content": "hello there"}]}
    fixture = {"request": other, "response": {"content": "hi"}}
    (tmp_path / "fixtures" / f"{digest(other)}.json").write_text(json.dumps(fixture))
    path = Path("fixtures", f"{digest(HELLO)}.json")
    (tmp_path / path).write_text("<<<<<<< HEAD\n")
    ended = run(tmp_path, *asking(1))
    state, why = ended.stderr.splitlines()[:2]
    assert state.startswith("broken ")
    said = "the file has the markers of an unresolved merge conflict"
    assert why.strip() == f"{path}:1:1: {said}."


def test_a_call_of_a_tool_that_was_renamed_is_said(tmp_path: Path) -> None:
    """The digest does not count tools: the old fixture answers, with a call that nobody knows."""
    tools = [{"type": "function", "function": {"name": "find_order"}}]
    call = {"id": "a", "type": "function", "function": {"name": "lookup_order", "arguments": "{}"}}
    fixture = {"response": {"content": "", "tool_calls": [call]}}
    (tmp_path / "fixtures" / f"{digest(HELLO)}.json").write_text(json.dumps(fixture))
    twice = ASK.replace(repr(LOUD), repr({**HELLO, "tools": tools}))
    ended = run(tmp_path, "--", sys.executable, "-c", twice, "3", "3")
    said = f"the fixture of {digest(HELLO)} calls lookup_order, which the request does not offer"
    # Once, for the request that offers others; the first one offers nothing.
    log = (tmp_path / ".workbench" / "run.log").read_text()
    assert log.count(said) == 1
    assert ended.stderr.splitlines()[:2] == [
        f"workbench run: warning: {said}",
        "workbench run: note: if you renamed tools: workbench manual maintenance",
    ]


def test_fixtures_that_call_the_same_renamed_tool_are_named_together(tmp_path: Path) -> None:
    """A renamed tool is in hundreds of them."""
    tools = [{"type": "function", "function": {"name": "find_order"}}]
    call = {"id": "a", "type": "function", "function": {"name": "lookup_order", "arguments": "{}"}}
    questions = [[{"role": "user", "content": str(number)}] for number in range(14)]
    requests = [{**HELLO, "messages": messages, "tools": tools} for messages in questions]
    for request in requests:
        path = tmp_path / "fixtures" / f"{digest(request)}.json"
        path.write_text(json.dumps({"response": {"content": "", "tool_calls": [call]}}))
    asks = asking_for(requests)
    ended = run(tmp_path, "--", sys.executable, "-c", asks, "14", "0")
    named = ", ".join(digest(request)[:12] for request in requests[:12])
    assert ended.stderr.splitlines()[0] == (
        "workbench run: warning: 14 fixtures call lookup_order, which their requests do not offer: "
        f"{named}, 2 more"
    )


def test_requests_that_were_changed_by_the_same_words_are_named_together(tmp_path: Path) -> None:
    """The wording of a prompt, and the command that moves the fixtures."""

    def body(number: int, prompt: str) -> dict[str, Any]:
        system = {"role": "system", "content": prompt}
        return {**HELLO, "messages": [system, {"role": "user", "content": f"question {number}"}]}

    for number in range(3):
        old = body(number, "You are an assistant. Be brief.")
        fixture = {"request": old, "response": {"content": "hi"}}
        (tmp_path / "fixtures" / f"{digest(old)}.json").write_text(json.dumps(fixture))
    bodies = [body(number, "You are an assistant. Be polite.") for number in range(3)]
    ended = run(tmp_path, "--", sys.executable, "-c", asking_for([*bodies, HELLO]), "4", "0")
    assert (
        "workbench run: note: 3 of them differ from their nearest fixtures by the same words; "
        f"move these fixtures: workbench rekey --like {digest(bodies[0])[:12]}"
    ) in ended.stderr.splitlines()
    # The command would leave each out.
    secrets = [body(number, f"You are an assistant. Be {KEY}.") for number in range(3)]
    ended = run(tmp_path, "--", sys.executable, "-c", asking_for(secrets), "3", "0")
    assert "3 requests without a fixture" in ended.stderr
    assert "workbench rekey" not in ended.stderr


def test_a_run_that_asks_for_nothing_unknown_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "fixtures" / f"{digest(HELLO)}.json"
    path.write_text('{"response": {"content": "hi"}}')
    ended = run(tmp_path, *asking(1))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "200\n", "")


def test_the_log_says_that_the_suite_ended_and_how(tmp_path: Path) -> None:
    run(tmp_path, "--", "sh", "-c", "exit 3")
    events = LogParser().feed((tmp_path / ".workbench" / "run.log").read_bytes())
    assert isinstance(events[0], SuiteStarted)
    assert events[-1] == SuiteEnded(3)


def test_a_suite_records_what_is_missing(tmp_path: Path) -> None:
    with running_model() as upstream:
        recording = ["--record", "--upstream", upstream.url]
        ended = run(tmp_path, *recording, *asking(1))
    said = "workbench run: note: recorded 1 reply in fixtures\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "200\n", said)
    assert (tmp_path / "fixtures" / f"{digest(HELLO)}.json").exists()
    # The next one needs no upstream.
    ended = run(tmp_path, *asking(1))
    assert (ended.returncode, ended.stdout) == (0, "200\n")
    for words, said in (
        (["--record"], "--record needs --upstream URL"),
        (recording[1:], "--upstream URL needs --record"),
        (["--record", "--upstream", "x"], "--upstream: 'x' is not a URL such as"),
    ):
        ended = run(tmp_path, *words, *asking(1))
        assert ended.returncode == 2
        assert said in ended.stderr


class Refusing(BaseHTTPRequestHandler):
    """An API that refuses every request."""

    status = 401

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.said())

    def said(self) -> bytes:
        return b"{}"

    def log_message(self, format: str, *args: object) -> None: ...


KEYS = ("WORKBENCH_UPSTREAM_KEY", "OPENAI_API_KEY")
# As ``ASK``, with the key that clients have.
ASK_WITH_KEY = ASK.replace(
    '{"content-type"',
    """{"authorization": "Bearer " + os.environ["OPENAI_API_KEY"], "content-type\"""",
)


@pytest.mark.parametrize("key", [None, *KEYS])
def test_what_the_upstream_refused_is_said(
    tmp_path: Path, key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)
    if key is not None:
        monkeypatch.setenv(key, "sk-of-somebody")
    with HTTPServer(("127.0.0.1", 0), Refusing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        words = [sys.executable, "-c", ASK_WITH_KEY, "3", "0"]
        ended = run(tmp_path, "--record", "--upstream", url, "--", *words)
        server.shutdown()
    # What was refused has no fixture after all.
    assert (ended.returncode, ended.stdout) == (1, "401\n400\n401\n")
    first, second, *_ = ended.stderr.splitlines()
    assert first == "workbench run: note: recorded no replies"
    hint = "" if key else ", and no key was sent to it; set WORKBENCH_UPSTREAM_KEY"
    assert second == f"  2 requests not recorded: the upstream answered with 401{hint}"
    assert "sk-of" not in ended.stderr


class Numbering(Refusing):
    """An API that gives another reason each time."""

    status = 400
    reasons = 0

    def said(self) -> bytes:
        Numbering.reasons += 1
        return json.dumps({"error": {"message": f"reason {Numbering.reasons}"}}).encode()


def test_what_the_upstream_says_is_said_of_the_first_few(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", "sk-of-somebody")
    bodies = [{**HELLO, "messages": [{"role": "user", "content": str(n)}]} for n in range(7)]
    asks = asking_for(bodies)
    with HTTPServer(("127.0.0.1", 0), Numbering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/v1"
        words = ["--record", "--upstream", url, "--", sys.executable, "-c", asks, "7", "0"]
        ended = run(tmp_path, *words)
        server.shutdown()
    one = "  1 request not recorded: the upstream answered with 400: reason"
    told = [*(f"{one} {n}" for n in range(1, 6)), "  2 requests for other reasons, in the log"]
    assert ended.stderr.splitlines()[1:7] == told


def test_an_upstream_that_cannot_be_reached_is_said(tmp_path: Path) -> None:
    words = ["--record", "--upstream", "http://127.0.0.1:1/v1"]
    ended = run(tmp_path, *words, *asking(1))
    assert (ended.returncode, ended.stdout) == (1, "502\n")
    said = "  1 request not recorded: 127.0.0.1:1: connection refused"
    assert ended.stderr.splitlines()[1] == said


def test_options_that_replies_do_not_honour_are_named(tmp_path: Path) -> None:
    (tmp_path / "fixtures" / f"{digest(HELLO)}.json").write_text('{"response": {"content": "hi"}}')
    more = {"stream": True, "stream_options": {"include_usage": True}, "logprobs": True}
    ask = ASK.replace(repr(HELLO), repr(HELLO | more))
    words = ["--", sys.executable, "-c", ask, "1", "0"]
    logprobs = "workbench run: note: the server ignored logprobs: replies have none"
    assert run(tmp_path, "--profile", "stub", *words).stderr.splitlines() == [
        "workbench run: note: the server ignored include_usage; --profile openai honours it",
        logprobs,
    ]
    assert run(tmp_path, "--profile", "openai", *words).stderr == f"{logprobs}\n"


@pytest.mark.parametrize(("command", "code"), [("true", 0), ("false", 1)])
def test_a_suite_that_does_not_find_the_server_is_told_how_it_would(
    tmp_path: Path, command: str, code: int
) -> None:
    ended = run(tmp_path, command)
    assert ended.returncode == code
    assert ended.stderr.startswith("workbench run: warning: the suite sent no requests\n")
    assert "OPENAI_BASE_URL" in ended.stderr
    assert "workbench run --intercept" in ended.stderr


def test_a_suite_that_asked_is_not_told_how(tmp_path: Path) -> None:
    assert "no request came" not in run(tmp_path, *asking(1, 3)).stderr


def test_a_request_over_http_1_0_is_a_request(tmp_path: Path) -> None:
    ask = """
import os, socket, urllib.parse
place = urllib.parse.urlsplit(os.environ["WORKBENCH_URL"])
with socket.create_connection((place.hostname, place.port)) as connection:
    connection.sendall(b"GET /v1/models HTTP/1.0\\r\\n\\r\\n")
    print(connection.recv(12).decode())
"""
    ended = run(tmp_path, "--", sys.executable, "-c", ask)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.endswith(" 200\n")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["nosuch-command"], 127),
        (["--", "./pyproject.toml"], 126),
        (["--", "sh", "-c", "kill -TERM $$"], 143),
        (["--watch", "true"], 2),
        ([], 2),
        (["--"], 2),
        (["--", ""], 2),
        ([" ", "x"], 2),
    ],
)
def test_how_a_command_can_end(tmp_path: Path, words: list[str], code: int) -> None:
    assert run(tmp_path, *words).returncode == code


@pytest.mark.parametrize("command", ["nosuch-command", "./pyproject.toml"])
def test_a_command_that_cannot_be_started_leaves_the_misses(tmp_path: Path, command: str) -> None:
    assert run(tmp_path, "--", "true").returncode == 0
    log = tmp_path / ".workbench" / "run.log"
    before = log.read_bytes()
    assert run(tmp_path, "--", command).returncode in (126, 127)
    assert log.read_bytes() == before


# workbench, which kills what goes on after tenths of a second instead of five seconds.
HURRIED = """
import sys
from workbench.io.processes import suite_command
suite_command.STOP_SECONDS = 0.3
from workbench.__main__ import main
sys.exit(main())
"""


def ended_by(tmp_path: Path, script: str, number: int, program: Sequence[str] = WORKBENCH) -> int:
    """Run a shell script that writes the file ``ready``, and send a signal to ``workbench run``;
    returns its exit code. The script writes the id of what it starts to ``child``.
    """
    command = [*program, "run", "--", "bash", "-c", script]
    with subprocess.Popen(command, cwd=tmp_path) as process:
        while not (tmp_path / "ready").exists():
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(number)
        code = process.wait(60)
    assert has_ended(int((tmp_path / "child").read_text()))
    return code


def test_a_signal_reaches_the_whole_group_and_nothing_is_left(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > child; trap 'exit 9' INT; echo > ready; wait"
    assert ended_by(tmp_path, script, signal.SIGINT) == 9


def test_what_ignores_the_end_is_killed(tmp_path: Path) -> None:
    script = "trap '' TERM; echo $$ > child; echo > ready; while :; do sleep 1; done"
    hurried = (sys.executable, "-c", HURRIED)
    assert ended_by(tmp_path, script, signal.SIGTERM, hurried) == 128 + signal.SIGKILL


def test_a_run_that_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    script = "sleep 60 & echo $! > group; setsid sleep 60 & echo $! > session; "
    script += "echo $$ > child; echo > ready; wait"
    with subprocess.Popen([*WORKBENCH, "run", "--", "bash", "-c", script], cwd=tmp_path) as process:
        wait_until("ready", (tmp_path / "ready").exists)
        process.kill()
    pids = [int((tmp_path / name).read_text()) for name in ("child", "group", "session")]
    wait_until("all ended", lambda: all(map(has_ended, pids)))


def test_what_leaves_the_group_or_the_session_of_the_command_is_ended_too(tmp_path: Path) -> None:
    script = "setsid sleep 60 & echo $! > session; set -m; sleep 60 & echo $! > group"
    assert run(tmp_path, "--", "bash", "-c", script).returncode == 0
    for name in ("group", "session"):
        assert has_ended(int((tmp_path / name).read_text())), name


def test_the_output_is_passed_on_byte_for_byte_and_the_input_is_there(tmp_path: Path) -> None:
    script = "import sys, os; os.write(1, bytes(range(256)) * 40_000 + sys.stdin.buffer.read())"
    ended = subprocess.run(
        [*WORKBENCH, "run", "--no-tui", "--", sys.executable, "-c", script],
        cwd=tmp_path,
        input=b"typed",
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert ended.stdout == bytes(range(256)) * 40_000 + b"typed"


def test_the_clients_of_all_apis_are_pointed_at_the_server() -> None:
    own = {
        "OPENAI_API_KEY": "own",
        "GROQ_BASE_URL": "https://api.groq.com",
        "NO_PROXY": "a",
        "PATH": "/bin",
        "ANTHROPIC_FOUNDRY_RESOURCE": "mine",
        "WORKBENCH_UPSTREAM_KEY": "of-the-upstream",
    }
    url = "http://127.0.0.1:1"
    environment = client_environment(url, own)
    assert (
        environment.items()
        >= {
            "PATH": "/bin",
            "WORKBENCH_URL": url,
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_BASE": f"{url}/v1",
            "ANTHROPIC_BASE_URL": url,
            "GOOGLE_GEMINI_BASE_URL": url,
            "GROQ_BASE_URL": url,
            "OPENROUTER_API_BASE": f"{url}/api/v1",
            "AZURE_OPENAI_ENDPOINT": url,
            "OPENAI_API_KEY": "own",
            "ANTHROPIC_API_KEY": "workbench",
            "GROQ_API_KEY": "workbench",
            "NO_PROXY": "a,127.0.0.1,localhost",
            "no_proxy": "a,127.0.0.1,localhost",
        }.items()
    )
    assert environment.keys().isdisjoint({"WORKBENCH_UPSTREAM_KEY", "ANTHROPIC_FOUNDRY_RESOURCE"})


def test_tox_passes_on_what_was_set_beside_what_the_project_has() -> None:
    own = "testenv.commands=pytest"
    override = client_environment("http://127.0.0.1:1", {"TOX_OVERRIDE": own})["TOX_OVERRIDE"]
    first, ini, toml = override.split(";")
    assert (first, ini.split("+=")[0], toml.split("+=")[0]) == (
        own,
        "testenv.pass_env",
        "env_run_base.pass_env",
    )
    names = set(ini.split("+=")[1].split(","))
    assert names >= {"WORKBENCH_URL", "no_proxy", "GROQ_BASE_URL", "GROQ_API_KEY"}


# Asks for a vector; prints how many numbers it has.
EMBED = """
import json, os, urllib.request
body = json.dumps({"model": "text-embedding-3-small", "input": "a"}).encode()
headers = {"content-type": "application/json"}
url = os.environ["OPENAI_BASE_URL"] + "/embeddings"
request = urllib.request.Request(url, body, headers)
print(len(json.load(urllib.request.urlopen(request))["data"][0]["embedding"]))
"""


@pytest.mark.parametrize(
    ("setting", "arguments", "dimensions"),
    [
        ("", [], 1536),
        ('profile = "stub"', [], 768),
        ('profile = "stub"', ["--profile", "openai"], 1536),
        ("", ["--profile", "stub"], 768),
    ],
)
def test_replies_are_written_as_by_the_api_unless_it_is_said_otherwise(
    tmp_path: Path, setting: str, arguments: list[str], dimensions: int
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.workbench]\n{setting}\n")
    done = run(tmp_path, *arguments, "--", sys.executable, "-c", EMBED)
    assert (done.returncode, done.stdout) == (0, f"{dimensions}\n")


def test_the_upstream_of_the_settings_is_recorded_from(tmp_path: Path) -> None:
    with running_model() as upstream:
        settings = f'[tool.workbench]\nupstream = "{upstream.url}"\n'
        (tmp_path / "pyproject.toml").write_text(settings)
        ended = run(tmp_path, "--record", *asking(1))
    assert (ended.returncode, ended.stdout) == (0, "200\n")
    assert (tmp_path / "fixtures" / f"{digest(HELLO)}.json").exists()
