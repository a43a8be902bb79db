"""What a killed save left in the folder of fixtures: each command that writes there removes it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed
from workbench.core.digest import digest

PAYLOAD = chat("weather in London?")
DIGEST = digest(PAYLOAD)


@pytest.fixture
def leftover(project: Project) -> Path:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    project.fixtures.mkdir(exist_ok=True)
    file = project.fixtures / f".{DIGEST}.json.{ended.pid}-0123abcd.tmp"
    file.write_text('{"respo')
    return file


def har(payload: Any) -> str:
    reply = {"choices": [{"index": 0, "message": {"content": "Rain."}, "finish_reason": "stop"}]}
    entry = {
        "startedDateTime": "2026-11-20T10:00:00Z",
        "time": 1,
        "request": {
            "method": "POST",
            "url": "http://127.0.0.1/v1/chat/completions",
            "headers": [],
            "postData": {"mimeType": "application/json", "text": json.dumps(payload)},
        },
        "response": {
            "status": 200,
            "headers": [],
            "content": {"mimeType": "application/json", "text": json.dumps(reply)},
        },
    }
    return json.dumps({"log": {"version": "1.2", "entries": [entry]}})


def test_promote(project: Project, leftover: Path) -> None:
    project.write_log(missed(PAYLOAD))
    assert project.run("promote", project.log, DIGEST, "--content", "Rain.").code == 0
    assert not leftover.exists()


def test_import(project: Project, leftover: Path) -> None:
    (project.folder / "session.har").write_text(har(PAYLOAD))
    assert project.run("import", project.folder / "session.har").code == 0
    assert project.files() == [f"{DIGEST}.json"]
    assert not leftover.exists()


def test_validate_fix(project: Project, leftover: Path) -> None:
    path = project.fixtures / f"{DIGEST}.json"
    path.write_text('{"response": {"content": "Rain.", "finish_reason": "stop"},}')
    assert project.run("validate", "--fix").code == 0
    assert not leftover.exists()


def test_ignore(project: Project, leftover: Path) -> None:
    project.write_log(missed(PAYLOAD))
    assert project.run("ignore", project.log, DIGEST, "--reason", "later").code == 0
    assert not leftover.exists()


def test_a_save_that_goes_on_is_left_alone(project: Project, leftover: Path) -> None:
    going_on = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    file = leftover.rename(project.fixtures / f".x.json.{going_on.pid}-0123abcd.tmp")
    project.write_log(missed(PAYLOAD))
    assert project.run("promote", project.log, DIGEST, "--content", "Rain.").code == 0
    assert file.exists()
    going_on.communicate(b"\n")
