"""Symbolic links among the fixtures: no save leaves the project through one."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.io.fixture.ignore_list import IgnoreList
from workbench.io.fixture.store import FixtureStore, refuse_stray_link

DIGEST = "a" * 64
OUTSIDE = r"^\[Errno 1\] .*… is a symbolic link to a file outside the project"
NOTHING = r"^\[Errno 2\] .*… is a symbolic link to a file that does not exist"


@pytest.fixture
def store(tmp_path: Path) -> FixtureStore:
    """The fixtures of a project with a folder beside it."""
    folder = tmp_path / "project" / "tests" / "fixtures"
    folder.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").touch()
    return FixtureStore(folder)


def test_a_link_to_nothing_creates_no_file_elsewhere(store: FixtureStore, tmp_path: Path) -> None:
    for target in (tmp_path / "new", store.folder / "new"):
        store.path(DIGEST).symlink_to(target)
        with pytest.raises(OSError, match=NOTHING) as refused:
            store.save(DIGEST, b"{}", expected=None)
        assert refused.value.filename == str(store.path(DIGEST))
        assert not target.exists()
        assert store.path(DIGEST).is_symlink()
        store.path(DIGEST).unlink()


def test_a_file_of_the_project_is_written_through_its_link(store: FixtureStore) -> None:
    target = store.folder.parent.parent / "shared.json"
    target.write_bytes(b"{}")
    store.path(DIGEST).symlink_to(target)
    store.save(DIGEST, b'{"a": 1}', expected=store.stamp(DIGEST))
    assert target.read_bytes() == b'{"a": 1}'
    assert store.path(DIGEST).is_symlink()


def test_a_file_outside_the_project_is_not_written(store: FixtureStore, tmp_path: Path) -> None:
    target = tmp_path / "settings.json"
    target.write_bytes(b"{}")
    store.path(DIGEST).symlink_to(target)
    with pytest.raises(OSError, match=OUTSIDE):
        store.save(DIGEST, b'{"a": 1}', expected=store.stamp(DIGEST))
    assert target.read_bytes() == b"{}"


def test_a_folder_that_is_a_link_is_written_into(store: FixtureStore, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    store.folder.rmdir()
    store.folder.symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "real.json").write_bytes(b"{}")
    store.save(DIGEST, b"new", expected=None)
    other = store.path("b" * 64)
    other.symlink_to("real.json")
    store.save(other.stem, b"changed", expected=store.stamp(other.stem))
    assert (tmp_path / "elsewhere" / "real.json").read_bytes() == b"changed"
    assert (tmp_path / "elsewhere" / f"{DIGEST}.json").read_bytes() == b"new"


def test_without_a_project_the_folder_above_the_fixtures_counts(tmp_path: Path) -> None:
    folder = tmp_path / "suite" / "fixtures"
    folder.mkdir(parents=True)
    link = folder / f"{DIGEST}.json"
    for target in (tmp_path / "suite" / "common.json", tmp_path / "stray.json"):
        target.touch()
    link.symlink_to("../common.json")
    refuse_stray_link(link)
    link.unlink()
    link.symlink_to("../../stray.json")
    with pytest.raises(OSError, match=OUTSIDE):
        refuse_stray_link(link)


def test_the_list_of_what_is_ignored_is_not_created_elsewhere(
    store: FixtureStore, tmp_path: Path
) -> None:
    ignored = IgnoreList(store.folder)
    ignored.path.symlink_to(tmp_path / "new.txt")
    with pytest.raises(OSError, match=NOTHING):
        ignored.add(DIGEST, "why")
    assert not (tmp_path / "new.txt").exists()
