"""Named pipes and devices in the place of files: nothing waits for ever."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from workbench.core.replies.response import FixtureError
from workbench.core.replies.serving import Serving
from workbench.io.files.regular import LONGEST, open_finite, read_at, read_regular
from workbench.io.fixture.ignore_list import FILE_NAME, IgnoreList
from workbench.io.fixture.store import FixtureStore
from workbench.io.recordings import eval_reports, recording_file
from workbench.session.fixture.index import FixtureIndex

pytestmark = pytest.mark.timeout(60)
DIGEST = "a" * 64
NAME = f"{DIGEST}.json"


def pipe(folder: Path, name: str) -> Path:
    os.mkfifo(folder / name)
    return folder / name


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\x00\r\n" * 50_000)
    assert read_regular(file) == b"\x00\r\n" * 50_000


def test_a_pipe_is_refused_and_nothing_of_it_is_lost(tmp_path: Path) -> None:
    path = pipe(tmp_path, "pipe")
    with open(path, "r+b", buffering=0) as both:
        both.write(b"log")
        with pytest.raises(OSError, match="it is not a file"):
            read_regular(path)
        assert both.read(3) == b"log"


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_regular(tmp_path)


def test_a_file_that_is_very_long_is_refused(tmp_path: Path) -> None:
    path = tmp_path / NAME
    with path.open("wb") as file:
        file.write(b"head")
        file.truncate(LONGEST)
        assert len(read_regular(path)) == LONGEST
        file.truncate(20 * 1024**3)
    with pytest.raises(OSError, match="it is longer than 64 MiB"):
        read_regular(path)
    with pytest.raises(FixtureError, match="cannot be read: it is longer than 64 MiB"):
        FixtureStore(tmp_path).load(DIGEST)


def test_what_somebody_names_is_read_to_its_end(tmp_path: Path) -> None:
    path = pipe(tmp_path, "pipe")
    writer = threading.Thread(target=path.write_bytes, args=(b"log",))
    writer.start()
    with open_finite(path, named_pipes=True) as file:
        assert file.read() == b"log"
    writer.join()
    with open_finite(os.devnull) as file:
        assert file.read() == b""


def test_what_is_waited_for_is_no_file_that_somebody_names(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="it is a named pipe, not a file"):
        open_finite(pipe(tmp_path, "pipe"))
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(OSError, match="it is a named pipe, not a file"):
        open_finite(tmp_path / "link")
    reading, writing = os.pipe()
    os.write(writing, b"from a shell")
    os.close(writing)
    with open_finite(f"/dev/fd/{reading}") as file:
        assert file.read() == b"from a shell"
    os.close(reading)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
def test_a_device_that_never_ends_is_refused(device: str) -> None:
    with pytest.raises(OSError, match="it is a device, not a file") as told:
        open_finite(device)
    assert told.value.filename == device


def test_a_terminal_ends_when_who_types_says_so() -> None:
    keys, terminal = os.openpty()
    with open(keys, "wb", buffering=0) as typed, open_finite(os.ttyname(terminal)) as file:
        os.close(terminal)
        typed.write(b"log\n\x04")
        assert file.read() == b"log\n"


def test_as_a_fixture(tmp_path: Path) -> None:
    pipe(tmp_path, NAME)
    store = FixtureStore(tmp_path)
    with pytest.raises(FixtureError, match="it is not a file"):
        store.load(DIGEST)
    with pytest.raises(OSError, match="it is not a file"):
        store.read(DIGEST)
    entry = FixtureIndex(store, Serving).examine(NAME)
    assert entry is not None
    assert entry.is_broken
    assert [finding.message for finding in entry.findings] == ["cannot be read: it is not a file"]


def test_as_the_list_of_what_is_ignored(tmp_path: Path) -> None:
    pipe(tmp_path, FILE_NAME)
    ignored = IgnoreList(tmp_path)
    with pytest.raises(OSError, match="it is not a file"):
        ignored.load()
    with pytest.raises(OSError, match="it is not a file"):
        ignored.add(DIGEST, "why")


def test_among_runs_and_reports(tmp_path: Path) -> None:
    pipe(tmp_path, "a.jsonl")
    assert recording_file.journals(tmp_path) == []
    with pytest.raises(OSError, match="it is not a file"):
        eval_reports.load(pipe(tmp_path, "a.json"))


def test_a_piece_of_a_file_also_where_the_system_has_no_call_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"0123456789")
    with file.open("rb") as opened:
        for _ in range(2):
            assert read_at(opened.fileno(), 4, 3) == b"456"
            assert read_at(opened.fileno(), 8, 9) == b"89"
            monkeypatch.delattr(os, "pread", raising=False)
