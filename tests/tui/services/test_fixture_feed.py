"""How the fixtures folder is followed."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from workbench.io.fixtures.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.io.watcher import FolderWatcher
from workbench.session.session import Session
from workbench.tui.services import fixture_feed
from workbench.tui.services.fixture_feed import FixtureFeed


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
