"""Where ``.workbench`` is, and how it comes into being."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from workbench.io.state_folder import StateFolder, rotate


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    deep = tmp_path / "project" / "src" / "package"
    deep.mkdir(parents=True)
    return deep


@pytest.mark.parametrize("mark", ["pyproject.toml", ".git"])
def test_stands_beside_the_mark_of_the_project(deep: Path, mark: str) -> None:
    project = deep.parent.parent
    (project / mark).touch()
    assert StateFolder.locate(deep).path == project / ".workbench"


def test_the_nearest_mark_counts(deep: Path) -> None:
    (deep.parent.parent / ".git").mkdir()
    (deep.parent / "pyproject.toml").touch()
    assert StateFolder.locate(deep).path == deep.parent / ".workbench"


def test_stands_in_the_folder_itself_where_there_is_no_mark(deep: Path) -> None:
    if any(
        (folder / mark).exists() for folder in deep.parents for mark in (".git", "pyproject.toml")
    ):
        pytest.fail("the temporary folder lies in a project")
    assert StateFolder.locate(deep).path == deep / ".workbench"


def test_a_relative_start_is_looked_up_from_the_working_directory(
    deep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (deep.parent / ".git").mkdir()
    monkeypatch.chdir(deep)
    assert StateFolder.locate(Path()).path == deep.parent / ".workbench"


def test_looking_creates_nothing(deep: Path) -> None:
    folder = StateFolder.locate(deep)
    assert folder.drafts.parent == folder.recordings.parent == folder.path
    assert not folder.path.exists()


def test_is_private_and_ignored_by_git(deep: Path) -> None:
    folder = StateFolder.locate(deep)
    assert folder.ensure() == folder.path
    assert stat.S_IMODE(folder.path.stat().st_mode) == 0o700
    assert (folder.path / ".gitignore").read_text() == "*\n"


def test_ensuring_again_keeps_what_is_there(deep: Path) -> None:
    folder = StateFolder.locate(deep)
    folder.ensure()
    (folder.path / ".gitignore").write_text("*\n!kept\n")
    folder.ensure()
    assert (folder.path / ".gitignore").read_text() == "*\n!kept\n"
    assert os.listdir(folder.path) == [".gitignore"]


def test_a_file_in_its_place_is_named(deep: Path) -> None:
    place = deep / ".workbench"
    place.write_text("a file in its place")
    with pytest.raises(NotADirectoryError) as caught:
        StateFolder(place).ensure()
    assert str(caught.value) == f"[Errno 20] it is a file: '{place}'"


def test_a_link_to_nothing_in_its_place_is_named(deep: Path) -> None:
    place = deep / ".workbench"
    place.symlink_to(deep / "nowhere")
    with pytest.raises(NotADirectoryError, match="it is a link to a folder that does not exist"):
        StateFolder(place).ensure()


def test_rotate_moves_a_large_file_away(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"x" * 101)
    (tmp_path / "server.log.1").write_bytes(b"older")
    rotate(log, 100)
    assert not log.exists()
    assert (tmp_path / "server.log.1").read_bytes() == b"x" * 101


def test_rotate_leaves_a_small_file_and_a_missing_one(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    rotate(log, 100)
    log.write_bytes(b"x" * 100)
    rotate(log, 100)
    assert os.listdir(tmp_path) == ["server.log"]
