"""Keys that come faster than they act: each acts where it would have acted in good time."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.widgets import Input

from tests.tui.running import WEATHER_TOOL, Running, ask, play_each
from tests.tui.test_app import HELLO, WORLD, play
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.io.fixture.store import FixtureStore
from workbench.io.logs.tail import SLICE, LogTail, TailEvent
from workbench.io.state_folder import StateFolder
from workbench.session.drafts import editing
from workbench.session.session import Session
from workbench.tui.answer.fields import AnswerFields
from workbench.tui.app import WorkbenchApp
from workbench.tui.keys.key_order import KeyOrder
from workbench.tui.launch import Launch
from workbench.tui.misses.tab import MissesTab
from workbench.tui.workspace.subject_parts import SubjectParts


def burst(app: KeyOrder, text: str, *then: str) -> None:
    """Type a text, then press keys by their names, none of which waits for the one before."""
    for character in text:
        app.post_message(Key(_character_to_key(character), character))
    for key in then:
        app.post_message(Key(key, None))


def content_of(running: Running, payload: dict[str, object]) -> str:
    running.app.misses.write_back()
    return editing.content(running.session.drafting.open(digest(payload)).document)


async def until_content_is(text: str, running: Running, payload: dict[str, object]) -> None:
    await running.until(lambda: content_of(running, payload) == text)


def test_an_answer_is_typed_behind_enter(tmp_path: Path) -> None:
    """In the list ``s`` skips, ``e`` opens an editor, ``a`` saves."""
    payloads = [ask(f"question {number}") for number in range(4)]
    texts = ("see", "eases")

    async def flow(running: Running) -> None:
        moves: list[list[str]] = [[], ["down", "down", "down", "up"]]
        for text, before, row in zip(texts, moves, (0, 2), strict=True):
            burst(running.app, "", *before, "enter")
            burst(running.app, text)
            await until_content_is(text, running, payloads[row])
            assert not running.session.decisions.skipped, before
            await running.press("escape")
        burst(running.app, "", "down", "enter")
        running.app.post_message(Paste("pasted"))
        burst(running.app, " and typed")
        await until_content_is("pasted and typed", running, payloads[3])
        await running.press("escape")
        # After quitting keys do nothing.
        burst(running.app, "qss")
        await running.until(lambda: not running.app.is_running)
        assert not running.session.decisions.skipped

    play(tmp_path, payloads, flow)


def test_a_key_acts_on_the_row_moved_to_before_that_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payloads = [ask(f"question {number}") for number in range(5)]
    names = [digest(payload) for payload in payloads]

    async def flow(running: Running) -> None:
        # As on a machine that is too busy to draw.
        monkeypatch.setattr(running.app.misses.rows, "call_after_refresh", lambda *_: True)
        burst(running.app, "JmJmKs")
        await running.until(lambda: running.session.decisions.skipped)
        assert running.session.decisions.marked == {names[1], names[3]}
        assert running.session.decisions.skipped == {names[3]}

    play(tmp_path, payloads, flow)


def test_what_is_asked_is_typed_behind_the_key_that_asks_for_it(tmp_path: Path) -> None:
    third = ask("third")

    async def flow(running: Running) -> None:
        burst(running.app, "/world", "enter")
        burst(running.app, "s")
        await running.until(lambda: running.session.decisions.skipped == {digest(WORLD)})
        assert running.app.misses.rows.filter_text == "world"
        burst(running.app, "/", "ctrl+u")
        burst(running.app, "hello", "down")
        burst(running.app, "m")
        await running.until(lambda: running.session.decisions.marked == {digest(HELLO)})
        assert running.app.misses.rows.filter_text == "hello"
        burst(running.app, "M/", "ctrl+u", "enter")
        burst(running.app, "ia skip is meant", "enter")
        burst(running.app, "s")
        await running.until(lambda: digest(third) in running.session.decisions.skipped)
        assert running.session.ignore.reasons == {digest(HELLO): "a skip is meant"}

    play(tmp_path, [HELLO, WORLD, third], flow)


def test_a_question_takes_one_key_and_the_next_is_for_the_list(tmp_path: Path) -> None:
    texts = {name * 64: '{"response": {"content": "hi", "finish_reason": "stop"}}' for name in "ab"}
    (tmp_path / "fixtures").mkdir()
    for name, text in texts.items():
        (tmp_path / "fixtures" / f"{name}.json").write_text(text, "utf-8")

    async def flow(running: Running) -> None:
        await running.until(lambda: len(running.session.fixtures.entries) == 2)
        burst(running.app, "2DnjDyk")
        await running.until(lambda: len(running.session.fixtures.entries) == 1)
        assert [file.stem[0] for file in running.fixtures.iterdir()] == ["a"]

    play(tmp_path, [HELLO], flow)


def test_a_letter_behind_the_key_of_the_palette_or_a_dialog_is_for_that(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        for key in ("colon", "ctrl+p"):
            burst(running.app, "", key)
            burst(running.app, "skip")
            await running.until(lambda: isinstance(running.app.screen, CommandPalette))
            await running.until(lambda: running.app.screen.query(Input).first().value == "skip")
            assert not running.session.decisions.skipped, key
            await running.press("escape")
            assert not isinstance(running.app.screen, CommandPalette), key
        burst(running.app, "xc?")
        await running.until(lambda: list((tmp_path / ".workbench").rglob("*.sh")))
        burst(running.app, "", "escape")
        burst(running.app, "s")
        await running.until(lambda: running.session.decisions.skipped == {digest(HELLO)})

    play(tmp_path, [HELLO, WORLD], flow)


async def fields_are_filled_in_one_go_and_saved(running: Running) -> None:
    burst(running.app, "", "enter")
    burst(running.app, "It rains.", "tab")
    running.app.post_message(Paste("length"))
    burst(running.app, "", "shift+tab")
    burst(running.app, "!", "backspace", "backspace", "left")
    burst(running.app, "ed", "tab", "tab")
    burst(running.app, "12", "tab")
    burst(running.app, "34", "tab")
    burst(running.app, "a note", "ctrl+s")
    await running.until(lambda: running.status.startswith("Saved "))
    fixture = running.saved()
    assert fixture["description"] == "a note"
    assert fixture["response"] == {
        "content": "It raineds",
        "finish_reason": "length",
        "usage": {"prompt_tokens": 12, "completion_tokens": 34},
    }


async def arguments_are_typed_behind_the_key_of_a_tool_call(running: Running) -> None:
    await running.press("enter")
    burst(running.app, "It rains.", "ctrl+t")
    burst(running.app, "London", "f12")
    burst(running.app, "#")
    raw = running.parts.view.answer.raw
    await running.until(lambda: "#" in raw.text)
    response = json.loads(raw.text.replace("#", ""))["response"]
    assert response["content"] == "It rains."
    [call] = response["tool_calls"]
    assert json.loads(call["function"]["arguments"]) == {"city": "London"}


def arrived(fields: AnswerFields, before: int) -> bool:
    return len(fields.cards) > before and "#" in fields.cards[before].editor.text


def test_a_tool_is_picked_and_its_arguments_typed_in_one_go(tmp_path: Path) -> None:
    offered = [{"type": "function", "function": {"name": name}} for name in ("say", "look")]
    payload = ask("look", tools=offered)

    async def flow(running: Running) -> None:
        fields = running.parts.view.answer.fields
        for before, key in enumerate(("t", "ctrl+t")):
            burst(running.app, "", key)
            burst(running.app, "look", "enter")
            burst(running.app, "#")
            await running.until(partial(arrived, fields, before))
        assert [card.call.name for card in fields.cards] == ["look", "look"]
        assert fields.content_editor.text == ""

    play(tmp_path, [payload], flow)


async def the_next_problem_is_mended_where_the_key_led(running: Running) -> None:
    burst(running.app, 't12", "colour": "red"')
    problems = running.parts.view.answer.problems
    # Not those of the half of it.
    await running.until(lambda: any("colour" in p.message for p in problems.findings))
    burst(running.app, "", "home", "ctrl+n")
    burst(running.app, "#")
    [card] = running.parts.view.answer.fields.cards
    await running.until(lambda: "#" in card.editor.text)
    assert '"colour": "#"' in card.editor.text  # typed over the wrong value


async def the_next_problem_is_the_first_and_then_what_took_the_place_of_one_that_was_mended(
    running: Running,
) -> None:
    answer = running.parts.view.answer
    await running.press("t")
    [card] = answer.fields.cards

    async def next_after(text: str) -> object:
        card.editor.replace_text(text)
        count = text.count(": 1")
        await running.until(lambda: len(answer.problems.findings) == count)
        await running.press("ctrl+n")
        return answer.problems.chosen.inner if answer.problems.chosen else None

    three = '{"a": 1, "city": 1, "z": 1}'
    assert await next_after(three) == ("a",)
    assert await next_after(three) == ("city",)
    assert await next_after('{"a": 1, "city": "Ulm", "z": 1}') == ("z",)
    assert await next_after('{"a": 1, "city": "Ulm", "z": 1}') == ("a",)


def test_answers_are_typed_in_one_go(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        fields_are_filled_in_one_go_and_saved,
        the_next_problem_is_mended_where_the_key_led,
        the_next_problem_is_the_first_and_then_what_took_the_place_of_one_that_was_mended,
        arguments_are_typed_behind_the_key_of_a_tool_call,
        tools=[WEATHER_TOOL],
    )


def test_keys_typed_before_the_first_row_is_read_act_on_it(tmp_path: Path) -> None:
    payload = ask("hello")
    log = tmp_path / "suite.log"
    log.write_text("".join(miss_lines(digest(payload), payload)), "utf-8")
    may_read, wants_to_read = threading.Event(), threading.Event()

    class SlowTail(LogTail):
        def read(self, limit: int = SLICE) -> list[TailEvent]:
            wants_to_read.set()
            may_read.wait()
            return super().read(limit)

    session = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))

    async def scenario() -> None:
        tail = SlowTail(log)
        app = WorkbenchApp(session, Launch([tail]))
        with closing(tail), closing(session.spool):
            async with app.run_test() as pilot:
                running = Running(app, pilot, tmp_path)
                await running.until(wants_to_read.is_set)
                burst(app, "", "enter")
                burst(app, "sq")
                for _ in range(100):
                    await asyncio.sleep(0)
                may_read.set()
                await running.until(lambda: content_of(running, payload) == "sq")

    asyncio.run(scenario())


def test_early_keys_move_in_the_list_and_others_wait_for_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    payloads = [ask("first"), ask("second")]
    log = tmp_path / "suite.log"
    log.write_text("".join(line for p in payloads for line in miss_lines(digest(p), p)), "utf-8")
    session = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    may_open, add_parts = asyncio.Event(), MissesTab.add_parts

    async def add_late(tab: MissesTab, parts: SubjectParts) -> None:
        await may_open.wait()
        await add_parts(tab, parts)

    monkeypatch.setattr(MissesTab, "add_parts", add_late)

    async def scenario() -> None:
        app = WorkbenchApp(session, Launch([tail]))
        async with app.run_test() as pilot:
            running = Running(app, pilot, tmp_path)
            await running.until(app.rows_ready.is_set)
            burst(app, "j")
            await running.until(lambda: app.misses.rows.cursor == digest(payloads[1]))
            burst(app, "", "enter")
            burst(app, "sj")
            for _ in range(100):
                await asyncio.sleep(0)
            assert app.misses.parts is None
            may_open.set()
            await running.until(lambda: content_of(running, payloads[1]) == "sj")
            assert not session.decisions.skipped

    with closing(LogTail(log)) as tail, closing(session.spool):
        asyncio.run(scenario())
