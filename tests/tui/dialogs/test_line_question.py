"""A question that a line answers: it takes the line, or leaves as it came."""

from __future__ import annotations

from textual.events import AppBlur, AppFocus
from textual.pilot import Pilot
from textual.widgets import Input

from tests.tui.hosting import Host, host
from workbench.tui.bars import StatusBar
from workbench.tui.dialogs.line_question import LineQuestion


async def asked(app: Host, pilot: Pilot[None], said: list[str]) -> None:
    """Ask, from what has the focus otherwise, and type a little."""
    app.query_one("#other").focus()
    await pilot.pause()
    app.query_one(StatusBar).ask("Why?", said.append)
    await pilot.press("s", "o")
    assert "Why? so" in app.text()


def test_it_takes_a_line_and_gives_the_focus_back() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await asked(app, pilot, said)
        await pilot.press("enter")
        assert said == ["so"]
        assert app.focused is app.query_one("#other")
        assert "Why?" not in app.text()
        await asked(app, pilot, said)
        await pilot.press("escape")
        assert said == ["so"]
        assert app.focused is app.query_one("#other")
        assert "Why?" not in app.text()

    host(StatusBar(), flow)


def test_to_go_elsewhere_leaves_it() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await asked(app, pilot, said)
        app.query_one("#other").focus()
        await pilot.pause()
        app.query_one(StatusBar).say("Done.")
        await pilot.pause()
        assert "Why?" not in app.text()
        assert "Done." in app.text()
        assert said == []

    host(StatusBar(), flow)


def test_it_stays_while_another_window_covers_the_terminal_or_a_yes_is_asked_for() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await asked(app, pilot, said)
        app.post_message(AppBlur())
        await pilot.pause()
        assert "Why? so" in app.text()
        app.post_message(AppFocus())
        await pilot.pause()
        app.query_one(StatusBar).confirm("End?", "y does.", lambda: said.append("yes"))
        await pilot.press("n")
        assert isinstance(app.focused, Input)
        await pilot.press("enter")
        assert said == ["so"]

    host(StatusBar(), flow)


def test_what_asked_may_be_gone() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await asked(app, pilot, said)
        await app.query_one("#other").remove()
        await pilot.press("enter")
        assert said == ["so"]
        assert app.focused is None
        assert not app.query_one(LineQuestion).display

    host(StatusBar(), flow)
