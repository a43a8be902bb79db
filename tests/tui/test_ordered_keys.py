"""Keys that come faster than they act: each acts where it would have acted in good time."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.command import CommandPalette
from textual.content import Content
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.widget import Widget
from textual.widgets import Input

from tests.tui.running import Running, ask
from tests.tui.test_app import HELLO, WEATHER, WORLD, play
from workbench.core.digest import digest
from workbench.tui.answer_fields import AnswerFields
from workbench.tui.ordered_keys import OrderedKeys
from workbench.tui.row_list import RowList


def burst(app: OrderedKeys, text: str, *then: str) -> None:
    """Type a text, then press keys by their names, none of which waits for the one before."""
    for character in text:
        app.post_message(Key(_character_to_key(character), character))
    for key in then:
        app.post_message(Key(key, None))


def test_what_is_looked_for_is_typed_behind_the_key_that_asks_for_it(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        burst(running.app, "/world", "enter")
        burst(running.app, "s")
        await running.until(lambda: running.session.decisions.skipped == {digest(WORLD)})
        assert running.app.misses.misses.filter_text == "world"
        burst(running.app, "/", "ctrl+u")
        burst(running.app, "hello", "down")
        burst(running.app, "m")
        await running.until(lambda: running.session.decisions.marked == {digest(HELLO)})
        assert running.app.misses.misses.filter_text == "hello"

    play(tmp_path, [HELLO, WORLD], flow)


def test_a_reason_is_typed_behind_the_key_that_asks_for_it(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        burst(running.app, "ia skip is meant", "enter")
        await running.until(lambda: digest(HELLO) in running.session.ignore.reasons)
        assert running.session.ignore.reasons[digest(HELLO)] == "a skip is meant"
        assert not running.session.decisions.skipped

    play(tmp_path, [HELLO, WORLD], flow)


def test_a_command_is_typed_behind_the_key_of_the_palette(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        burst(running.app, ":skip")
        await running.until(lambda: isinstance(running.app.screen, CommandPalette))
        await running.until(lambda: running.app.screen.query(Input).first().value == "skip")
        assert not running.session.decisions.skipped

    play(tmp_path, [HELLO, WORLD], flow)


def test_what_is_pasted_behind_tab_is_for_the_next_field(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        burst(running.app, "It rains.", "tab")
        running.app.post_message(Paste("length"))
        fields = running.app.misses.view.answer.fields
        await running.until(lambda: fields.finish.finish.value == "length")
        assert fields.content_editor.text == "It rains."

    play(tmp_path, [ask("weather?")], flow)


def test_arguments_are_typed_behind_the_key_of_a_tool_call(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        burst(running.app, "It rains.", "ctrl+t")
        burst(running.app, "London", "f12")
        burst(running.app, "#")
        raw = running.app.misses.view.answer.raw
        await running.until(lambda: "#" in raw.text)
        response = json.loads(raw.text.replace("#", ""))["response"]
        assert response["content"] == "It rains."
        [call] = response["tool_calls"]
        assert json.loads(call["function"]["arguments"]) == {"city": "London"}

    play(tmp_path, [WEATHER], flow)


def arrived(fields: AnswerFields, before: int) -> bool:
    return len(fields.cards) > before and "#" in fields.cards[before].editor.text


def test_a_tool_is_picked_and_its_arguments_typed_in_one_go(tmp_path: Path) -> None:
    offered = [{"type": "function", "function": {"name": name}} for name in ("say", "look")]
    payload = ask("look", tools=offered)

    async def flow(running: Running) -> None:
        fields = running.app.misses.view.answer.fields
        for before, key in enumerate(("t", "ctrl+t")):
            burst(running.app, "", key)
            burst(running.app, "look", "enter")
            burst(running.app, "#")
            await running.until(partial(arrived, fields, before))
        assert [card.fields.name for card in fields.cards] == ["look", "look"]
        assert fields.content_editor.text == ""

    play(tmp_path, [payload], flow)


class Going(Widget, can_focus=True):
    """Goes away with a key, and with what was to come up from it behind that."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("x", "go")]

    def action_go(self) -> None:
        self.app.query_one(Input).focus()

    async def on_ordered_keys_keys_acted(self, event: OrderedKeys.KeysActed) -> None:
        event.stop()
        self.remove()


class Goes(OrderedKeys):
    def compose(self) -> ComposeResult:
        yield Going()
        yield Input()

    async def on_mount(self) -> None:
        self.query_one(Going).focus()
        await self.release_keys()


def test_keys_do_not_wait_for_what_is_gone() -> None:
    async def run() -> None:
        app = Goes()
        async with app.run_test() as pilot, asyncio.timeout(30):
            await pilot.pause()
            burst(app, "xabc")
            while app.query_one(Input).value != "abc":
                await pilot.pause(0.01)

    asyncio.run(run())


class Listed(RowList):
    def row(self, key: str, *, selected: bool) -> Content:  # noqa: ARG002
        return Content(key)

    def update_title(self) -> None:
        pass


class ListAndField(OrderedKeys):
    """A list whose Enter leads to the field."""

    def compose(self) -> ComposeResult:
        yield Listed()
        yield Input()


def test_keys_that_a_list_holds_come_before_those_typed_behind_them() -> None:
    async def flow() -> None:
        app = ListAndField()
        async with app.run_test() as pilot:
            rows, field = app.query_one(Listed), app.query_one(Input)
            rows.set_keys(["one"])
            rows.focus()
            await app.release_keys()
            await pilot.pause()
            rows.hold_keys()
            burst(app, "L")
            await pilot.pause()
            field.focus()
            burst(app, "isbon")
            await pilot.pause()
            assert field.value == ""
            await rows.release_keys()
            await pilot.pause()
            assert field.value == "Lisbon"

    asyncio.run(flow())
