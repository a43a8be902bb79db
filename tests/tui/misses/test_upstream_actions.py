"""Drafts that the upstream is asked for; the upstream is a real server on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.server.upstream_model import KEY, WORDS, Server, running_model
from tests.tui.running import Running, application, ask
from workbench.core.digest import digest
from workbench.core.fixture.recorded import REPEATS_KEY
from workbench.tui.misses.upstream_actions import NO_UPSTREAM

ANSWER = "".join(WORDS)
STREAMED, WHOLE = ask("hello", stream=True), ask("whole")
WAITING = ask("wait", stream=True)


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("WORKBENCH_UPSTREAM_KEY", KEY)
    with running_model() as server:
        yield server


def content(running: Running, payload: dict[str, Any]) -> Any:
    return running.session.drafting.open(digest(payload)).document.response.get("content")


async def answer(running: Running, question: str, key: str) -> None:
    """Press the key that asks, and answer the question that comes."""
    await running.press("U")
    await running.until_shown(question)
    await running.press(key)
    await running.until(lambda: question not in running.screen_text())


async def agree(running: Running) -> None:
    """Ask for the first time: where the request goes is asked before."""
    await answer(running, "Ask 127.0.0.1:", "y")


def test_a_draft_is_asked_for_and_saved_by_a_person(tmp_path: Path, upstream: Server) -> None:
    async def get(running: Running, payload: dict[str, Any]) -> None:
        await running.until(lambda: content(running, payload) == ANSWER)
        await running.until(lambda: "read it, a saves it" in running.status)
        asked, headers = upstream.asked[-1]
        assert asked == payload
        assert headers["authorization"] == f"Bearer {KEY}"
        assert list(tmp_path.glob("fixtures/*")) == []
        await running.until_shown("A stub walks into a bar.")
        await running.press("a")
        await running.until(lambda: running.status.startswith("Saved"))
        fixture = running.saved(payload)
        assert fixture["response"]["content"] == ANSWER
        assert fixture["workbench"] == {"source": "recorded"}
        await running.press("u")
        await running.until(lambda: content(running, payload) == ANSWER)

    async def flow() -> None:
        payloads = [STREAMED, WHOLE]
        async with application(tmp_path, payloads, upstream_url=upstream.url) as running:
            await answer(running, "with your key?", "n")
            assert upstream.asked == []
            await agree(running)
            await get(running, STREAMED)
            await running.until(lambda: running.app.misses.subject == digest(STREAMED))
            await running.press("down", "U")
            await get(running, WHOLE)

    asyncio.run(flow())
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []


def test_what_a_draft_leaves_out_of_the_answer_is_told(tmp_path: Path, upstream: Server) -> None:
    async def flow() -> None:
        async with application(tmp_path, [ask("cite")], upstream_url=upstream.url) as running:
            await agree(running)
            await running.until(lambda: "read it, a saves it" in running.status)
            assert "without annotations of the reply" in running.status

    asyncio.run(flow())


def test_without_an_upstream_the_key_says_how_to_set_one(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, [WHOLE], size=(80, 24)) as running:
            await running.press("U")
            await running.until_shown(NO_UPSTREAM)

    asyncio.run(flow())


def test_a_draft_replaces_what_is_written_only_when_asked_and_why_there_is_none_is_said(
    tmp_path: Path, upstream: Server
) -> None:
    cases = [
        (ask("fail"), "answers 429: slow down."),
        (ask("break", stream=True), "No draft: 127.0.0.1:"),
        (ask("tell me the key"), f"answers 200: {REPEATS_KEY}."),
    ]

    async def flow() -> None:
        payloads = [WHOLE, *(payload for payload, _ in cases)]
        async with application(tmp_path, payloads, upstream_url=upstream.url) as running:
            await replace_what_is_written(running, upstream)
            for payload, said in cases:
                await running.press("down", "U")
                assert running.app.misses.subject == digest(payload)
                await running.until(lambda said=said: said in running.status)  # type: ignore[misc]
                assert not running.session.drafting.open(digest(payload)).touched
                assert KEY not in running.screen_text()

    asyncio.run(flow())


async def replace_what_is_written(running: Running, upstream: Server) -> None:
    await running.press("enter")
    await running.write("mine")
    await running.press("escape")
    await running.until(lambda: running.app.misses.rows.has_focus)
    await agree(running)
    await running.until_shown("that replaces what is written?")
    await running.press("n")
    assert (content(running, WHOLE), upstream.asked) == ("mine", [])
    await answer(running, "that replaces what is written?", "y")
    await running.until(lambda: content(running, WHOLE) == ANSWER)


def test_what_is_written_meanwhile_is_kept_and_so_is_the_answer(
    tmp_path: Path, upstream: Server
) -> None:
    async def flow() -> None:
        async with application(tmp_path, [WAITING], upstream_url=upstream.url) as running:
            await agree(running)
            await running.until(lambda: upstream.asked)
            await running.press("enter")
            await running.write("mine")
            upstream.goes_on.set()
            await running.until(lambda: "your draft is kept. U takes its answer." in running.status)
            assert content(running, WAITING) == "mine"
            await running.press("escape")
            await running.until(lambda: running.app.misses.rows.has_focus)
            await answer(running, "Replace what is written with the upstream's answer?", "y")
            await running.until(lambda: content(running, WAITING) == ANSWER)
            assert len(upstream.asked) == 1

    asyncio.run(flow())


def test_an_answer_goes_to_its_own_miss_wherever_the_person_is(
    tmp_path: Path, upstream: Server
) -> None:
    async def flow() -> None:
        payloads = [WAITING, WHOLE]
        async with application(tmp_path, payloads, upstream_url=upstream.url) as running:
            await agree(running)
            await running.until(lambda: upstream.asked)
            await running.press("down", "enter")
            await running.write("another")
            upstream.goes_on.set()
            await running.until(lambda: content(running, WAITING) == ANSWER)
            await running.until_shown("◐ draft")
            assert running.parts.view.answer.has_focus_within
            assert content(running, WHOLE) == "another"
            drafts = running.folder / ".workbench" / "drafts"
            await running.until(lambda: list(drafts.rglob(f"{digest(WAITING)}.json")))

    asyncio.run(flow())


def test_escape_stops_and_the_key_asks_again(tmp_path: Path, upstream: Server) -> None:
    """And nothing is woken while nothing is under way."""

    async def flow() -> None:
        async with application(tmp_path, [WAITING], upstream_url=upstream.url) as running:

            def ticking() -> int:
                timers = running.app.misses._timers
                running_on = [timer for timer in timers if timer._task is not None]
                return sum(timer._repeat is None and timer._active.is_set() for timer in running_on)

            assert ticking() == 0
            await agree(running)
            await running.until(lambda: " bytes · esc stops" in running.status)
            assert ticking() == 1
            await running.press("U")
            await running.until(lambda: "is being asked for" in running.status)
            await running.press("escape")
            await running.until(lambda: running.status.startswith("Stopped"))
            await running.until(lambda: not running.session.upstream.waits)
            await running.until(lambda: ticking() == 0)
            upstream.goes_on.set()
            await running.press("U")
            await running.until(lambda: content(running, WAITING) == ANSWER)
            await running.until(lambda: ticking() == 0)
            assert len(upstream.asked) == 2

    asyncio.run(flow())


def test_a_secret_in_the_answer_is_told_before_it_is_saved(
    tmp_path: Path, upstream: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_UPSTREAM_KEY")

    async def flow() -> None:
        payload = ask("tell me the key")
        async with application(tmp_path, [payload], upstream_url=upstream.url) as running:
            await agree(running)
            await running.until(lambda: content(running, payload) == KEY)
            assert "authorization" not in upstream.asked[0][1]
            await running.press("a")
            await running.until(lambda: "looks like an OpenAI API key" in running.status)
            assert list(tmp_path.glob("fixtures/*")) == []

    asyncio.run(flow())
