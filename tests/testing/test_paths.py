"""Paths and names that lead nowhere: the error says where it was looked, and what is there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_case
from workbench.core.formats import FormatError
from workbench.testing import Checkpoint, Checkpointer, MockLLM, Run, replay

CHECKPOINT = Checkpoint("1", "", "p", "d", 1, {})


def step(state: Any) -> Any:
    return state


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a checkpoint and a recording."""
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(tmp_path)
    for name in ("checkpoints/default", "empty", "fixtures"):
        (tmp_path / name).mkdir(parents=True)
    CHECKPOINT.save(tmp_path / "checkpoints" / "default" / "20261119-ab12.json")
    (tmp_path / "broken.jsonl").write_text("{")
    with Run.record("interview"):
        pass
    return tmp_path


@each_case(
    "make, kind, message",
    [
        (
            lambda: replay("x", step),
            FileNotFoundError,
            "x does not exist: HERE has no x; it has broken.jsonl, checkpoints, empty",
        ),
        (
            lambda: Checkpoint.load("checkpoint/default/20261119-ab12.json"),
            FileNotFoundError,
            'HERE has no checkpoint; did you mean "checkpoints"?',
        ),
        (
            lambda: Checkpoint.load("checkpoints/default/20261119-ab13.json"),
            FileNotFoundError,
            'HERE/checkpoints/default has no 20261119-ab13.json; did you mean "20261119-ab12.json"',
        ),
        (
            lambda: replay("checkpoints/default", step),
            IsADirectoryError,
            "checkpoints/default is a folder, not a file; it has 20261119-ab12.json",
        ),
        (
            lambda: Run(Path("empty")),
            IsADirectoryError,
            "empty is a folder, not a file; it is empty",
        ),
        (lambda: Run(Path("x")), FileNotFoundError, "HERE has no x; it has broken.jsonl"),
        (lambda: Run.load("broken.jsonl"), FormatError, "broken.jsonl: line 1: not a recording"),
        (
            lambda: Run.load("intervew"),
            LookupError,
            'HERE/.workbench/runs; did you mean "interview"?',
        ),
        (lambda: Run.load("x"), LookupError, "HERE/.workbench/runs; it has interview"),
        (lambda: Run.load("x", folder="no"), LookupError, "'x' in no, which does not exist"),
        (lambda: Run.load("x" * 300), LookupError, "it has interview"),
        (lambda: MockLLM("fixtues"), FileNotFoundError, 'no fixtues; did you mean "fixtures"?'),
        (lambda: MockLLM("x"), FileNotFoundError, "Create the folder, correct the path, or leave"),
    ],
)
def test_what_is_not_there(folder: Path, make: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as raised:
        make()
    assert message.replace("HERE", str(folder)) in str(raised.value)


@each_case(
    "make, name",
    [
        (lambda path: Checkpoint.load(path), "Checkpoint.load: path"),
        (lambda path: CHECKPOINT.save(path), "Checkpoint.save: path"),
        (lambda path: Run(path), "Run: path"),
        (lambda path: Run.load(path), "Run.load: run"),
        (lambda path: Run.load("interview", folder=path), "Run.load: folder"),
        (lambda path: Run.record("a", folder=path).__enter__(), "Run.record: folder"),
        (lambda path: Checkpointer(path, "p"), "Checkpointer: root"),
        (lambda path: MockLLM(path), "MockLLM: store"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_no_path(make: Any, name: str) -> None:
    with pytest.raises(TypeError, match=f"{name} must be .*, got int: 5"):
        make(5)
    with pytest.raises(TypeError, match=f"{name} must be .*, got bytes: b'x'"):
        make(b"x")
    with pytest.raises(ValueError, match=f"{name} is empty; is a variable not set"):
        make("")


@pytest.mark.usefixtures("folder")
def test_recordings_take_positions_and_recordings() -> None:
    run: Any = Run.load("interview")
    with pytest.raises(TypeError, match=r"Run\.after: position must be a whole number, got str"):
        run.after("x")
    with pytest.raises(TypeError, match=r"Run\.compare: other must be a Run, got str"):
        run.compare("x")
