"""Misses are compared with fixtures until nothing new is left."""

from __future__ import annotations

import asyncio
from contextlib import closing
from pathlib import Path

import pytest

from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.core.log.reader import LogParser
from workbench.io.fixtures.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.io.watcher import FolderWatcher
from workbench.session.misses.stale import StaleNews
from workbench.session.session import Session
from workbench.tui.services.stale_feed import compare_misses


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
