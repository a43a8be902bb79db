"""The composite action: its steps, run by bash as a runner of GitHub runs them."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.forked import run_forked
from tests.session.support import chat, missed
from workbench.core.digest import digest

FOLDER = Path(__file__).parents[2] / ".github" / "actions" / "workbench"
ACTION: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
STEPS = ACTION["runs"]["steps"]

HELLO = chat("hello there")
LOUD = chat("::error::not a command of ours ````")
ANSWER = '{"response": {"content": "x"}}'


class Ran(NamedTuple):
    """What the steps did. ``kept`` is the folder of the artifact."""

    code: int
    out: str
    summary: str
    outputs: str
    kept: Path


class Runner:
    """Runs the steps in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        (self.folder / "fixtures").mkdir()
        self._temp = folder / "temp"
        self._temp.mkdir()

    def run(self, **given: str) -> Ran:
        inputs = {name: about.get("default") for name, about in ACTION["inputs"].items()} | given
        values = {f"inputs.{name}": value for name, value in inputs.items()}
        values["runner.temp"] = str(self._temp)
        files = {name: self._temp / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
        for file in files.values():
            file.write_text("")
        paths = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
        code, out = 0, ""
        for step in (step for step in STEPS if "run" in step):
            environment = {
                name: re.sub(r"\$\{\{ (\S+) \}\}", lambda found: str(values[found[1]]), value)
                for name, value in step.get("env", {}).items()
            }
            environment |= {name: str(file) for name, file in files.items()}
            environment |= {"PATH": paths, "GITHUB_ACTION_PATH": str(FOLDER)}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            out += done.stdout
            code = code or done.returncode
        summary, outputs = (file.read_text() for file in files.values())
        return Ran(code, out, summary, outputs, self._temp / "workbench-kept")

    def answer(self, request: Any, fixture: str) -> None:
        (self.folder / "fixtures" / f"{digest(request)}.json").write_text(fixture)


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    return Runner(tmp_path)


def test_misses_fail_and_are_listed_and_kept(runner: Runner) -> None:
    (runner.folder / "an app.log").write_text(missed(HELLO))
    packed = runner.folder / "other.log.gz"
    packed.write_bytes(gzip.compress(missed(LOUD).encode()))
    ran = runner.run(logs="*.log\nother.log.gz\n")
    assert (ran.code, ran.outputs) == (1, "missing=2\n")
    # A text of a request is printed where the runner takes no commands, and in a fence.
    listed = re.search(
        r"^::stop-commands::(\w{32})\n(.*)\n::\1::$", ran.out, re.DOTALL | re.MULTILINE
    )
    assert listed is not None
    assert "::error::not a command of ours" in listed[2]
    fenced = ran.summary.split("\n````")[1]
    assert all(digest(request) in fenced for request in (HELLO, LOUD))
    assert "unpack the artifact workbench" in ran.summary
    # The artifact has what opens the misses elsewhere.
    logs = ["1-an app.log.gz", "2-other.log.gz"]
    assert sorted(os.listdir(ran.kept)) == [*logs, "misses.json"]
    again = run_forked("misses", *logs, "--format", "json", folder=ran.kept)
    found = [row["digest"] for row in json.loads(again.stdout)]
    assert found == [digest(HELLO), digest(LOUD)]
    assert [row["digest"] for row in json.loads((ran.kept / "misses.json").read_text())] == found


def test_a_log_with_two_names_is_kept_once(runner: Runner) -> None:
    (runner.folder / "run-7899.log").write_text(missed(HELLO))
    (runner.folder / "run.log").hardlink_to(runner.folder / "run-7899.log")
    ran = runner.run(logs="run*.log")
    assert sorted(os.listdir(ran.kept)) == ["1-run-7899.log.gz", "misses.json"]
    assert [row["count"] for row in json.loads((ran.kept / "misses.json").read_text())] == [1]


def test_a_suite_with_all_its_fixtures_passes(runner: Runner) -> None:
    (runner.folder / "app.log").write_text(missed(HELLO))
    runner.answer(HELLO, ANSWER)
    ran = runner.run(logs="app.log", fixtures="fixtures")
    assert (ran.code, ran.outputs) == (0, "missing=0\n")
    assert "unpack" not in ran.summary


def test_errors_in_fixtures_fail_as_annotations(runner: Runner) -> None:
    (runner.folder / "app.log").write_text(missed(HELLO))
    runner.answer(HELLO, '{"response": {"content": 1}}')
    ran = runner.run(logs="app.log", strict="true")
    assert ran.code == 1
    assert f"::error file=fixtures/{digest(HELLO)}.json,line=1" in ran.out
    counts = "workbench validate: note: 1 file: 1 error, 1 info"
    assert f"### Findings in fixtures\n\n````text\n{counts}\n````" in ran.summary


def test_a_log_that_is_not_there_fails(runner: Runner) -> None:
    ran = runner.run(logs="none.log")
    assert ran.code == 2
    assert "none.log: no such file or directory" in ran.summary
    assert ran.outputs == ""


def test_what_is_kept_is_what_is_uploaded() -> None:
    [check] = [step for step in STEPS if step.get("id") == "check"]
    [upload] = [step for step in STEPS if "uses" in step]
    assert upload["with"]["path"] == check["env"]["FOLDER"]
    assert "always()" in upload["if"]
