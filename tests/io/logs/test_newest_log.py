"""Which log is read where none is named, and the log of the newest run."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.io.logs.newest_log import (
    begin_run_log,
    make_newest,
    newest_log,
    run_log_name,
    shown_run_log,
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".workbench").mkdir()
    return tmp_path


def begun(project: Path, port: int, text: str) -> Path:
    """The log of a run that began and wrote something."""
    log = project / ".workbench" / run_log_name(port)
    begin_run_log(log)
    make_newest(log)
    with log.open("a") as file:
        file.write(text)
    return log


def test_a_run_goes_before_the_log_of_another_server(project: Path) -> None:
    below = project / "tests" / "e2e"
    below.mkdir(parents=True)
    assert newest_log(below) is None
    (project / "mock-llm.log").touch()
    assert newest_log(below) == project / "mock-llm.log"
    (below / "mock_llm.log").touch()
    assert newest_log(below) == below / "mock_llm.log"
    begun(project, 7899, "a run")
    assert newest_log(below) == project / ".workbench" / "run.log"


def unsupported(*_: object, **__: object) -> None:
    raise PermissionError(1, "Operation not permitted")


FILE_SYSTEMS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "both kinds of links": lambda _: None,
    "no symbolic links": lambda patch: patch.setattr(os, "symlink", unsupported),
    "no hard links": lambda patch: patch.setattr(os, "link", unsupported),
}


@pytest.mark.parametrize("limit", FILE_SYSTEMS.values(), ids=FILE_SYSTEMS)
def test_the_newest_of_several_runs_is_found(
    project: Path, limit: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch)
    first = begun(project, 7899, "first")
    second = begun(project, 7900, "second")
    newest = newest_log(project)
    assert newest is not None
    assert newest.name == "run.log"
    with first.open("a") as file:  # the first one goes on
        file.write(", and more")
    assert (first.read_text(), second.read_text()) == ("first, and more", "second")
    assert newest.read_text() == "second"
    assert (shown_run_log(first), shown_run_log(second)) == (first, newest)
    again = begun(project, 7899, "third")
    assert again == first
    assert newest.read_text() == "third"
    assert sorted(os.listdir(project / ".workbench")) == ["run-7899.log", "run-7900.log", "run.log"]


@pytest.mark.parametrize("limit", FILE_SYSTEMS.values(), ids=FILE_SYSTEMS)
def test_a_run_that_has_not_started_leaves_the_newest(
    project: Path, limit: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit(monkeypatch)
    log = begun(project, 7899, "the misses")
    for _ in range(2):
        begin_run_log(log)
    newest = newest_log(project)
    assert newest == project / ".workbench" / "run.log"
    assert (newest.read_text(), log.read_text()) == ("the misses", "")


def test_without_links_the_log_written_last_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", unsupported)
    monkeypatch.setattr(os, "symlink", unsupported)
    os.utime(begun(project, 7899, "first"), (1, 1 + 10**9))
    second = begun(project, 7900, "second")
    assert newest_log(project) == second
    assert shown_run_log(second) == second


def test_a_run_log_is_only_for_its_owner(project: Path) -> None:
    log = begun(project, 7899, "")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_logs_of_long_ago_are_deleted(project: Path) -> None:
    old, other = begun(project, 7900, "old"), begun(project, 7901, "last")
    os.utime(old, (0, 0))
    begun(project, 7899, "new")
    assert (old.exists(), other.exists()) == (False, True)
