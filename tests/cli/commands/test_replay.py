"""``workbench replay``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Project, Ran, command
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

def ends(state):
    raise SystemExit

NOTHING = None
"""


@pytest.fixture
def checkpoint(project: Project) -> Path:
    tmp_path = project.folder
    (tmp_path / "steps.py").write_text(STEPS)
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


class Replay:
    """Runs the command in the project of a checkpoint, with that project's modules."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        self._project = project
        self._monkeypatch = monkeypatch

    def __call__(self, checkpoint: Path, *arguments: str) -> Ran:
        with self._monkeypatch.context() as patched:
            patched.setattr(sys, "path", sys.path.copy())
            for module in ("steps", "broken"):
                patched.delitem(sys.modules, module, raising=False)
            patched.setattr(sys, "dont_write_bytecode", True)  # of modules that are rewritten
            return self._project.run("replay", checkpoint, *arguments)


@pytest.fixture
def replay(project: Project, monkeypatch: pytest.MonkeyPatch) -> Replay:
    return Replay(project, monkeypatch)


def test_a_replay_from_the_command_line(replay: Replay, checkpoint: Path) -> None:
    done = replay(checkpoint, "--step", "steps:step")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "3 iterations, complete",
        "  total: 1 -> 8",
        "  complete: false -> true",
        "The state is as recorded after iteration 3.",
    ]
    ran = command("replay", checkpoint, "--step", "steps:step", cwd=checkpoint.parents[3])
    assert (ran.returncode, ran.stdout.decode()) == (0, done.out)
    assert replay(checkpoint, "--step", "steps:awaited").out == done.out
    short = replay(checkpoint, "--step", "steps:step", "--max-iterations", "1", "--format", "json")
    assert json.loads(short.out)["state"] == {"total": 2, "complete": False}


def test_what_is_not_as_recorded_is_told_and_is_a_finding(replay: Replay, checkpoint: Path) -> None:
    done = replay(checkpoint, "--step", "steps:another")
    assert done.code == 1
    assert done.out.splitlines()[-2:] == [
        '  more: null -> "\\x9b"',
        'the state after iteration 3: more: (absent) -> "\\x9b"',
    ]
    assert replay(checkpoint, "--step", "steps:another", "--no-verify").code == 0
    changed = replay(checkpoint, "--step", "steps:changed", "--no-verify")
    assert (changed.code, changed.out.splitlines()[-3:]) == (
        0,
        [
            'add, call 1: differs from exchange 1: ["0"]: 1 -> -1',
            "exchange 2 (add) was not used",
            "exchange 3 (add) was not used",
        ],
    )
    project = checkpoint.parents[3]
    (run,) = (project / ".workbench" / "runs").glob("*.jsonl")
    fork = Run(run).fork(2, 20, name="twenty")
    forked = replay(checkpoint, "--step", "steps:step", "--run", fork.id)
    assert "  total: 1 -> 22" in forked.out.splitlines()


def test_a_missing_reply_is_named(replay: Replay, checkpoint: Path) -> None:
    (checkpoint.parents[3] / "steps.py").write_text(STEPS.replace("total > 6", "False"))
    done = replay(checkpoint, "--step", "steps:step")
    assert done.code == 1
    assert done.err.startswith(
        "workbench replay: error: add, call 4: the recording has 3 replies for it, "
        "and all are used. "
        "Nearest: exchange 1,"
    )
    ends = "3 iterations worked; --max-iterations 3 stops there"
    assert done.err.splitlines()[-1] == f"workbench replay: note: {ends}"
    assert not replay(checkpoint, "--step", "steps:step", *ends.split()[3:5]).err


def test_the_application_s_own_failure_shows_where_it_happened(
    replay: Replay, checkpoint: Path
) -> None:
    done = replay(checkpoint, "--step", "steps:fails")
    assert done.code == 1
    assert "steps.py" in done.err
    assert done.err.endswith("ZeroDivisionError: at work\n")
    assert replay(checkpoint, "--step", "steps:ends").code == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--step", "steps"], "--step steps: expected MODULE:FUNCTION"),
        (["--step", "nothing:step"], "--step nothing:step: No module named 'nothing'"),
        (["--step", "steps:none"], "has no attribute 'none'"),
        (["--step", "steps:NOTHING"], "--step steps:NOTHING: it is not a function"),
        (["--step", ".steps:step"], "expected MODULE:FUNCTION"),
        (["--step", "steps:step", "--max-iterations", "9" * 5000], "is not a whole number"),
        (["--step", "steps:step", "--run", ""], "--run: the value is empty"),
        (["--step", "steps:step", "--run", "x"], "--run: there is no recording 'x' in "),
        (["--step", "steps:step", "--max-iterations", "-1"], "'-1' is not a whole number"),
    ],
)
def test_wrong_use(replay: Replay, checkpoint: Path, arguments: list[str], reason: str) -> None:
    done = replay(checkpoint, *arguments)
    assert done.code == 2
    assert reason in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def step(state:\n", "{path}, line 1: SyntaxError: "),
        ("import os\n1 / 0\n", "{path}, line 2: ZeroDivisionError: division by zero\n"),
        ("import sys\nsys.exit(3)\n", "{path}, line 2: it ends the program when it is imported"),
        ("raise KeyError\n", "{path}, line 1: KeyError\n"),
        (
            "class Skipped(BaseException): ...\nraise Skipped('no key')\n",
            "{path}, line 2: Skipped: no key\n",
        ),
        ("import no_such_package\n", "{path}, line 1: No module named 'no_such_package'\n"),
        ("raise ValueError('a\\nb')\n", "{path}, line 1: ValueError: a b\n"),
        ("step = 3\n", "it is not a function\n"),
        ("", "module 'broken' has no attribute 'step'\n"),
    ],
)
def test_a_module_that_fails_while_it_is_imported(
    replay: Replay, checkpoint: Path, text: str, said: str
) -> None:
    path = checkpoint.parents[3] / "broken.py"
    path.write_text(text)
    done = replay(checkpoint, "--step", "broken:step")
    assert (done.code, done.out) == (2, "")
    expected = f"workbench replay: error: --step broken:step: {said.format(path=path)}"
    assert done.err.startswith(expected)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("change", "code", "reason"),
    [
        ({"id": None, "iteration": []}, 2, "{path}: "),
        (
            {"format": 2},
            2,
            "{path}: written in format 2; this workbench only reads up to format 1\n",
        ),
        ({"run": {"position": 1e999}}, 2, "{path}: run.position should be a finite number\n"),
        ({"state": {"total": 1e999}}, 1, "state.total must be a JSON value, got inf\n"),
    ],
    ids=["types", "a later format", "a position without end", "a state without end"],
)
def test_a_checkpoint_that_cannot_be_used(
    replay: Replay, checkpoint: Path, change: dict[str, Any], code: int, reason: str
) -> None:
    checkpoint.write_text(json.dumps(json.loads(checkpoint.read_text()) | change))
    done = replay(checkpoint, "--step", "steps:step")
    assert (done.code, done.out) == (code, "")
    assert done.err.startswith(f"workbench replay: error: {reason.format(path=checkpoint)}")
    assert done.err.count("\n") == 1


def test_a_file_that_is_no_checkpoint(replay: Replay, checkpoint: Path) -> None:
    checkpoint.write_text("{}")
    done = replay(checkpoint, "--step", "steps:step")
    assert (done.code, done.err) == (2, f"workbench replay: error: {checkpoint}: id is missing\n")


def test_a_checkpoint_that_is_no_file_is_said_without_a_traceback(
    replay: Replay, checkpoint: Path
) -> None:
    missing, folder = checkpoint.with_name("missing.json"), checkpoint.with_name("folder")
    folder.mkdir()
    for path in (missing, folder):
        done = replay(path, "--step", "steps:step")
        assert (done.code, done.out) == (2, "")
        name = path.relative_to(Path.cwd())
        problem = "does not exist: " if path == missing else "is a folder, not a file; it is empty"
        assert done.err.startswith(f"workbench replay: error: {name} {problem}")
