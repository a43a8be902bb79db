"""Reading the reply of an exchange: views and finding, as in a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from textual.pilot import Pilot

from tests.recorded import FIRST, chat
from tests.tui.drawn import facts_of
from tests.tui.hosting import Host, host
from tests.tui.steady import press
from workbench.core.recordings.exchanges import Exchange
from workbench.tui.recordings.reply_pane import ReplyPane

LONG = "\n".join(f"line {number}: it rains in London" for number in range(60))
Flow = Callable[[ReplyPane, Host, Pilot[None]], Awaitable[None]]


def read(exchange: Exchange, flow: Flow) -> None:
    pane = ReplyPane()
    pane.styles.height = "1fr"

    async def run(app: Host, pilot: Pilot[None]) -> None:
        pane.show(exchange)
        await pilot.pause()
        await flow(pane, app, pilot)

    host(pane, run, (70, 16))


def test_what_is_looked_for_is_gone_to_and_counted() -> None:
    async def flow(pane: ReplyPane, app: Host, pilot: Pilot[None]) -> None:
        assert "status 200" in facts_of(pane)
        await press(pilot, "slash", *"LINE", "space", *"47", "enter")
        assert pane.has_focus
        assert facts_of(pane) == "/ LINE 47  1 of 1"
        assert "line 47: it rains" in app.text()
        await press(pilot, "slash", *["backspace"] * 7, *"london", "enter")
        assert facts_of(pane).endswith(" of 60")
        at = facts_of(pane)
        await press(pilot, "n")
        assert facts_of(pane) != at
        await press(pilot, "N")
        assert facts_of(pane) == at
        await press(pilot, "escape")
        assert "status 200" in facts_of(pane)

    read(chat(1, FIRST, {"content": LONG}), flow)


def test_it_is_looked_for_in_the_other_view_too() -> None:
    async def flow(pane: ReplyPane, app: Host, pilot: Pilot[None]) -> None:
        await press(pilot, "slash", *"DONE", "enter")
        assert facts_of(pane) == "/ DONE  not found"
        await press(pilot, "right_square_bracket")
        await press(pilot, "n")
        assert facts_of(pane) == "/ DONE  1 of 1"
        assert "[DONE]" in app.text()

    read(chat(1, FIRST, {"content": "It rains."}, stream=True), flow)
