"""Retries under ``workbench run``: each test, and each run, gets the errors of a fixture before its
answer.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.forked import FORKED, run_forked
from tests.server.running import wait_until
from tests.terminal import Terminal
from workbench.core.digest import digest

# The newest clients, as they are made: they try again twice.
CONFTEST = """
import anthropic, openai, pytest

@pytest.fixture(params=["openai", "anthropic"])
def ask(request):
    def ask(text):
        asked = {"model": "m", "messages": [{"role": "user", "content": text}]}
        if request.param == "openai":
            reply = openai.OpenAI().chat.completions.with_raw_response.create(**asked)
            return reply.parse().choices[0].message.content, reply.retries_taken
        messages = anthropic.Anthropic().messages.with_raw_response
        reply = messages.create(max_tokens=9, **asked)
        return reply.parse().content[0].text, reply.retries_taken
    return ask
"""
TESTS = """
def test_one_error(ask):
    assert ask("limited") == ("here", 1)

def test_two_errors(ask):
    assert ask("overloaded") == ("here", 2)
"""
# A suite that is no pytest: what it asks has no test.
SCRIPT = """
import json, os, urllib.error, urllib.request
body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "limited"}]}).encode()
url, headers = os.environ["OPENAI_BASE_URL"], {"content-type": "application/json"}
request = urllib.request.Request(url + "/chat/completions", body, headers)
statuses = []
for _ in range(3):
    try:
        statuses.append(urllib.request.urlopen(request).status)
    except urllib.error.HTTPError as error:
        statuses.append(error.code)
with open("statuses", "a") as file:
    print(*statuses, file=file)
"""
PLUGINS = ("-p", "no:cacheprovider", "-q")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_retries.py").write_text(TESTS)
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "fixtures").mkdir()
    for content, errors in (("limited", [429]), ("overloaded", [503, 503])):
        asked = {"model": "m", "messages": [{"role": "user", "content": content}]}
        fixture = {
            "first": [{"error": {"status": status, "retry_after": 0}} for status in errors],
            "response": {"content": "here"},
        }
        (tmp_path / "fixtures" / f"{digest(asked)}.json").write_text(json.dumps(fixture))
    return tmp_path


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_each_test_gets_the_errors_and_then_the_answer(
    project: Path, workers: tuple[str, ...]
) -> None:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    pytest_command = (sys.executable, "-m", "pytest", *PLUGINS, *workers)
    ended = run_forked(
        "run",
        "--",
        *pytest_command,
        folder=project,
        environment=environment | {"WORKBENCH_PORT": "0"},
    )
    assert b"4 passed" in ended.stdout, ended.stdout.decode()
    assert ended.returncode == 0


def test_another_run_gets_them_again(project: Path) -> None:
    statuses = project / "statuses"
    command = [*FORKED, "run", "--", sys.executable, "script.py"]
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0"}
    with Terminal(command, columns=120, folder=project, environment=environment) as terminal:
        terminal.wait_for("5 Suite passed")
        terminal.press("5", "r")
        wait_until("two runs", lambda: statuses.read_text().count("\n") == 2)
        terminal.wait_for("passed in")
        terminal.press("q")
        terminal.wait_for_end()
    assert statuses.read_text() == "429 200 200\n" * 2
