"""Without a terminal: the commands to use instead, those of exactly the open misses among them."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.running import Project
from tests.forked import run_forked
from tests.reference import LOG
from tests.session.support import chat, missed
from workbench.core.digest import digest
from workbench.core.log.lines import listening_line
from workbench.core.text.digests import short

FIRST, SECOND, THIRD = chat("first\x1b[31m question"), chat("second"), chat("third")


def promotions(said: str) -> list[list[str]]:
    """The words of each command that answers a miss."""
    lines = [line.partition("#")[0] for line in said.splitlines() if " promote " in line]
    return [shlex.split(line) for line in lines]


def test_each_open_miss_has_its_command(project: Project) -> None:
    project.write_log(missed(FIRST, SECOND, THIRD))
    project.run("promote", "suite.log", digest(SECOND), "--content", "an answer")
    project.run("ignore", "suite.log", digest(THIRD), "--reason", "wanted")
    ran = project.run("--log", "suite.log")
    assert ran.code == 2
    assert ran.out == ""
    assert promotions(ran.err) == [
        ["workbench", "promote", short(digest(FIRST)), "--log", "suite.log", "--content", "TEXT"]
    ]
    assert "# first\\x1b[31m question" in ran.err
    assert "\n  workbench misses --log suite.log\n" in ran.err
    assert "\n  workbench validate\n" in ran.err


def test_the_commands_work_as_they_stand(project: Project) -> None:
    (project.folder / "my logs").mkdir()
    project.log = project.folder / "my logs" / "e2e.log"
    project.write_log(missed(FIRST, SECOND))
    folder = project.folder / "my canned"
    ran = project.run("--log", "my logs/*.log", "--fixtures", "my canned")
    answers = promotions(ran.err)
    assert len(answers) == 2
    for words in answers:
        assert project.run(*words[1:]).code == 0
    assert len(os.listdir(folder)) == 2
    again = project.run("--log", "my logs/*.log", "--fixtures", "my canned")
    assert promotions(again.err) == []
    assert "workbench validate 'my canned'\n" in again.err


def test_what_another_folder_answers_is_open_here(project: Project) -> None:
    project.write_log(missed(FIRST))
    project.run("promote", "suite.log", digest(FIRST), "--content", "x")
    assert promotions(project.run("--log", "suite.log").err) == []
    [words] = promotions(project.run("--log", "suite.log", "--fixtures", "other").err)
    assert words[5:7] == ["--fixtures", "other"]


def test_the_log_of_the_working_directory_is_taken_where_none_is_named(project: Project) -> None:
    (project.folder / "mock-llm.log").write_text(missed(FIRST))
    [words] = promotions(project.run().err)
    assert words[2:4] == [short(digest(FIRST)), "--content"]


def test_the_folder_that_the_log_names_is_the_one_looked_into(project: Project) -> None:
    project.write_log(listening_line("http://127.0.0.1:1", "canned"), missed(FIRST, SECOND))
    (project.folder / "canned").mkdir()
    project.run("promote", "suite.log", digest(FIRST), "--content", "x")
    [words] = promotions(project.run("--log", "suite.log").err)
    assert words[2] == short(digest(SECOND))


def test_many_are_cut_short(project: Project) -> None:
    project.write_log(LOG.read_bytes())
    ran = project.run("--log", "suite.log")
    assert len(promotions(ran.err)) == 20
    assert "  … 88 more: workbench misses --log suite.log\n" in ran.err


def test_a_log_that_cannot_be_read_is_named(project: Project) -> None:
    ran = project.run("--log", "gone.log")
    assert ran.code == 2
    assert "(gone.log: no such file or directory)" in ran.err


@pytest.mark.parametrize("words", [[], ["--log", "-"]])
def test_without_a_log_the_commands_are_named(tmp_path: Path, words: list[str]) -> None:
    done = run_forked(*words, folder=tmp_path)
    assert done.returncode == 2
    assert re.search(rb"\n  workbench misses --log PATH\n  workbench validate\n", done.stderr)
