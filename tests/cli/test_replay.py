"""``workbench replay``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.testing import Checkpointer, Run, call

STEPS = """
from workbench.testing import call

def nobody(number):
    raise AssertionError("a live call was made")

def step(state):
    total = state["total"] + call("add", nobody, state["total"])
    return {**state, "total": total, "complete": total > 6}

def another(state):
    return {**step(state), "more": "\\x9b"}

def changed(state):
    return {**state, "total": 8 + call("add", nobody, -1), "complete": True}

async def awaited(state):
    return step(state)

def fails(state):
    raise ZeroDivisionError("at work")

NOTHING = None
"""


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    (tmp_path / "steps.py").write_text(STEPS)
    (tmp_path / "pyproject.toml").touch()
    checkpoints = Checkpointer(tmp_path / "checkpoints", "sums", enabled=True)
    state = {"total": 1, "complete": False}
    with Run.record("sums", folder=tmp_path / ".workbench" / "runs"):
        first = checkpoints.save(state, 0)
        for iteration in (1, 2, 3):
            total = state["total"] + call("add", lambda number: number, state["total"])
            state = {"total": total, "complete": total > 6}
            checkpoints.save(state, iteration)
    assert first is not None
    return first


def replay(checkpoint: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    project = checkpoint.parents[3]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.run(
        [sys.executable, "-m", "workbench", "replay", str(checkpoint), *arguments],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_replay_from_the_command_line(checkpoint: Path) -> None:
    done = replay(checkpoint, "--step", "steps:step")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "3 iterations, complete",
        "  total: 1 -> 8",
        "  complete: false -> true",
        "The state is as recorded after iteration 3.",
    ]
    assert replay(checkpoint, "--step", "steps:awaited").stdout == done.stdout
    short = replay(checkpoint, "--step", "steps:step", "--max-iterations", "1", "--format", "json")
    assert json.loads(short.stdout)["state"] == {"total": 2, "complete": False}


def test_what_is_not_as_recorded_is_told_and_is_a_finding(checkpoint: Path) -> None:
    done = replay(checkpoint, "--step", "steps:another")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == [
        '  more: null -> "\\x9b"',
        'the state after iteration 3: more: (absent) -> "\\x9b"',
    ]
    assert replay(checkpoint, "--step", "steps:another", "--no-verify").returncode == 0
    changed = replay(checkpoint, "--step", "steps:changed", "--no-verify")
    assert (changed.returncode, changed.stdout.splitlines()[-3:]) == (
        0,
        [
            'add, call 1: differs from exchange 1: ["0"]: 1 -> -1',
            "add, exchange 2: not asked for",
            "add, exchange 3: not asked for",
        ],
    )
    project = checkpoint.parents[3]
    (run,) = (project / ".workbench" / "runs").glob("*.jsonl")
    fork = Run(run).fork(2, 20, name="twenty")
    forked = replay(checkpoint, "--step", "steps:step", "--run", fork.id)
    assert "  total: 1 -> 22" in forked.stdout.splitlines()


def test_a_missing_reply_is_named(checkpoint: Path) -> None:
    (checkpoint.parents[3] / "steps.py").write_text(STEPS.replace("total > 6", "False"))
    done = replay(checkpoint, "--step", "steps:step")
    assert done.returncode == 1
    assert done.stderr.startswith(
        "workbench replay: add, call 4: the run has 3 replies of it, all used. Nearest: exchange 1,"
    )
    ends = "3 iterations worked; --max-iterations 3 stops there."
    assert done.stderr.splitlines()[-1] == ends
    assert not replay(checkpoint, "--step", "steps:step", *ends.split()[3:5]).stderr


def test_the_application_s_own_failure_shows_where_it_happened(checkpoint: Path) -> None:
    done = replay(checkpoint, "--step", "steps:fails")
    assert done.returncode == 1
    assert "steps.py" in done.stderr
    assert done.stderr.endswith("ZeroDivisionError: at work\n")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--step", "steps"], "--step steps: expected MODULE:FUNCTION"),
        (["--step", "nothing:step"], "--step nothing:step: No module named 'nothing'"),
        (["--step", "steps:none"], "has no attribute 'none'"),
        (["--step", "steps:NOTHING"], "--step steps:NOTHING: it is not a function"),
        (["--step", ".steps:step"], "expected MODULE:FUNCTION"),
        (["--step", "steps:step", "--max-iterations", "9" * 5000], "is not a whole number"),
        (["--step", "steps:step", "--run", ""], "--run: it is empty"),
        (["--step", "steps:step", "--run", "x"], "--run: there is no run 'x' in "),
        (["--step", "steps:step", "--max-iterations", "-1"], "'-1' is not a whole number"),
    ],
)
def test_wrong_use(checkpoint: Path, arguments: list[str], reason: str) -> None:
    done = replay(checkpoint, *arguments)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr


def test_a_module_that_fails_while_it_is_imported(checkpoint: Path) -> None:
    (checkpoint.parents[3] / "broken.py").write_text("def step(state:\n")
    done = replay(checkpoint, "--step", "broken:step")
    assert (done.returncode, done.stdout) == (2, "")
    assert "broken.py" in done.stderr
    assert done.stderr.splitlines()[-1].startswith(
        "workbench replay: --step broken:step: SyntaxError: "
    )


@pytest.mark.parametrize(
    ("change", "code", "reason"),
    [
        ({"id": None, "iteration": []}, 2, "{path}: "),
        ({"format": 2}, 2, "{path}: Written by format 2; this reads up to 1. Not opened.\n"),
        ({"run": {"position": 1e999}}, 2, "{path}: run.position should be a finite number\n"),
        ({"state": {"total": 1e999}}, 1, "state.total is inf, which is not a JSON value\n"),
    ],
    ids=["types", "a later format", "a position without end", "a state without end"],
)
def test_a_checkpoint_that_cannot_be_used(
    checkpoint: Path, change: dict[str, Any], code: int, reason: str
) -> None:
    checkpoint.write_text(json.dumps(json.loads(checkpoint.read_text()) | change))
    done = replay(checkpoint, "--step", "steps:step")
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(f"workbench replay: {reason.format(path=checkpoint)}")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_no_checkpoint(checkpoint: Path) -> None:
    checkpoint.write_text("{}")
    done = replay(checkpoint, "--step", "steps:step")
    assert (done.returncode, done.stderr) == (2, f"workbench replay: {checkpoint}: id is missing\n")


def test_a_checkpoint_that_is_no_file_is_said_without_a_traceback(checkpoint: Path) -> None:
    missing, folder = checkpoint.with_name("missing.json"), checkpoint.with_name("folder")
    folder.mkdir()
    for path in (missing, folder):
        done = replay(path, "--step", "steps:step")
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"workbench replay: {path}: ")
