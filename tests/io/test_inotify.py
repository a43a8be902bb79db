"""Events of folders as Linux tells them, and the other way where it does not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.io.test_watch import NEVER, Watch, run
from workbench.io import inotify
from workbench.io.inotify import FolderWatch
from workbench.io.watch import watch_folder

pytestmark = pytest.mark.skipif(not inotify.IS_AVAILABLE, reason="Linux alone has it")


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[FolderWatch]:
    with FolderWatch([tmp_path], quiet=0.02, most=0.2) as watch:
        yield watch


def test_what_happens_together_is_told_together(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "a\udcff b.json").write_text("1")
    (tmp_path / "c.json").write_text("1")
    (tmp_path / "c.json").rename(tmp_path / "d.json")
    assert next(watch.batches(10)) == {"a\udcff b.json", "c.json", "d.json"}


def test_constant_change_is_told_all_the_same(watch: FolderWatch, tmp_path: Path) -> None:
    stop = threading.Event()

    def write() -> None:
        while not stop.wait(0.001):
            (tmp_path / "busy").write_text("1")

    writer = threading.Thread(target=write)
    writer.start()
    try:
        begun = time.monotonic()
        assert next(watch.batches(10)) == {"busy"}
        assert time.monotonic() - begun < 5
    finally:
        stop.set()
        writer.join()


def test_nothing_is_told_in_time(watch: FolderWatch) -> None:
    assert next(watch.batches(0.01)) == set()


def test_ends_with_the_folder(watch: FolderWatch, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    tmp_path.rename(tmp_path.with_name("gone"))
    assert set().union(*watch.batches(10)) == {"a"}


def test_ends_when_interrupted(watch: FolderWatch) -> None:
    threading.Timer(0.05, watch.interrupt).start()
    assert list(watch.batches(50)) == [set()]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FolderWatch([tmp_path, tmp_path / "none"], quiet=0.02, most=0.2)


SCARCE = """
import os, resource, sys
from workbench.io.inotify import FolderWatch
opened, hard = len(os.listdir("/proc/self/fd")) - 1, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
for spare in (0, 1, 2):
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + spare, hard))
    try:
        FolderWatch([sys.argv[1]], quiet=1, most=1).close()
        print("watched")
    except OSError as error:
        print(error.strerror)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    assert len(os.listdir("/proc/self/fd")) - 1 == opened
"""


def test_where_files_are_scarce_none_stays_open(tmp_path: Path) -> None:
    told = subprocess.check_output([sys.executable, "-c", SCARCE, str(tmp_path)], text=True)
    assert told.split("\n")[:-1] == ["Too many open files", "Too many open files", "watched"]


def test_elsewhere_watchfiles_tells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inotify, "IS_AVAILABLE", False)

    async def test() -> None:
        stop = asyncio.Event()
        async with aclosing(watch_folder(tmp_path, stop, interval=NEVER)) as changes:
            assert await anext(changes) == frozenset()
            writing = asyncio.get_running_loop().call_later(
                0.3, (tmp_path / "a.json").write_text, "1"
            )
            await Watch(changes).tells("a.json")
            writing.cancel()
            stop.set()

    run(test)
