"""Changes in a folder are told, with events and without."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.io.files.watching import watching
from tests.server.running import wait_until
from workbench.io.files import watcher as watcher_module
from workbench.io.files.atomic import write_atomic
from workbench.io.files.stamps import OwnWrites
from workbench.io.files.watcher import watch_folder

PATIENCE = 50.0
FAST = 0.01
NEVER = 1000.0

BOTH = pytest.mark.parametrize("events", [False, True], ids=["polls", "events"])


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def with_patience() -> None:
        async with asyncio.timeout(PATIENCE):
            await test()

    asyncio.run(with_patience())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "fixtures"
    folder.mkdir(parents=True)
    return folder


class Watch:
    """Takes names until those expected were told; fails on any that was not expected."""

    def __init__(self, changes: AsyncGenerator[frozenset[str], None]) -> None:
        self.changes = changes

    async def tells(self, *names: str) -> None:
        missing = set(names)
        while missing:
            told = await anext(self.changes)
            assert told <= set(names)
            missing -= told


@BOTH
def test_every_change_of_a_file_is_told(folder: Path, events: bool) -> None:
    (folder / "old.json").write_text("1")

    async def test() -> None:
        async with (
            watching(interval=FAST, events=events) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == {"old.json"}
            told = Watch(changes)
            write_atomic(folder / "new.json", b"1")
            await told.tells("new.json")
            (folder / "old.json").write_text("22")
            await told.tells("old.json")
            write_atomic(folder / "old.json", b"33")
            await told.tells("old.json")
            (folder / "old.json").rename(folder / "other.json")
            await told.tells("old.json", "other.json")
            (folder / "new.json").unlink()
            await told.tells("new.json")

    run(test)


@BOTH
def test_files_being_written_and_links_to_nothing_are_not_told(folder: Path, events: bool) -> None:
    async def test() -> None:
        async with (
            watching(interval=FAST, events=events) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == set()
            (folder / ".file.1-0123abcd.tmp").touch()
            (folder / "nowhere.json").symlink_to("nothing")
            (folder / "file.json").touch()
            await Watch(changes).tells("file.json")

    run(test)


@BOTH
def test_what_was_written_here_is_not_told(folder: Path, events: bool) -> None:
    async def test() -> None:
        own = OwnWrites()
        async with (
            watching(interval=FAST, events=events) as watcher,
            aclosing(watch_folder(folder, watcher, own)) as changes,
        ):
            assert await anext(changes) == set()
            told = Watch(changes)
            # Noted before the watcher can look: the file comes from beside the folder.
            (ours := folder.parent / "ours.json").write_text("ours")
            own.note(ours.name, ours.stat())
            ours.rename(folder / ours.name)
            (folder / "theirs.json").touch()
            await told.tells("theirs.json")
            (folder / ours.name).write_text("of another program")
            await told.tells("ours.json")
            own.note(ours.name, None)
            (folder / ours.name).unlink()
            (folder / "theirs.json").unlink()
            await told.tells("theirs.json")

    run(test)


@BOTH
def test_a_folder_that_comes_and_goes(tmp_path: Path, events: bool) -> None:
    folder = tmp_path / "a" / "fixtures"

    async def test() -> None:
        async with (
            watching(interval=FAST, events=events) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == set()
            told = Watch(changes)
            for _ in range(2):
                folder.mkdir(parents=True)
                (folder / "one.json").touch()
                await told.tells("one.json")
                (folder / "two.json").touch()
                await told.tells("two.json")
                shutil.rmtree(folder)
                await told.tells("one.json", "two.json")
                folder.write_text("a file in its place")
                folder.unlink()

    run(test)


@BOTH
def test_a_file_written_through_a_symlink(folder: Path, tmp_path: Path, events: bool) -> None:
    target = tmp_path / "target.json"
    target.write_text("1")
    (folder / "link.json").symlink_to(target)

    async def test() -> None:
        async with (
            watching(interval=FAST, events=events) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == {"link.json"}
            target.write_text("22")
            await Watch(changes).tells("link.json")

    run(test)


def test_an_event_alone_is_enough(folder: Path) -> None:
    async def test() -> None:
        async with (
            watching(interval=NEVER) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == set()

            async def write() -> None:
                # Nobody tells when the watch has begun, so write until it is seen.
                for number in range(1000):
                    (folder / "file.json").write_text(str(number))
                    await asyncio.sleep(0.05)

            async with asyncio.TaskGroup() as group:
                writing = group.create_task(write())
                assert await anext(changes) == {"file.json"}
                assert await anext(changes) == {"file.json"}
                writing.cancel()

    run(test)


def test_thousands_of_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watcher_module, "_SCAN_SHARE", 1 / 5)  # sooner than it is worth at work
    names = {f"{number:064x}.json" for number in range(3000)}
    for name in names:
        (folder / name).touch()

    async def test() -> None:
        async with (
            watching(interval=FAST, events=False) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == names
            some = sorted(names)[1500]
            told = Watch(changes)
            (folder / "new.json").touch()
            await told.tells("new.json")
            (folder / some).write_text("x")  # nothing of it shows in the folder itself
            await told.tells(some)
            (folder / some).unlink()
            await told.tells(some)

    run(test)


def test_what_shows_in_a_large_folder_itself_does_not_wait(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watcher_module, "_SCAN_SHARE", 1e-9)
    monkeypatch.setattr(watcher_module, "_SCAN_SECONDS", NEVER)

    async def test() -> None:
        async with (
            watching(interval=FAST, events=False) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            assert await anext(changes) == set()
            told = Watch(changes)
            write_atomic(folder / "new.json", b"1")
            await told.tells("new.json")
            write_atomic(folder / "new.json", b"2")
            await told.tells("new.json")

    run(test)


@pytest.mark.parametrize("moved", [False, True], ids=["deleted", "moved away"])
def test_events_come_from_the_folder_that_was_made_anew(folder: Path, moved: bool) -> None:
    interval = 0.5

    async def test() -> None:
        async def write() -> None:
            for number in range(100_000):
                (folder / "file.json").write_text(str(number))
                await asyncio.sleep(0.02)

        async with (
            watching(interval=interval) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
            asyncio.TaskGroup() as group,
        ):
            await anext(changes)
            (folder / "file.json").touch()
            await Watch(changes).tells("file.json")
            await asyncio.sleep(interval)  # the watch has begun, likely; else there is no test
            number = folder.stat().st_ino
            if moved:
                folder.parent.rename(folder.parent.with_name("old"))
            else:
                shutil.rmtree(folder)
                for _ in range(50):  # mostly the new folder gets the number of the old at once
                    folder.mkdir()
                    if folder.stat().st_ino == number:
                        break
                    folder.rmdir()
            folder.mkdir(parents=True, exist_ok=True)
            writing = group.create_task(write())
            times: list[float] = []
            while len(times) < 5 or times[-1] - times[-5] > 2 * interval:
                await anext(changes)  # polls alone tell five times in four intervals
                times.append(time.monotonic())
            writing.cancel()

    run(test)


def test_a_folder_in_constant_change_is_polled_all_the_same(folder: Path, tmp_path: Path) -> None:
    """Events of one file do not hide what only polls find."""
    target = tmp_path / "target.json"
    target.write_text("1")
    (folder / "link.json").symlink_to(target)

    async def test() -> None:
        async def write() -> None:
            for number in range(100_000):
                (folder / "busy.json").write_text(str(number))
                await asyncio.sleep(0.005)

        async with (
            watching(interval=0.2) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
            asyncio.TaskGroup() as group,
        ):
            writing = group.create_task(write())
            assert "link.json" in await anext(changes)
            for _ in range(3):
                assert await anext(changes) == {"busy.json"}
            target.write_text("22")
            while "link.json" not in await anext(changes):
                pass
            writing.cancel()

    run(test)


@BOTH
def test_stops_at_once(folder: Path, events: bool) -> None:
    async def test() -> None:
        async with watching(interval=NEVER, events=events) as watcher:
            asyncio.get_running_loop().call_later(0.05, watcher.close)
            told = [names async for names in watch_folder(folder, watcher)]
        assert told == [frozenset()]

    run(test)


@BOTH
def test_nothing_is_told_where_nothing_happens(folder: Path, events: bool) -> None:
    (folder / "file.json").write_text("1")

    async def test() -> None:
        async with watching(interval=FAST, events=events) as watcher:
            asyncio.get_running_loop().call_later(0.3, watcher.close)
            told = [names async for names in watch_folder(folder, watcher)]
        assert told == [{"file.json"}]

    run(test)


def test_a_poll_wakes_only_those_who_see_a_change(folder: Path) -> None:
    changed: list[str] = []

    async def test() -> None:
        async with watching(interval=FAST, events=False) as watcher:
            with (
                watcher.subscribe(lambda: [folder], lambda: bool(changed)) as quiet,
                watcher.subscribe(lambda: [folder]) as polled,
            ):
                await quiet.next()  # of the start
                waiting = asyncio.ensure_future(quiet.next())
                for _ in range(5):
                    await polled.next()
                assert not waiting.done()
                changed.append("now")
                assert await waiting is False

    run(test)


@BOTH
def test_a_folder_that_cannot_be_read_has_no_names(tmp_path: Path, events: bool) -> None:
    folder = tmp_path / ("x" * 300)  # longer than a name may be

    async def test() -> None:
        async with watching(interval=FAST, events=events) as watcher:
            asyncio.get_running_loop().call_later(0.1, watcher.close)
            told = [names async for names in watch_folder(folder, watcher)]
        assert told == [frozenset()]

    run(test)


def test_leaves_no_descriptor_open(folder: Path) -> None:
    before = len(os.listdir("/dev/fd"))

    async def test() -> None:
        async with (
            watching(interval=FAST) as watcher,
            aclosing(watch_folder(folder, watcher)) as changes,
        ):
            await anext(changes)
            (folder / "file.json").touch()
            await Watch(changes).tells("file.json")

    run(test)
    # The watcher's own thread closes what it has a moment later.
    wait_until("everything closed", lambda: len(os.listdir("/dev/fd")) <= before)
