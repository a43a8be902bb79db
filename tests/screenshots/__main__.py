"""Takes the pictures of README and manual anew: ``python -m tests.screenshots``.

The application runs against a real server with the sample traffic, and with a suite of two tests;
nothing is drawn by hand.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from textual.pilot import Pilot

from tests.screenshots import loop
from tests.screenshots.moving import moving
from tests.screenshots.scenes import SCENES
from tests.screenshots.stage import drawn, shows
from workbench.demo.sample_files import install_fixtures, install_records
from workbench.demo.traffic import play, play_held
from workbench.io import manual
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.log_files import open_tail
from workbench.io.network.ports import listen
from workbench.io.processes.server_process import ChildServer
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.session.suite.suite import Suite
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch

FOLDER = manual.FOLDER / "pictures"


@asynccontextmanager
async def application(
    server: ChildServer, state: Path, size: tuple[int, int], suite: Suite | None = None
) -> AsyncIterator[Pilot[None]]:
    """The application on the server's log, with a state folder of its own."""
    state_folder = StateFolder(state)
    if suite is None:
        install_records(state_folder)
    session = Session(FixtureStore(Path("fixtures")), state_folder)
    session.suite = suite
    with closing(open_tail(server.log)) as tail, closing(session):
        app = WorkbenchApp(session, Launch([tail], server.url, is_own=True))
        app.animation_level = "none"
        async with app.run_test(size=size) as pilot:
            await shows(pilot, "Misses [1/")
            yield pilot


def keep(name: str, picture: str) -> None:
    path = FOLDER / f"{name}.svg"
    path.write_text(picture, encoding="utf-8")
    print(path)


async def film(folder: Path) -> None:
    """Take the moving picture, and the single ones of its suite."""
    os.chdir(folder)
    with loop.held_suite(folder) as (server, suite):
        async with application(server, folder / ".workbench", loop.SIZE, suite) as pilot:
            taken = []
            async for frame in loop.frames(pilot):
                taken.append(await drawn(pilot, frame.title))
                if frame.name:
                    keep(frame.name, await drawn(pilot, "workbench run -- pytest -q"))
    keep("loop", moving(taken))


async def shoot(folder: Path) -> None:
    """Take the single pictures of the sample traffic."""
    os.chdir(folder)
    install_fixtures(folder / "fixtures")
    listener, _ = listen("127.0.0.1", 0)
    log = folder / "mock-llm.log"
    with ChildServer(listener, fixtures=folder / "fixtures", log=log) as server:
        play(server.url)
        waiting = threading.Thread(target=play_held, args=[server.url], daemon=True)
        waiting.start()
        for scene in SCENES:
            async with application(server, folder / f".{scene.name}", scene.size) as pilot:
                await scene.steps(pilot)
                keep(scene.name, await drawn(pilot, "workbench --demo"))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for take in (film, shoot):
        with tempfile.TemporaryDirectory() as name:
            try:
                asyncio.run(take(Path(name)))
            finally:
                os.chdir(FOLDER)


if __name__ == "__main__":
    main()
