"""Held requests in the application, against a real server whose log is not read."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, closing
from functools import partial, wraps
from http.client import IncompleteRead
from pathlib import Path
from typing import Any

import pytest

from tests.server import hurried
from tests.server.running import Response, RunningServer
from tests.tui.running import SIZE, WEATHER_TOOL, Running, ask
from workbench.core.digest import digest
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.text.digests import short
from workbench.io.fixture.store import FixtureStore
from workbench.io.settings import Bell
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.launch import Launch


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    with RunningServer(tmp_path, arguments=("--hold",)) as running:
        yield running


Test = Callable[..., Coroutine[Any, Any, None]]


def in_a_loop(test: Test) -> Callable[..., None]:
    """``test`` as a function that pytest can call."""

    @wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


class Watching(Running):
    """The application, and clients of the server it watches."""

    def __init__(self, running: Running, server: RunningServer, pool: ThreadPoolExecutor) -> None:
        super().__init__(running.app, running.pilot, running.folder)
        self._server = server
        self._pool = pool

    async def asks(self, question: str, **more: Any) -> Future[Response]:
        """A client asks, and the application shows that it waits."""
        payload = ask(question, **more)
        before = self.clients(payload)
        reply = self._pool.submit(self._server.chat, payload)
        await self.until(lambda: self.clients(payload) > before)
        await self.until(lambda: digest(payload) in self.session.miss_index.misses)
        await self.pilot.pause()
        return reply

    def clients(self, payload: dict[str, Any]) -> int:
        held = self.session.held.get(digest(payload))
        return held.clients if held else 0

    async def reply_of(self, asked: Future[Response]) -> Response:
        await self.until(asked.done)
        return asked.result()


@asynccontextmanager
async def watching(
    server: RunningServer, *, is_own: bool = False, size: tuple[int, int] = SIZE
) -> AsyncIterator[Watching]:
    folder = server.log_path.parent
    session = Session(FixtureStore(server.fixtures), StateFolder(folder / ".workbench"))
    app = WorkbenchApp(session, Launch((), server.url, is_own))
    with closing(session.spool), ThreadPoolExecutor(8) as pool:
        try:
            async with app.run_test(size=size) as pilot:
                running = Watching(Running(app, pilot, folder), server, pool)
                await running.until(lambda: session.server.hold is not None)
                yield running
        finally:
            for held in server.request("GET", "/__workbench/held").json():
                server.request("POST", f"/__workbench/held/{held['id']}/release")


@in_a_loop
async def test_a_held_request_is_selected_and_counted_down(server: RunningServer) -> None:
    async with watching(server) as running:
        await running.until_shown("hold on 5m")
        await running.until_shown("h Hold")
        # An empty list says what the key does now.
        await running.until_shown("h turns hold off")
        await running.press("h")
        await running.until_shown("h turns hold on")
        await running.press("h")
        await running.until_shown("h turns hold off")
        await running.asks("weather in London?", tools=[WEATHER_TOOL])
        await running.until_shown("> ‖ held")
        await running.until_shown("hold on 5m · 1 held")
        await running.until_shown("Waiting for you 1")
        # No log is read: the age is the time that the client waits.
        await running.until(lambda: re.search(r"in London\? +now ", running.screen_text()))
        await running.until_shown("‖ Client waiting")
        await running.until(
            lambda: re.search(r"‖ held 4:[45][0-8] .*  [5-9]s", running.screen_text())
        )
        await turn_off_and_on(running, server)


@in_a_loop
async def test_hold_is_turned_off_before_the_server_has_reported(server: RunningServer) -> None:
    async with watching(server) as running:
        await running.until_shown("hold on 5m")
        running.session.server.lose()  # as before its first report
        await running.press("h")
        await running.until(lambda: running.status == "Hold is off.")
        await running.press("h")
        await running.until_shown("hold on 5m")


async def turn_off_and_on(running: Watching, server: RunningServer) -> None:
    """What is held stays held when hold is off; what comes is not."""
    await running.press("h")
    await running.until(lambda: running.status == "Hold is off. 1 held stays held.")
    await running.until_shown("hold off · 1 held")
    assert server.chat(ask("after")).content == FALLBACK_TEXT
    await running.until(lambda: digest(ask("after")) in running.session.miss_index.misses)
    await running.press("h")
    await running.until(lambda: "waits up to 5m for its answer" in running.status)


def is_selected(running: Watching, wanted: str) -> bool:
    return running.app.misses.subject == wanted


def key_bar(running: Watching) -> str:
    return running.screen_text().splitlines()[-1]


@in_a_loop
async def test_the_key_bar_offers_to_answer_on_a_held_row_alone(server: RunningServer) -> None:
    async with watching(server) as running:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
        server.chat(ask("not held"))
        server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
        await running.until(lambda: is_selected(running, digest(ask("not held"))))
        await running.press("home")
        await running.asks("held")
        await running.until(lambda: len(running.session.held) == 1)
        assert is_selected(running, digest(ask("not held"))), "it was chosen"
        assert "W Once" not in key_bar(running)
        await running.press("n")
        await running.until(lambda: "W Once  L Fallback  + 5 min" in key_bar(running))
        await running.press("end")
        await running.until(lambda: "W Once" not in key_bar(running))
        await running.press("n", "s")
        assert running.status.endswith(
            "Its client is still waiting. L sends the fallback. u undoes."
        )


async def a_save_answers_and_says_so(running: Watching) -> None:
    asked = await running.asks("tell me a joke")
    again = await running.asks("tell me a joke")
    await running.until_shown("‖ 2 clients wait")
    await running.press("enter")
    await running.write("no")
    await running.press("ctrl+s")
    for reply in (asked, again):
        assert (await running.reply_of(reply)).content == "no"
    await running.until(lambda: "Saved and sent to 2 clients after" in running.status)
    await running.until_shown("Waiting for the next request…")
    # Nothing is selected: what comes is.
    await running.asks("another one?")
    await running.until_shown("> ‖ held")


@in_a_loop
async def test_a_re_key_answers_and_says_so(server: RunningServer) -> None:
    """With the fixture of another request, which was written for the prompt of yesterday."""
    old = ask("tell me a joke, please")
    server.write_fixture(digest(old), {"request": old, "response": {"content": "no"}})
    async with watching(server) as running:
        asked = await running.asks("tell me a joke")
        await running.until_shown("Nearest 0.")
        await running.press("r")
        await running.until_shown("The request changed")
        await running.press("y")
        assert (await running.reply_of(asked)).content == "no"
        await running.until(lambda: "Moved and sent to 1 client after" in running.status)


@in_a_loop
async def test_what_would_be_moved_stays_on_the_screen_while_clients_wait(
    server: RunningServer,
) -> None:
    """The time that they still wait is counted down meanwhile."""
    questions = [f"question {number} about the weather of today" for number in range(3)]
    for question in questions:
        old = ask(f"Be brief: {question}")
        server.write_fixture(digest(old), {"request": old, "response": {"content": "Rain."}})
    async with watching(server, size=(110, 34)) as running:
        for question in questions:
            await running.asks(f"Be short and polite: {question}")
        await running.until_shown("Nearest 0.")
        await running.press("r")
        await running.until_shown("R moves all.")
        await running.press("y")
        await running.until(lambda: len(running.session.held) == 2)
        await running.until(lambda: running.session.rekeyed_changes.offered is not None)
        await running.press("R")
        await running.until_shown("Move 2 fixtures with the same change?")
        last = digest(ask(f"Be short and polite: {questions[2]}"))
        await running.until_shown(f" → {short(last)}")
        subject = running.app.misses.subject
        assert subject is not None
        notice = running.app.misses.notice(subject)
        await running.until(lambda: running.app.misses.notice(subject) != notice)
        running.parts.hold.count_down()
        await running.pilot.pause()
        assert f" → {short(last)}" in running.screen_text()


@in_a_loop
async def test_a_held_request_that_is_ignored_gets_the_fallback(server: RunningServer) -> None:
    async with watching(server) as running:
        asked = await running.asks("nothing to say")
        await running.until_shown("> ‖ held")
        await running.press("i")
        await running.until_shown("why is the placeholder enough?")
        await running.press(*"so", "enter")
        assert (await running.reply_of(asked)).content == FALLBACK_TEXT
        ignored = short(digest(ask("nothing to say")))
        said = f"Ignored {ignored}, and sent the fallback to 1 client. u un-ignores it."
        await running.until(lambda: running.status == said)
        await running.press("u")
        await running.until(lambda: running.status == f"{ignored} is no longer ignored.")


@in_a_loop
async def test_what_waits_is_selected_unless_somebody_reads_another_row(
    server: RunningServer,
) -> None:
    async with watching(server) as running:
        rows, read, held = running.app.misses.rows, digest(ask("read")), digest(ask("held"))
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
        server.chat(ask("read"))
        server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
        await running.until(lambda: is_selected(running, read))
        await running.asks("held")
        await running.until(lambda: is_selected(running, held))
        assert rows.keys == [held, read]
        await running.press("L")
        await running.until(lambda: not running.session.held)
        assert is_selected(running, held), "it ceased to wait, and stays selected"
        assert rows.keys == [read, held]
        await running.press("up", "tab")
        await running.asks("held")
        await running.until(lambda: running.status == "1 request is held: n goes there.")
        assert is_selected(running, read), "somebody reads it"
        await running.press("escape")
        assert rows.keys == [held, read]
        await running.until_shown("Waiting for you 1")
        assert is_selected(running, read)
        assert rows.top == 0


@in_a_loop
async def test_after_a_save_a_held_request_is_next_and_then_an_open_one(
    server: RunningServer,
) -> None:
    async with watching(server) as running:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
        server.chat(ask("not held"))
        server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
        for text in ("one", "two"):
            await running.asks(text)
        for text in ("one", "two"):
            await running.until(partial(is_selected, running, digest(ask(text))))
            await running.press("enter")
            await running.write(text)
            await running.press("ctrl+s")
        await running.until(lambda: not running.session.held)
        assert is_selected(running, digest(ask("not held")))
        await running.asks("three")
        await running.until(partial(is_selected, running, digest(ask("three"))))
        running.app.misses.rows.set_filter("not held")
        await running.until(partial(is_selected, running, digest(ask("not held"))))
        await running.press("n")
        await running.until(partial(is_selected, running, digest(ask("three"))))
        # Nothing else waits, so it does not leave the request for an open row.
        await running.press("n")
        assert running.status == "No other request is waiting. ↓ goes to the rows below."
        assert is_selected(running, digest(ask("three")))
        await running.asks("hidden four")
        await running.asks("hidden five")
        turns = [("n", "hidden four"), ("n", "hidden five"), ("n", "three"), ("N", "hidden five")]
        for key, text in turns:
            await running.press(key)
            await running.until(partial(is_selected, running, digest(ask(text))))


async def an_answer_once_and_a_release(running: Watching) -> None:
    asked = await running.asks("once")
    await running.begin_at(ask("once"))
    await running.press("W")
    assert running.status == "Nothing written yet. Enter writes, L sends the fallback."
    await running.press("enter")
    await running.write("this once")
    await running.press("escape", "W")
    assert (await running.reply_of(asked)).content == "this once"
    await running.until(lambda: "Sent to 1 client after" in running.status)
    assert running.status.endswith("not saved.")
    assert digest(ask("once")) not in running.session.store.fixtures()
    again = await running.asks("once")
    await running.begin_at(ask("once"))
    await running.press("plus")
    await running.until(lambda: "the fallback goes out in 9:" in running.status)
    await running.press("L")
    assert (await running.reply_of(again)).content == FALLBACK_TEXT
    await running.until(lambda: running.status == "Sent the fallback to 1 client.")
    await running.until(lambda: "◐ draft" in running.screen_text())
    # It stays at the row and in the frame of the request.
    await running.until_shown("once  fallback sent ")
    await running.until_shown("‖ fallback sent")
    wait = running.app.misses.notice(digest(ask("once"))).wait
    assert wait[1].plain == ", the next run gets your answer"
    await running.press("L")
    assert running.status == "No client is waiting for this request."


async def the_answer_that_is_shown_is_sent(running: Watching) -> None:
    asked = await running.asks("first")
    await running.begin_at(ask("first"))
    await running.press("enter")
    await running.write("later")
    await running.parts.draft.add_response()
    await running.press("escape", "W")
    assert (await running.reply_of(asked)).status == 429


async def nothing_is_sent_before_it_is_filled_in(running: Watching) -> None:
    asked = await running.asks("weather?", tools=[WEATHER_TOOL])
    await running.begin_at(ask("weather?", tools=[WEATHER_TOOL]))
    await running.press("t")
    await running.until_shown("1 to fill")
    await running.press("escape", "W")
    assert running.status == "Nothing is sent yet: call 0: 1 to fill: ‹text›."
    await running.press("L")
    assert (await running.reply_of(asked)).content == FALLBACK_TEXT


@in_a_loop
async def test_the_next_is_a_held_one_which_outlives_this_application(
    server: RunningServer,
) -> None:
    async with watching(server) as running:
        server.request("PUT", "/__workbench/hold", b'{"enabled": false}')
        for number in range(3):
            server.chat(ask(f"not held {number}"))
        await running.until(lambda: len(running.session.miss_index.misses) == 3)
        await running.press("end")
        server.request("PUT", "/__workbench/hold", b'{"enabled": true}')
        await running.asks("held")
        await running.until(lambda: running.status == "1 request is held: n goes there.")
        held = digest(ask("held"))
        await asyncio.to_thread(running.session.held.release, held)
        await running.until(lambda: running.status == "")
        await running.asks("held again")
        await running.until(lambda: running.status == "1 request is held: n goes there.")
        await running.press("n")
        assert running.app.misses.subject == digest(ask("held again"))
        assert running.status == "", "it went there"
        # It is not the server of this application: leaving asks nothing, and the client waits on.
        await running.press("q")
        assert not running.app.is_running
        assert len(server.request("GET", "/__workbench/held").json()) == 1


async def the_bell_rings_where_it_is_wanted(running: Watching) -> None:
    rung: list[None] = []
    running.app.bell = lambda: rung.append(None)  # type: ignore[method-assign]
    cases: list[tuple[Bell, bool, int]] = [
        ("off", False, 0),
        ("bell", True, 0),
        ("bell", False, 1),
        ("always", True, 1),
    ]
    for bell, has_focus, times in cases:
        rung.clear()
        running.app.launch.bell = bell
        running.app.app_focus = has_focus
        await running.asks(f"ring {bell} {has_focus}")
        assert len(rung) == times
    await running.asks(f"ring {bell} {has_focus}")
    assert len(rung) == 1, "it waits already"
    running.app.app_focus = True


@in_a_loop
async def test_clients_that_wait_are_answered_and_heard(server: RunningServer) -> None:
    async with watching(server) as running:
        await a_save_answers_and_says_so(running)
        await an_answer_once_and_a_release(running)
        await the_answer_that_is_shown_is_sent(running)
        await nothing_is_sent_before_it_is_filled_in(running)
        await the_bell_rings_where_it_is_wanted(running)


@in_a_loop
async def test_a_client_that_hangs_up_is_told(server: RunningServer) -> None:
    async with watching(server) as running:
        payload = json.dumps(ask("bye")).encode()
        connection = server.connect()
        connection.request("POST", "/v1/chat/completions", payload)
        await running.until_shown("‖ held")
        connection.close()
        await running.until_shown("The client hung up after")
        await running.until(lambda: "○ missing" in running.screen_text())
        await running.until_shown("bye  client left ")
        await running.until_shown("‖ client left ")
        assert "draft is kept" not in running.screen_text()
        await running.press("enter")
        await running.write("too late")
        await running.press("ctrl+s")
        await running.until_shown("The server answers with it from now on.")
        await running.pilot.pause(1)
        assert "sent to" not in running.status


@in_a_loop
async def test_what_timed_out_is_told_until_it_is_held_again_or_answered(
    server: RunningServer,
) -> None:
    async with watching(server) as running:
        server.request("PUT", "/__workbench/hold", b'{"enabled": true, "timeout_s": 1}')
        try:
            asked = await running.asks("late")
            assert (await running.reply_of(asked)).content == FALLBACK_TEXT
        finally:
            server.request("PUT", "/__workbench/hold", b'{"enabled": true, "timeout_s": 300}')
        await running.until_shown("late  fallback sent ")
        await running.until_shown("‖ fallback sent ")
        running.app.misses.rows.set_filter("fallback")
        assert list(running.app.misses.rows.list_query.keys) == [digest(ask("late"))]
        running.app.misses.rows.set_filter("")
        again = await running.asks("late")
        await running.until_shown("‖ Client waiting")
        assert "fallback sent" not in running.screen_text()
        await running.press("n", "enter")
        await running.write("not too late")
        await running.press("ctrl+s")
        assert (await running.reply_of(again)).content == "not too late"
        assert running.session.held.ended == {}


@in_a_loop
async def test_a_strict_server_gives_an_error_where_others_give_the_fallback(
    tmp_path: Path,
) -> None:
    with RunningServer(tmp_path, arguments=("--hold", "--strict")) as server:
        async with watching(server, is_own=True) as running:
            asked = await running.asks("strict")
            await running.begin_at(ask("strict"))
            await running.until_shown(", an error in 4:5")
            await running.press("W")
            assert running.status == "Nothing written yet. Enter writes, L sends an error."
            await running.press("plus")
            await running.until(lambda: "an error goes out in 9:" in running.status)
            await running.press("s")
            assert running.status.endswith(
                "Its client is still waiting. L sends an error. u undoes."
            )
            await running.press("q")
            await running.until_shown("1 client is still waiting. If you quit, it gets an error.")
            await running.press("escape", "n", "L")
            assert (await running.reply_of(asked)).status == 404
            await running.until(lambda: running.status == "Sent an error to 1 client.")
            wait = running.app.misses.notice(digest(ask("strict"))).wait
            assert wait[0].plain.startswith("‖ error sent")
            server.request("PUT", "/__workbench/hold", b'{"enabled": true, "timeout_s": 1}')
            await running.reply_of(await running.asks("strict and late"))
            await running.until_shown("an error was sent.")


@in_a_loop
async def test_enter_mends_the_broken_fixture_of_a_held_row(server: RunningServer) -> None:
    server.fixtures.mkdir(exist_ok=True)
    (server.fixtures / f"{digest(ask('broken'))}.json").write_text('{"response": 5}')
    async with watching(server) as running:
        await running.asks("broken")
        await running.until_shown("Waiting for you 1")
        await running.until_shown("⏎ Mend")


@in_a_loop
async def test_leaving_asks_when_its_own_server_holds(server: RunningServer) -> None:
    async with watching(server, is_own=True) as running:
        await running.asks("do not go")
        await running.press("q")
        await running.until_shown(
            "1 client is still waiting. If you quit, it gets a placeholder reply."
        )
        await running.press("escape")
        assert running.app.is_running
        await running.press("q", "y")
        assert not running.app.is_running


@in_a_loop
async def test_an_error_after_the_status_is_said_to_come_when_the_client_asks_again(
    tmp_path: Path,
) -> None:
    with RunningServer(tmp_path, arguments=("--hold",), program=hurried.PROGRAM) as server:
        async with watching(server, size=(150, 40)) as running:
            for key, said in (("W", ""), ("a", "Saved. ")):
                question = f"refused by {key}"
                asked = await running.asks(question)
                running.app.misses.rows.select(digest(ask(question)))
                await running.press("enter", "ctrl+f")
                await running.write("429")
                await running.until_shown("HTTP 200 is already out, so the client gets the")
                await running.press("escape", key)
                with pytest.raises(IncompleteRead):
                    await running.reply_of(asked)
                await running.until(lambda: "so the connection was closed" in running.status)
                assert running.status.startswith(f"{said}Status 200 was sent")
                assert server.chat(ask(question)).status == 429
