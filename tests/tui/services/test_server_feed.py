"""What a server reports, in the session."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.server.running import RunningServer
from tests.tui.running import Running, application, ask
from workbench.core.digest import digest
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.services.server_feed import ServerFeed

HELLO = ask("hello")
WIDE = (200, 50)


@pytest.mark.parametrize(
    ("arguments", "can_hold"),
    [((), True), (("--record", "--upstream", "http://127.0.0.1:9"), False)],
)
def test_hold_is_known_where_the_server_can(
    tmp_path: Path, arguments: tuple[str, ...], can_hold: bool
) -> None:
    session = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))

    async def until_connected(url: str) -> None:
        is_connected = asyncio.Event()
        session.server.url = url
        feed = ServerFeed(
            session,
            reads_log=lambda: True,
            on_misses=lambda _: None,
            on_held=lambda _: is_connected.set(),
            on_ignored=lambda: None,
            on_ended=lambda _: None,
            on_profile=lambda: None,
            on_tests=lambda: None,
            on_unrecorded=lambda *_: None,
        )
        following = asyncio.ensure_future(feed.follow())
        await asyncio.wait_for(is_connected.wait(), 60)
        following.cancel()
        await asyncio.wait([following])

    with RunningServer(tmp_path, arguments=arguments, working_folder=tmp_path) as server:
        asyncio.run(until_connected(server.url))
    assert session.server.hold is not None
    assert session.server.can_hold == can_hold
    session.close()


def test_header_and_preview_follow_the_profile_of_the_server(tmp_path: Path) -> None:
    def previewed(running: Running) -> str:
        assessment = running.session.drafting.assessments.get(digest(HELLO))
        return assessment.preview.profile if assessment is not None else ""

    async def run(url: str) -> None:
        async with application(tmp_path, [HELLO], server_url=url, size=WIDE) as running:
            await running.until_shown("server 127")
            await running.until_shown("profile openai   hold off")
            assert running.session.server.profile_note == ""
            await running.until(lambda: previewed(running) == "openai")
            await running.until_shown("openai · text")

    arguments = ("--profile", "openai")
    with RunningServer(tmp_path, arguments=arguments, working_folder=tmp_path) as server:
        asyncio.run(run(server.url))


def test_where_the_profile_comes_from_is_said_if_no_server_reports_it(tmp_path: Path) -> None:
    async def run() -> None:
        async with application(tmp_path, [HELLO], size=WIDE) as running:
            await running.until_shown("profile stub (default)   ● live")
            assert running.session.server.profile_note == " (default)"

    asyncio.run(run())
