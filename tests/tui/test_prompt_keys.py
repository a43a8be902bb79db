"""Keys that act at once keep their place behind keys that do not."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Key
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.hosting import Host, host
from workbench.tui.prompt_keys import PromptApp
from workbench.tui.row_list import RowList


class Rows(RowList):
    """A list with an action that has to make the round, which tells where the cursor was."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("s", "say", "Say", id="say")]

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str | None] = []

    def row(self, key: str, *, selected: bool) -> Content:  # noqa: ARG002
        return Content(key)

    def update_title(self) -> None:
        pass

    def action_say(self) -> None:
        self.said.append(self.cursor)


def filled() -> Rows:
    rows = Rows()
    rows.set_keys([str(number) for number in range(100)])
    return rows


def typed(app: PromptApp, *keys: str) -> None:
    """Keys that all wait before the first is seen to."""
    for key in keys:
        app.post_message(Key(key, None))


def test_a_key_of_the_list_acts_before_the_next_message_is_taken() -> None:
    rows = filled()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        app.post_message(Key("down", None))
        app.call_later(rows.action_say)
        await pilot.pause()
        assert rows.said == ["1"]

    host(rows, flow)


def test_keys_in_one_burst_act_in_their_order() -> None:
    rows = filled()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        typed(app, "down", "s", "down", "s", "s", "down", "down", "s", "end", "s")
        await pilot.pause()
        assert rows.said == ["1", "2", "2", "4", "99"]
        typed(app, "home", "s")
        await pilot.pause()
        assert rows.said[-1] == "0"

    host(rows, flow)


def test_keys_given_to_the_list_by_the_settings_act() -> None:
    rows = filled()

    class Remapped(Host):
        def on_load(self) -> None:
            self.set_keymap({"list.down": "x", "say": "j"})

    async def run() -> None:
        app = Remapped(rows)
        async with app.run_test() as pilot:
            rows.focus()
            await pilot.pause()
            typed(app, "x", "j", "down", "j")
            await pilot.pause()
            assert rows.said == ["1", "1"]

    asyncio.run(run())


def test_what_a_field_consumed_holds_up_nothing() -> None:
    rows = filled()

    class WithField(PromptApp):
        def compose(self) -> ComposeResult:
            yield Input()
            yield rows

    async def run() -> None:
        app = WithField()
        async with app.run_test() as pilot:
            await pilot.press("down", "a", "b", "tab")
            typed(app, "down", "s", "down", "s")
            await pilot.pause()
            assert app.query_one(Input).value == "ab"
            assert rows.said == ["1", "2"]

    asyncio.run(run())


def test_a_binding_that_goes_before_all_others_does() -> None:
    rows = filled()

    class First(Host):
        BINDINGS: ClassVar[list[BindingType]] = [Binding("down", "move(1)", priority=True)]
        noted = 0

        def action_move(self, by: int) -> None:
            self.noted += by

    async def run() -> None:
        app = First(rows)
        async with app.run_test() as pilot:
            rows.focus()
            await pilot.press("down", "j")
            assert (app.noted, rows.cursor) == (1, "1")

    asyncio.run(run())
