"""Logs that are opened and servers that are started while the application runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from textual.worker import Worker, WorkerState

from tests.server.running import RunningServer
from tests.server.upstream_model import KEY, running_model
from tests.tui.running import Running, ask, in_turn
from tests.tui.test_app import HELLO, WORLD, play
from workbench.core.digest import digest
from workbench.core.log.lines import ignored_line, miss_lines
from workbench.core.text.digests import short
from workbench.core.user_error import UserError
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.log_files import open_tail
from workbench.io.network.ports import PORTS
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch
from workbench.tui.services.services import OTHER_DIGESTS

# The port of a service that nobody has run for decades.
NOBODY = "http://127.0.0.1:9"


@asynccontextmanager
async def launched(folder: Path, launch: Launch) -> AsyncIterator[Running]:
    session = Session(FixtureStore(folder / "fixtures"), StateFolder(folder / ".workbench"))
    app = WorkbenchApp(session, launch)
    with closing(session):
        try:
            async with app.run_test(size=(200, 24)) as pilot:
                running = Running(app, pilot, folder)
                await running.until(lambda: app.focused is not None)
                yield running
        finally:
            for tail in launch.tails:
                tail.close()


async def open_log(running: Running, name: str) -> None:
    running.app.do_offer("open")
    await running.until_shown("Which log?")
    await running.write(name)
    await running.press("enter")


def put_log(path: Path, *payloads: dict[str, Any]) -> Path:
    path.write_text("".join(miss_lines(digest(payload), payload) for payload in payloads), "utf-8")
    return path


ENCODING = "ignored encoding_format; --profile openai honours it"


def test_what_the_server_ignored_is_told_once(tmp_path: Path) -> None:
    log = tmp_path / "more.log"
    log.write_text(ignored_line("encoding_format") * 2 + ignored_line("dimensions"), "utf-8")

    async def flow() -> None:
        async with launched(tmp_path, Launch([open_tail(log)])) as running:
            await running.until(running.shows("The server ignored dimensions;"))
            assert running.status == f"The server {ENCODING}."
            running.app.status.say("")
            with log.open("a", encoding="utf-8") as file:
                file.write(ignored_line("encoding_format") + miss_lines(digest(WORLD), WORLD))
            await running.until(lambda: digest(WORLD) in running.session.miss_index.misses)
            assert running.status == ""

    asyncio.run(flow())


def test_digests_that_are_not_those_of_the_requests_are_told_once(tmp_path: Path) -> None:
    log = tmp_path / "other.log"
    log.write_text(miss_lines("1" * 64, HELLO), "utf-8")

    async def flow() -> None:
        async with launched(tmp_path, Launch([open_tail(log)])) as running:
            await running.until(lambda: running.status == OTHER_DIGESTS)
            await running.until_shown("! workbench computes a different digest")
            await running.press("j")
            await running.until_shown(
                "! The log has a different digest for this request, 111111111111"
            )
            running.app.status.say("")
            with log.open("a", encoding="utf-8") as file:
                file.write(miss_lines("2" * 64, WORLD))
            await running.until(lambda: digest(WORLD) in running.session.miss_index.misses)
            assert running.status == ""

    asyncio.run(flow())


def test_what_a_server_without_a_log_ignored_is_told(tmp_path: Path) -> None:
    def ask_for(server: RunningServer, **options: Any) -> None:
        server.post("/v1/embeddings", {"input": "a", **options})

    async def flow() -> None:
        with RunningServer(tmp_path) as server:
            ask_for(server, encoding_format="base64")
            async with launched(tmp_path, Launch((), server.url)) as running:
                await running.until_shown(f"The server {ENCODING}.")
                await asyncio.to_thread(ask_for, server, dimensions=3)
                await running.until_shown("The server ignored dimensions;")

    asyncio.run(flow())


async def a_log_that_is_opened_is_read_once(running: Running) -> None:
    path = put_log(running.folder / "more.log", WORLD)
    link = running.folder / "same.log"
    link.symlink_to(path)
    await open_log(running, str(path))
    await running.until(lambda: digest(WORLD) in running.session.miss_index.misses)
    for again in (path, link):
        await open_log(running, again.name)
        await running.until_shown(f"{again.name} is already being read.")
    assert running.session.miss_index.misses[digest(WORLD)].count == 1


async def a_log_that_cannot_be_opened_is_told_and_a_hyphen_is_the_name_of_a_file(
    running: Running,
) -> None:
    for name in ("~nobody-of-this-name/suite.log", "a\0b", "/dev/zero"):
        said = running.app.services.open_log(f" {name} ")
        assert said.startswith(f"{name} cannot be read: ")
    assert running.app.services.open_log("  ") == ""
    assert len(running.app.launch.tails) == 1
    # Standard input is where the keys come from.
    assert running.app.services.open_log("-") == "- does not exist yet; waiting for it."
    another = ask("in a file named -")
    put_log(running.folder / "-", another)
    await running.until(lambda: digest(another) in running.session.miss_index.misses)


def test_logs_are_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    flow = in_turn(
        a_log_that_cannot_be_opened_is_told_and_a_hyphen_is_the_name_of_a_file,
        a_log_that_is_opened_is_read_once,
    )
    play(tmp_path, [HELLO], flow)


def test_what_flows_in_no_longer_is_told_unless_the_application_ends(tmp_path: Path) -> None:
    async def fails() -> None:
        raise LookupError("nobody foresaw this")

    told: list[Callable[[], None]] = []

    async def flow(running: Running) -> None:
        running.app.services._work("logs", "Reading logs", fails())
        said = "Reading logs stopped: LookupError: nobody foresaw this."
        await running.until(lambda: running.status == said)
        worker = running.app.run_worker(fails(), exit_on_error=False)
        failed = Worker.StateChanged(worker, WorkerState.ERROR)
        told.append(lambda: running.app.on_worker_state_changed(failed))

    play(tmp_path, [HELLO], flow)
    told[0]()


def test_a_server_that_is_started_takes_the_place_of_one_that_is_gone(tmp_path: Path) -> None:

    def followers(running: Running) -> list[str]:
        groups = [worker.group for worker in running.app.workers if not worker.is_finished]
        return sorted(group for group in groups if group in ("probe", "server"))

    async def flow() -> None:
        with RunningServer(tmp_path) as server:
            failures = [UserError("the server cannot start: No space left on device")]

            def start() -> tuple[str, Path]:
                if failures:
                    raise failures.pop()
                return server.url, server.log_path

            launch = Launch((), NOBODY, start_server=start)
            async with launched(tmp_path, launch) as running:
                await running.until_shown("127.0.0.1:9 down")
                running.app.do_offer("server")
                assert running.status == "The server cannot start: No space left on device."
                running.app.do_offer("server")
                await running.until_shown(f"127.0.0.1:{server.port} up")
                await running.until(lambda: running.session.server.hold is not None)
                await running.until(lambda: followers(running) == ["probe", "server"])
                assert running.status.startswith(f"Started on {server.url}.")
                await asyncio.to_thread(server.chat, ask("hello"))
                await running.until(
                    lambda: digest(ask("hello")) in running.session.miss_index.misses
                )
                running.app.do_offer("server")
                assert running.status == f"The server of this window is {server.url}."

    asyncio.run(flow())


def test_a_server_whose_port_goes_without_saying_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def flow() -> None:
        listener = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with listener:
            monkeypatch.setitem(PORTS, "http", listener.sockets[0].getsockname()[1])
            async with launched(tmp_path, Launch((), "http://127.0.0.1")) as running:
                await running.until_shown("server 127.0.0.1 up")

    asyncio.run(flow())


def test_a_server_that_is_gone_is_told(tmp_path: Path) -> None:
    async def flow() -> None:
        with ExitStack() as stack:
            server = stack.enter_context(RunningServer(tmp_path))
            async with launched(tmp_path, Launch((), server.url)) as running:
                await running.until(lambda: running.session.server.is_up is True)
                stack.close()
                where = urlsplit(server.url).netloc
                said = f"No server at {where}. v and hold need it; saving works."
                await running.until(lambda: said == news(running))
                await running.press("h")
                assert running.status == said

    asyncio.run(flow())


@pytest.mark.parametrize("expects", [True, False])
def test_a_server_that_does_not_answer_at_the_start_is_told_if_it_was_named(
    tmp_path: Path, expects: bool
) -> None:
    log = tmp_path / "more.log"
    log.write_text(miss_lines(digest(WORLD), WORLD), "utf-8")

    async def flow() -> None:
        launch = Launch([open_tail(log)], NOBODY, expects_server=expects)
        async with launched(tmp_path, launch) as running:
            await running.until(lambda: running.session.server.is_up is False)
            await running.until(lambda: digest(WORLD) in running.session.miss_index.misses)
            said = f"No server at {urlsplit(NOBODY).netloc}. v and hold need it; saving works."
            assert (said == news(running)) == expects

    asyncio.run(flow())


def test_an_exchange_that_a_recording_server_cannot_keep_is_told(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    with running_model() as upstream:
        arguments = ("--record", "--upstream", upstream.url)
        recording = RunningServer(tmp_path, arguments=arguments, working_folder=tmp_path)
        with recording as server:
            payload = ask("tell me the key")

            async def flow() -> None:
                async with launched(tmp_path, Launch((), server.url)) as running:
                    await running.until(lambda: running.session.server.hold is not None)
                    headers = {"Authorization": f"Bearer {KEY}"}
                    await asyncio.to_thread(server.chat, payload, headers)
                    said = f"{short(digest(payload))} is not recorded: "
                    await running.until(lambda: news(running).startswith(said))

            asyncio.run(flow())


def test_news_stand_in_the_status_line_for_a_while_and_cover_nothing(tmp_path: Path) -> None:
    log = put_log(tmp_path / "mock-llm.log", HELLO)

    async def flow() -> None:
        async with launched(tmp_path, Launch([open_tail(log)])) as running:
            status = running.app.status
            status.say("What a key did.")
            status.tell("First.", seconds=0.2)
            status.tell("Second.", seconds=0.2)
            for news in ("First.", "Second.", "What a key did."):
                await running.until(running.shows(news))
            status.tell("Third.", seconds=600)
            status.say("The next key.")
            await running.until(running.shows("The next key."))
            assert not running.app.screen.query("Toast")

    asyncio.run(flow())


def news(running: Running) -> str:
    """What stands in the status line that happened without a key."""
    return running.app.status.news.plain
