"""Checking files and folders: which files, what is kept, what is mended and what is left alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from tests.core.fixtures.rules.rule_cases import DIGEST, OTHER, content, request
from workbench.core.log.usage import Usage
from workbench.io.state_folder import StateFolder
from workbench.session.validation import CheckedFile, Validation

LONG_AGO = (1_700_000_000_000_000_000, 1_700_000_000_000_000_000)
SURE = content('""', ', "usage": {"total_tokens": 3}')
MENDED = content('""', ', "usage": {}')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "fixtures").mkdir()
    return tmp_path / "fixtures"


def write(folder: Path, text: str, name: str = f"{DIGEST}.json") -> Path:
    path = folder / name
    path.write_text(text)
    os.utime(path, ns=LONG_AGO)
    return path


def check(
    *paths: Path, state: Path, usage: Usage | None = None, fix: bool = False
) -> list[CheckedFile]:
    return list(Validation(paths, StateFolder(state), usage=usage, fix=fix).run())


def rules(checked: list[CheckedFile]) -> dict[str, list[str]]:
    return {os.path.basename(file.path): [f.rule for f in file.findings] for file in checked}


# What is kept.


def test_the_second_time_finds_the_same(folder: Path) -> None:
    for number, text in enumerate(("{", content("1"), SURE, content('""'))):
        write(folder, text, f"{number:064x}.json")
    state = folder.parent / "state"
    first = check(folder, state=state)
    assert sum(len(file.findings) for file in first) == 6
    assert check(folder, state=state) == first


def test_what_did_not_change_is_not_read_again(folder: Path) -> None:
    """A file that has another text and the same stamp is taken for the same."""
    path = write(folder, content("12"))
    inode = path.stat().st_ino
    state = folder.parent / "state"
    assert rules(check(folder, state=state))[path.name][1] == "content-not-string"
    write(folder, content('""'))
    assert path.stat().st_ino == inode
    assert "content-not-string" in rules(check(folder, state=state))[path.name]
    path.touch()
    assert "content-not-string" not in rules(check(folder, state=state))[path.name]


def test_a_file_that_is_named_is_always_read(folder: Path) -> None:
    path = write(folder, content("12"))
    state = folder.parent / "state"
    check(folder, state=state)
    write(folder, content('""'))
    assert "content-not-string" not in rules(check(path, state=state))[path.name]


def test_what_was_found_before_a_stop_is_kept(folder: Path) -> None:
    for number in range(3):
        write(folder, content("12"), f"{number:064x}.json")

    def stop(done: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    state = StateFolder(folder.parent / "state")
    with pytest.raises(KeyboardInterrupt):
        list(Validation([folder], state).run(stop))
    for number in range(3):
        write(folder, content('""'), f"{number:064x}.json")
    found = rules(list(Validation([folder], state).run()))
    assert [("content-not-string" in names) for names in found.values()] == [True, True, False]


def test_rules_about_a_folder_hold_the_second_time_too(folder: Path) -> None:
    asked = json.dumps(request())
    for name in (DIGEST, OTHER):
        write(folder, content('""')[:-1] + f', "request": {asked}}}', f"{name}.json")
    state = folder.parent / "state"
    used = Usage(frozenset({DIGEST}), True, None, 1, 1)
    for _ in range(2):
        found = rules(check(folder, state=state, usage=used))
        assert found[f"{DIGEST}.json"] == ["duplicate-request", "request-mismatch"]
        assert found[f"{OTHER}.json"][:2] == ["duplicate-request", "unused-fixture"]
    assert "unused-fixture" not in rules(check(folder, state=state))[f"{OTHER}.json"]


# What is read.


def test_how_many_are_done_is_told(folder: Path) -> None:
    for number in range(3):
        write(folder, content('""'), f"{number:064x}.json")
    other = write(folder.parent, content('""'), "x.txt")
    checking = Validation([folder, other], StateFolder(folder.parent / "state"))
    told: list[int] = []
    list(checking.run(told.append))
    assert told == [1, 2, 3, 4]
    assert checking.count == 4


def test_a_pipe_in_a_folder_is_not_waited_for(folder: Path) -> None:
    os.mkfifo(folder / f"{DIGEST}.json")
    (checked,) = check(folder, state=folder.parent / "state")
    assert [f.message for f in checked.findings] == ["cannot be read: it is no file"]


def test_paths_are_as_they_were_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(folder, content('""')).name
    monkeypatch.chdir(folder)
    state = folder.parent / "state"
    for given, expected in {
        ".": name,
        "../fixtures": f"../fixtures/{name}",
        str(folder): str(folder / name),
        name: name,
    }.items():
        assert [file.path for file in check(Path(given), state=state)] == [expected]


# What is mended.


@pytest.mark.parametrize("given", ["folder", "file"])
def test_certain_fixes_are_made(given: str, folder: Path) -> None:
    path = write(folder, SURE)
    path.chmod(0o640)
    state = folder.parent / "state"
    for _ in range(2):  # the second time from what was kept
        check(folder, state=state)
    (checked,) = check(path if given == "file" else folder, state=state, fix=True)
    assert path.read_text() == MENDED
    assert [f.rule for f in checked.fixed] == ["total-tokens-set"]
    assert [f.rule for f in checked.findings] == ["request-not-stored"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    (again,) = check(folder, state=state, fix=True)
    assert (again.fixed, again.findings) == ([], checked.findings)


def test_what_is_not_certain_is_left_alone(folder: Path) -> None:
    texts = {"a.json": content("1"), "b.json": "{", "c.json": content('"x"')}
    for name, text in texts.items():
        write(folder, text, name)
    checked = check(folder, state=folder.parent / "state", fix=True)
    assert [file.fixed for file in checked] == [[], [], []]
    assert {path.name: path.read_text() for path in folder.iterdir()} == texts
    assert {path.stat().st_mtime_ns for path in folder.iterdir()} == {LONG_AGO[1]}


def test_a_mended_file_is_no_longer_what_was_kept(folder: Path) -> None:
    write(folder, SURE)
    state = folder.parent / "state"
    check(folder, state=state, fix=True)
    (checked,) = check(folder, state=state)
    assert [f.rule for f in checked.findings] == ["request-not-stored"]


def test_a_link_is_written_through(folder: Path) -> None:
    real = write(folder.parent, SURE, "real.json")
    (folder / f"{DIGEST}.json").symlink_to(real)
    check(folder, state=folder.parent / "state", fix=True)
    assert real.read_text() == MENDED
    assert (folder / f"{DIGEST}.json").is_symlink()


@pytest.mark.parametrize("change", ["written", "deleted"])
def test_a_file_that_changed_meanwhile_is_not_written(
    change: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, SURE)
    fsync = os.fsync

    def change_then_sync(descriptor: int) -> None:
        """Another program comes in the middle of the save."""
        path.write_text("somebody's work") if change == "written" else path.unlink()
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", change_then_sync)
    (checked,) = check(path, state=folder.parent / "state", fix=True)
    assert checked.not_fixed == "another program changed it meanwhile"
    assert checked.fixed == []
    assert "total-tokens-set" in [f.rule for f in checked.findings]
    left = {file.name: file.read_text() for file in folder.iterdir()}
    assert left == ({} if change == "deleted" else {path.name: "somebody's work"})


def test_a_file_that_cannot_be_written(folder: Path) -> None:
    """No name for the new file beside it: the system takes 255 characters."""
    path = write(folder, SURE, "x" * 250 + ".txt")
    (checked,) = check(path, state=folder.parent / "state", fix=True)
    assert checked.not_fixed == "File name too long"
    assert path.read_text() == SURE


def test_a_pipe_that_is_named_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "x.txt"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="it is a named pipe, not a file") as refused:
        check(pipe, state=tmp_path / "state", fix=True)
    assert refused.value.filename == str(pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
