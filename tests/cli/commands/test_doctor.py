"""``workbench doctor``."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest

from tests.cli.running import Project
from tests.server.running import RunningServer
from tests.session.support import chat, missed


def report(project: Project, *options: str, code: int = 0) -> Any:
    ran = project.run("doctor", "--format", "json", *options)
    assert (ran.code, ran.err) == (code, "")
    return ran.rows


def test_each_setting_says_where_it_comes_from(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.settings('fixtures = "canned"\nstore-request = false\nprofile = "openai"')
    monkeypatch.setenv("MOCK_LLM_HOST", "localhost")
    monkeypatch.setenv("WORKBENCH_PROFILE", "stub")
    found = report(project)
    file = str(project.folder / "pyproject.toml")
    assert found["settings_file"] == file
    settings = found["settings"]
    assert settings["fixtures"] == {"value": "canned", "source": file}
    assert settings["store_request"] == {"value": False, "source": file}
    assert settings["host"] == {"value": "localhost", "source": "MOCK_LLM_HOST"}
    assert settings["profile"] == {"value": "stub", "source": "WORKBENCH_PROFILE"}
    assert settings["bell"] == {"value": "bell", "source": "default"}
    found = report(project, "--fixtures", "mine")
    assert found["settings"]["fixtures"] == {"value": "mine", "source": "--fixtures"}


def test_fixtures_are_counted(project: Project) -> None:
    assert report(project)["fixtures"] == {"folder": "fixtures", "exists": False}
    project.fixtures.mkdir()
    (project.fixtures / f"{'a' * 64}.json").write_text('{"response": {"content": "x"}}')
    (project.fixtures / "other.json").write_text("{}")
    found = report(project, code=1)
    assert found["fixtures"] == {
        "folder": "fixtures",
        "exists": True,
        "fixtures": 1,
        "other_files": 1,
        "errors": 1,
        "warnings": 1,
    }
    assert found["problems"] == ["1 error in fixtures: workbench validate"]


def test_the_server_is_asked(project: Project) -> None:
    with RunningServer(project.folder) as server:
        project.settings(f"port = {server.port}")
        assert report(project)["server"] == {"url": server.url, "running": True, "reason": None}
    found = report(project)["server"]
    assert found["running"] is False
    assert found["reason"].startswith("does not answer: ")


def test_the_newest_log_is_named(project: Project) -> None:
    assert report(project)["log"] is None
    (project.folder / "mock-llm.log").write_text(missed(chat()))
    log = report(project)["log"]
    assert log["path"] == "mock-llm.log"
    assert datetime.fromisoformat(log["written"]).tzinfo is not None


def test_the_url_of_an_address_with_colons(project: Project) -> None:
    project.settings('host = "::1"\nport = 1')
    assert report(project)["server"]["url"] == "http://[::1]:1"


def test_what_cannot_be_used_is_a_problem(project: Project) -> None:
    project.settings("port = 'many'")
    (problem,) = report(project, code=1)["problems"]
    assert "port: expected a port number" in problem
    project.settings("ports = 1")
    (problem,) = report(project, code=1)["problems"]
    assert problem.endswith("'ports' is not a setting; did you mean port?")
    file = project.folder / "file"
    file.touch()
    ran = project.run("doctor", "--fixtures", "file")
    assert ran.code == 1
    assert "problem     file is not a folder" in ran.out.splitlines()
    assert "fixtures    file does not exist yet" in ran.out.splitlines()


def test_it_is_read_by_people(project: Project) -> None:
    ran = project.run("doctor")
    lines = ran.out.splitlines()
    assert lines[0].startswith("workbench   ")
    assert any(line.startswith("libraries   ") and "textual 8." in line for line in lines)
    assert "            port = not set  (default)" in lines
    assert lines[-1] == "log         none yet"
    project.settings("port = 'many'")
    assert project.run("doctor").out.splitlines()[-1].startswith("problem     ")
    assert json.loads(project.run("doctor", "--format", "json").out)["libraries"]["rich"]
