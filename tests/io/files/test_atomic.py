"""A written file is whole, keeps what it should, and nothing else stays behind."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from workbench.io.files.atomic import remove_leftovers, write_atomic


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[int]:
    before = os.umask(0o027)
    yield 0o027
    os.umask(before)


def test_writes_and_overwrites(tmp_path: Path) -> None:
    file = tmp_path / "file"
    write_atomic(file, b"one")
    write_atomic(file, b"other")
    assert file.read_bytes() == b"other"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("kept", [0o600, 0o640, 0o755])
def test_keeps_the_mode_of_a_file(tmp_path: Path, kept: int) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    file.chmod(kept)
    write_atomic(file, b"new")
    assert mode(file) == kept


@pytest.mark.parametrize("create", [True, False])
def test_a_new_file_goes_by_the_umask(tmp_path: Path, umask: int, create: bool) -> None:
    file = tmp_path / "file"
    write_atomic(file, b"new", create=create)
    assert mode(file) == 0o666 & ~umask


def test_writes_through_symlinks(tmp_path: Path) -> None:
    target = tmp_path / "elsewhere" / "target"
    target.parent.mkdir()
    target.write_bytes(b"old")
    link = tmp_path / "link"
    link.symlink_to(Path("elsewhere") / "target")
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(target.parent) == ["target"]


@pytest.mark.parametrize("create", [True, False])
def test_writes_through_a_symlink_to_nothing(tmp_path: Path, create: bool) -> None:
    link = tmp_path / "link"
    link.symlink_to("target")
    write_atomic(link, b"new", create=create)
    assert link.is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_tells_the_status_of_what_it_wrote(tmp_path: Path) -> None:
    file = tmp_path / "file"
    written = write_atomic(file, b"new")
    found = file.stat()
    assert (written.st_mtime_ns, written.st_size, written.st_ino) == (
        found.st_mtime_ns,
        found.st_size,
        found.st_ino,
    )


@pytest.mark.parametrize("create", [True, False])
def test_the_bytes_and_then_the_name_survive_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, create: bool
) -> None:
    """The file is on disk before it has its name, its folder is after that."""
    file = tmp_path / "file"
    synced: list[tuple[int, bool]] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        synced.append((os.fstat(descriptor).st_ino, file.exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    written = write_atomic(file, b"new", create=create)
    assert synced == [(written.st_ino, False), (tmp_path.stat().st_ino, True)]


def test_create_does_not_overwrite(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    with pytest.raises(FileExistsError):
        write_atomic(file, b"new", create=True)
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_of_many_who_create_at_once_one_wins(tmp_path: Path) -> None:
    for attempt in range(20):
        file = tmp_path / str(attempt)
        start = threading.Barrier(4)

        def create(
            number: int, file: Path = file, start: threading.Barrier = start
        ) -> bytes | None:
            data = bytes([number]) * 1000
            start.wait()
            try:
                write_atomic(file, data, create=True)
            except FileExistsError:
                return None
            return data

        with ThreadPoolExecutor(4) as pool:
            won = [data for data in pool.map(create, range(4)) if data is not None]
        assert won == [file.read_bytes()]
    assert sorted(map(int, os.listdir(tmp_path))) == list(range(20))


def test_readers_see_one_version_or_the_other(tmp_path: Path) -> None:
    file = tmp_path / "file"
    versions = [b"a" * 50_000, b"b" * 70_000]
    write_atomic(file, versions[0])
    done = threading.Event()

    def write() -> None:
        for number in range(60):
            write_atomic(file, versions[number % 2])
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    seen = set()
    while not done.is_set():
        seen.add(file.read_bytes())
    writer.join()
    assert seen <= set(versions)


def test_what_stops_it_at_the_last_moment_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")
    found_there = []

    def refuse() -> None:
        found_there.extend(os.listdir(tmp_path))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        write_atomic(file, b"new", confirm=refuse)
    assert len(found_there) == 2  # the new bytes lay there already
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_in_the_place_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write_atomic(tmp_path / "file", b"new")
    assert str(caught.value).endswith(f": {str(tmp_path / 'file')!r}")  # nor of another file
    assert os.listdir(tmp_path) == ["file"]
    assert os.listdir(tmp_path / "file") == []


def test_a_file_in_the_place_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").write_bytes(b"old")
    with pytest.raises(NotADirectoryError) as caught:
        write_atomic(tmp_path / "folder" / "file", b"new")
    assert caught.value.filename == str(tmp_path / "folder" / "file")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    # The largest file a process may write stands in for the disk; it counts for that process.
    script = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from workbench.io.files.atomic import write_atomic\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))\n"
        "try:\n"
        "    write_atomic(Path(sys.argv[1]), b'n' * 100_000)\n"
        "except OSError as error:\n"
        "    print(error.filename, error.strerror)\n"
    )
    file = tmp_path / "file"
    file.write_bytes(b"old")
    told = subprocess.run(
        [sys.executable, "-c", script, str(file)], capture_output=True, check=True, timeout=60
    )
    assert told.stdout.decode() == f"{file} File too large\n"
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.fixture
def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def leftover(folder: Path, pid: int) -> Path:
    file = folder / f".file.{pid}-0123abcd.tmp"
    file.write_bytes(b"half a f")
    return file


def test_temporary_names_are_those_that_are_looked_for(tmp_path: Path) -> None:
    names: list[str] = []
    write_atomic(tmp_path / "file", b"new", confirm=lambda: names.extend(os.listdir(tmp_path)))
    assert len(names) == 1
    assert re.fullmatch(rf"\.file\.{os.getpid()}-[0-9a-f]{{8}}\.tmp", names[0])


def test_leftovers_of_the_dead_are_removed(tmp_path: Path, dead_pid: int) -> None:
    leftover(tmp_path, dead_pid)
    assert remove_leftovers(tmp_path) == 1
    assert os.listdir(tmp_path) == []


def test_the_first_write_into_a_folder_removes_them(tmp_path: Path, dead_pid: int) -> None:
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        leftover(folder, dead_pid)
        write_atomic(folder / "file", b"new")
        assert os.listdir(folder) == ["file"]


def test_files_being_written_are_not(tmp_path: Path) -> None:
    own, other = leftover(tmp_path, os.getpid()), leftover(tmp_path, os.getppid())
    assert remove_leftovers(tmp_path) == 0
    assert own.exists()
    assert other.exists()


def test_an_old_one_is_removed_though_its_number_lives(tmp_path: Path) -> None:
    file = leftover(tmp_path, os.getpid())
    long_ago = time.time() - 7200
    os.utime(file, (long_ago, long_ago))
    assert remove_leftovers(tmp_path) == 1


@pytest.mark.parametrize(
    "name",
    [
        "file",
        ".file",
        ".gitignore",
        ".file.tmp",
        "file.{}-0123abcd.tmp",
        ".file.{}-0123abc.tmp",
        ".file.{}-0123abcd.tmp.json",
        ".file.99999999999999999999-0123abcd.tmp",
    ],
)
def test_other_files_are_none_of_its_business(tmp_path: Path, dead_pid: int, name: str) -> None:
    file = tmp_path / name.format(dead_pid)
    file.write_bytes(b"somebody's")
    assert remove_leftovers(tmp_path) == 0
    assert file.exists()


def test_no_folder_has_no_leftovers(tmp_path: Path) -> None:
    assert remove_leftovers(tmp_path / "none") == 0
