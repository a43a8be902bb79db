"""How the fixtures folder is followed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.core.log.reader import LogParser
from workbench.io.files.watcher import FolderWatcher
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.misses.stale import StaleNews
from workbench.session.session import Session
from workbench.tui.services import fixture_feed
from workbench.tui.services.fixture_feed import FixtureFeed, compare_misses


def test_a_list_that_is_slow_to_show_is_shown_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixture_feed, "SHOW_EVERY", 0.001)
    for number in range(200):
        (tmp_path / f"{number:064x}.json").write_text('{"response": {"content": "x"}}')
    session = Session(FixtureStore(tmp_path), StateFolder(tmp_path / ".workbench"))
    watcher = FolderWatcher()
    left: list[int] = []

    def show() -> None:
        left.append(len(session.fixtures.waiting))
        time.sleep(0.2)

    async def until_examined() -> None:
        feed = FixtureFeed(session, watcher, on_files=lambda *_: None, on_examined=show)
        tasks = [asyncio.ensure_future(work) for work in (feed.watch(), feed.examine())]
        while left[-1:] != [0]:
            await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    asyncio.run(asyncio.wait_for(until_examined(), 60))
    session.close()
    assert left[0] > 0
    assert len(left) < 10


def test_what_a_killed_save_left_is_removed_before_the_folder_is_listed(tmp_path: Path) -> None:
    name = f"{1:064x}.json"
    (tmp_path / name).write_text('{"response": {"content": "x"}}')
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    leftover = tmp_path / f".{name}.{ended.pid}-0123abcd.tmp"
    leftover.write_text('{"respo')
    session = Session(FixtureStore(tmp_path), StateFolder(tmp_path / ".workbench"))

    async def names_listed() -> frozenset[str]:
        listed = asyncio.get_running_loop().create_future()
        feed = FixtureFeed(
            session,
            FolderWatcher(),
            on_files=lambda names, _: listed.set_result((names, leftover.exists())),
            on_examined=lambda: None,
        )
        watching = asyncio.ensure_future(feed.watch())
        names, is_left = await asyncio.wait_for(listed, 60)
        watching.cancel()
        assert not is_left
        return frozenset(names)

    with closing(session):
        assert asyncio.run(names_listed()) == {name}


def test_that_all_is_compared_is_told_also_when_the_last_look_found_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    payload = ask("hello")
    log = miss_lines(digest(payload), payload).encode()

    async def flow() -> None:
        session.take_log(session.intake.read(LogParser().feed(log)))
        read, coming = session.stale.read, [["notes.txt"]]

        def read_while_a_file_comes() -> StaleNews:
            found = read()
            if coming:
                session.take_files(coming.pop())
            return found

        monkeypatch.setattr(session.stale, "read", read_while_a_file_comes)
        behind: list[bool] = []
        watcher = FolderWatcher()
        stale, news = session.stale, asyncio.Event()
        comparing = asyncio.ensure_future(
            compare_misses(stale, watcher, news, lambda *_: behind.append(stale.is_behind))
        )
        news.set()
        async with asyncio.timeout(60):
            while not behind or behind[-1]:
                await asyncio.sleep(0.01)
        watcher.close()
        news.set()
        await comparing

    with closing(session):
        asyncio.run(flow())
