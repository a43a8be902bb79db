"""``workbench skill``: every command of the page runs, in the order in which it stands there."""

from __future__ import annotations

import argparse
import json
import re
import shlex
import shutil
import sys

import pytest

from tests.cli.running import Project
from tests.forked import run_forked
from tests.session.support import chat, missed, tool
from workbench.cli.main import COMMANDS, module_of
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

OPEN = chat("weather in London?", tools=[tool()])
YESTERDAY, TODAY = (chat(f"What is new on 2026-11-{day}?") for day in (19, 20))
# What a suite asks in the test: nothing, so that it is green.
SUITE = "def test_nothing() -> None: ..."


@pytest.fixture
def page(project: Project) -> str:
    ran = project.run("skill")
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def commands(page: str) -> list[list[str]]:
    blocks = re.findall(r"```sh\n(.*?)```", page, re.S)
    return [shlex.split(line) for block in blocks for line in block.strip().splitlines()]


def test_every_command_runs(project: Project, page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading them takes seconds
    (project.folder / "test_nothing.py").write_text(SUITE)
    (project.folder / "response.json").write_text(json.dumps({"content": "It rains."}))
    project.fixtures.mkdir()
    old = project.fixtures / f"{digest(YESTERDAY)}.json"
    old.write_text(new_document(digest(YESTERDAY), {"content": "x"}, request=YESTERDAY).text)
    for words in commands(page):
        assert words[0] == "workbench"
        arguments = [digest(OPEN) if word == "DIGEST" else word for word in words[1:]]
        if arguments[0] == "run":
            shutil.rmtree(project.folder / ".workbench", ignore_errors=True)
            ran = run_forked("run", "--", sys.executable, "-m", *words[3:], folder=project.folder)
            assert ran.returncode == 0, ran.stderr
            (project.folder / ".workbench" / "run.log").write_text(missed(OPEN, TODAY))
            continue
        done = project.run(*arguments)
        if "--tool-call" in arguments:  # the answer before it was a dry run
            assert not old.exists()
        assert (done.code, arguments) == (0, arguments), done.err
    answered = sorted(f"{digest(one)}.json" for one in (OPEN, TODAY))
    assert project.files() == [*answered, "workbench-ignore.txt"]


def test_what_it_names_exists(page: str) -> None:
    from workbench.mcp import tools

    assert page.startswith("---\nname: llm-fixtures\ndescription: ")
    assert set(re.findall(r"\bworkbench ([a-z]+)\b(?= |`)", page)) - set(COMMANDS) == set()
    names = {name for name in vars(tools.Tools) if not name.startswith("_")}
    assert set(re.findall(r"`([a-z]+_[a-z]+)`", page)) <= names
    assert names <= set(re.findall(r"`(\w+)`", page))
    (block,) = re.findall(r"```json\n(.*?)```", page, re.S)
    started = json.loads(block)["mcpServers"]["workbench"]
    command, *arguments = started["args"]
    parser = argparse.ArgumentParser()
    module_of(command).configure(parser)
    assert parser.parse_args(arguments).log == []
    assert started["command"] == "workbench"


def test_it_is_one_page(page: str) -> None:
    assert len(page.splitlines()) < 100
