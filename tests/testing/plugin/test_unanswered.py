"""The lines about requests that nothing answered."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.fixture.rules.rule_cases import KEY
from tests.forked import run_forked
from tests.server.running import clean_environment
from tests.session.support import chat, missed
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.testing.plugin.unanswered import RequestLog, Unanswered, lines


def test_commands_survive_any_path(tmp_path: Path) -> None:
    folder = tmp_path / "it's $(id)\n;"
    folder.mkdir()
    log = folder / "run.log"
    log.touch()
    digest = "ab" * 32
    missed = Unanswered(digest, "No.", RequestLog(log, folder / "fixtures"), is_broken=True)
    shown = list(lines({digest: missed}, tmp_path))
    assert shown[:2] == ["abababababab  (outside of tests)", "    No."]
    command = shown[2].strip()
    assert command.isprintable()
    printed = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {command}"], capture_output=True, check=True, text=True
    )
    name = folder.name
    assert printed.stdout.split("\0")[1:-1] == [
        *("promote", "abababababab", "--log", f"{name}/run.log"),
        *("--fixtures", f"{name}/fixtures", "--force", "--content", "…"),
    ]


def test_the_fixture_of_an_edited_prompt_is_moved_by_the_first_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before, after, other = (
        {**chat("Is it raining?"), "model": "gpt-4o"},
        {**chat("Is it raining?"), "model": "gpt-5"},
        {**chat("Which of the two cities is larger?"), "model": "gpt-5"},
    )
    log, folder = tmp_path / "suite.log", tmp_path / "fixtures"
    log.write_text(missed(after) + missed(other), "utf-8")
    folder.mkdir()
    stored = {"response": {"content": "Yes."}, "request": before}
    (folder / f"{digest(before)}.json").write_text(json.dumps(stored), "utf-8")
    missing = {
        digest(each): Unanswered(digest(each), "No.", RequestLog(log, folder=folder))
        for each in (after, other)
    }
    shown = list(lines(missing, tmp_path))
    [line] = [line for line in shown if "rekey" in line]
    assert shown.index(line) == 2
    assert main(shlex.split(line.partition(": workbench ")[2])) == 0
    assert (folder / f"{digest(after)}.json").exists()


def test_a_request_with_a_secret_gets_no_command_that_is_refused(tmp_path: Path) -> None:
    log, asked = tmp_path / "suite.log", chat(f"use {KEY}")
    log.write_text(missed(asked), "utf-8")
    missing = {digest(asked): Unanswered(digest(asked), "No.", RequestLog(log, tmp_path / "none"))}
    shown = list(lines(missing, tmp_path))
    assert not any("promote " in line for line in shown[:-1] if line.startswith("    workbench"))
    assert shown[2].startswith("    No fixture is saved for this request, because messages[0].")


def test_of_what_the_upstream_refused_the_reason_is_named(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "test_rain.py").write_text(
        "from openai import OpenAI\n\n"
        "def test_rain():\n"
        "    asked = [{'role': 'user', 'content': 'Rain?'}]\n"
        "    client = OpenAI(max_retries=0)\n"
        "    client.chat.completions.create(model='gpt-5', messages=asked)\n"
    )
    suite = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    words = ["run", "--record", "--upstream", "http://127.0.0.1:1/v1", "--", *suite]
    environment = {**clean_environment(), "WORKBENCH_PORT": "0"}
    output = run_forked(*words, folder=tmp_path, environment=environment).stdout.decode()
    section = output.partition(" unanswered requests ")[2]
    assert "    Not recorded: 127.0.0.1:1: connection refused." in section.splitlines()
    assert "promote" not in section


def test_a_server_without_a_log_file_has_no_command() -> None:
    shown = list(
        lines({"ab" * 32: Unanswered("ab" * 32, "No.", RequestLog(None, Path()))}, Path.cwd())
    )
    assert not any("promote" in line for line in shown)
    assert (
        shown[-1] == "Commands need a log to answer these: start the server with --log-file PATH."
    )


def test_of_many_the_first_are_listed(tmp_path: Path) -> None:
    log = RequestLog(tmp_path / "gone.log", tmp_path / "fixtures")
    digests = [f"{number:064x}" for number in range(30)]
    shown = list(lines({each: Unanswered(each, "No.", log) for each in digests}, tmp_path))
    assert shown[-2:] == ["… and 10 more", "gone.log cannot be written."]
    assert len(shown) == 20 * 2 + 2
