"""A question is answered once, whatever comes in between."""

from __future__ import annotations

from textual.events import AppBlur, AppFocus
from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from workbench.tui.bars import StatusBar


def asked(
    app: Host, said: list[str], question: str = "Delete it?", choices: str = "y does."
) -> None:
    """Ask, from what has the focus otherwise."""
    bar = app.query_one(StatusBar)
    bar.confirm(question, choices, lambda: said.append("yes"), lambda: said.append("no"))


def test_it_stays_while_another_window_covers_the_terminal() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        asked(app, said)
        await pilot.pause()
        app.post_message(AppBlur())
        await pilot.pause()
        assert "Delete it?" in app.text()
        app.post_message(AppFocus())
        await pilot.pause()
        assert "Delete it?" in app.text()
        await pilot.press("y")
        assert said == ["yes"]
        assert "Delete it?" not in app.text()

    host(StatusBar(), flow)


def test_to_go_elsewhere_is_a_no() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        asked(app, said)
        await pilot.pause()
        app.query_one("#other").focus()
        await pilot.pause()
        assert said == ["no"]
        assert "Delete it?" not in app.text()
        await pilot.press("y")
        assert said == ["no"]

    host(StatusBar(), flow)


def test_another_question_is_a_no_to_the_first() -> None:
    first: list[str] = []
    second: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        other = app.query_one("#other")
        other.focus()
        await pilot.pause()
        asked(app, first)
        asked(app, second, "Or this?")
        await pilot.pause()
        assert "Or this?" in app.text()
        await pilot.press("y")
        assert (first, second) == (["no"], ["yes"])
        assert app.focused is other

    host(StatusBar(), flow)


def test_an_answer_may_ask_again() -> None:
    said: list[str] = []

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        other = app.query_one("#other")
        other.focus()
        await pilot.pause()
        bar = app.query_one(StatusBar)
        bar.confirm("Go on?", "y does.", lambda: asked(app, said, "Sure?"))
        await pilot.press("y")
        assert "Sure?" in app.text()
        assert said == []
        await pilot.press("y")
        assert said == ["yes"]
        assert "Sure?" not in app.text()
        assert app.focused is other

    host(StatusBar(), flow)


def test_what_the_keys_do_is_shown_where_the_question_has_no_room() -> None:
    said: list[str] = []
    choices = "y re-keys, any other key goes back."

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        asked(app, said, f"Not the same request: {'messages ' * 20}.", choices)
        await pilot.pause()
        assert "Not the same request:" in app.text()
        assert f"… {choices}" in app.text()

    host(StatusBar(), flow)
