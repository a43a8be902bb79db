"""Questions: each is answered once, and the focus is back where it was."""

from __future__ import annotations

from textual.events import AppBlur, AppFocus
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input, Static

from tests.tui.hosting import Host, host
from tests.tui.steady import press
from workbench.tui.dialogs.questions import KeyQuestion, LineQuestion

Said = list[object]


async def ask_yes_or_no(
    app: Host, said: Said, question: str = "Delete it?", yes: str = "Do it"
) -> Widget:
    """Ask while the other widget has the focus; returns that widget."""
    other = app.screen_stack[0].query_one("#other")
    app.screen_stack[0].set_focus(other)
    await app.push_screen(KeyQuestion(question, {"y": yes, "n": ""}), said.append)
    return other


async def ask_for_line(app: Host, pilot: Pilot[None], said: Said) -> Widget:
    """Ask while the other widget has the focus, and type a little; returns that widget."""
    other = app.screen_stack[0].query_one("#other")
    app.screen_stack[0].set_focus(other)
    await app.push_screen(LineQuestion("Why?", "Say it"), said.append)
    await press(pilot, "s", "o")
    assert "Why? so" in app.text()
    return other


def test_its_keys_answer_and_any_other_key_or_a_click_leaves() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        for key in ("y", "n", "escape", "enter", "Y"):
            other = await ask_yes_or_no(app, said)
            await pilot.pause()
            assert "Delete it?" in app.text()
            await press(pilot, key)
            assert "Delete it?" not in app.text()
            assert app.focused is other
        await ask_yes_or_no(app, said)
        await pilot.click(offset=(3, 3))
        assert said == ["y", "n", *[None] * 4]

    host(Static("below"), flow)


def test_a_double_click_closes_one_question() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        await ask_yes_or_no(app, said)
        await ask_yes_or_no(app, said, "Sure?")
        question = app.screen
        assert isinstance(question, KeyQuestion)
        for _ in range(2):  # the second is handled before the first has closed it
            question.dismiss(None)
        await pilot.pause()
        assert said == [None]
        assert "Delete it?" in app.text()

    host(Static("below"), flow)


def test_a_question_stands_where_the_status_does_over_what_is_shown() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await ask_yes_or_no(app, [])
        await pilot.pause()
        rows = app.text().split("\n")
        assert rows[0].startswith("below")
        assert [row.strip() for row in rows[-2:]] == ["Delete it?", "y Do it   esc Back"]

    host(Static("below"), flow)


def test_a_question_stays_while_another_window_has_the_focus() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        await ask_yes_or_no(app, said)
        for event in (AppBlur(), AppFocus()):
            app.post_message(event)
            await pilot.pause()
            assert "Delete it?" in app.text()
        await press(pilot, "y")
        await ask_for_line(app, pilot, said)
        for event in (AppBlur(), AppFocus()):
            app.post_message(event)
            await pilot.pause()
        await press(pilot, "enter")
        assert said == ["y", "so"]

    host(Static("below"), flow)


def test_the_answers_stand_in_the_last_line_and_can_be_clicked() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        for place in (2, 12, 24):
            await app.push_screen(
                KeyQuestion("Keep both?", {"y": "Keep", "n": "Replace"}), said.append
            )
            await pilot.pause()
            assert app.text().split("\n")[-1].strip() == "y Keep   n Replace   esc Back"
            await pilot.click(offset=(place, app.size.height - 1))
        await ask_for_line(app, pilot, said)
        assert app.text().split("\n")[-1].strip() == "⏎ Say it   esc Back"
        await pilot.click(offset=(4, app.size.height - 1))
        assert said == ["y", "n", None, "so"]

    host(Static("below"), flow)


def test_a_second_question_comes_first_and_the_first_one_stays() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        other = await ask_for_line(app, pilot, said)
        await app.push_screen(KeyQuestion("End?", {"y": "Do it", "n": ""}), said.append)
        await pilot.pause()
        assert "End?" in app.text()
        await press(pilot, "n")
        assert isinstance(app.focused, Input)
        await press(pilot, "enter")
        assert said == ["n", "so"]
        assert app.focused is other

    host(Static("below"), flow)


def test_an_answer_may_ask_again() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []

        def again(_: object) -> None:
            app.push_screen(KeyQuestion("Sure?", {"y": "Do it", "n": ""}), said.append)

        other = app.query_one("#other")
        app.screen.set_focus(other)
        await app.push_screen(KeyQuestion("Go on?", {"y": "Do it", "n": ""}), again)
        await press(pilot, "y")
        assert "Sure?" in app.text()
        assert said == []
        await press(pilot, "y")
        assert said == ["y"]
        assert app.focused is other

    host(Static("below"), flow)


def test_a_long_question_takes_more_lines() -> None:
    question = f"The request changed: {'messages ' * 20}."

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        await ask_yes_or_no(app, [], question)
        await pilot.pause()
        assert question in " ".join(app.text().split())

    host(Static("below"), flow)


def test_a_line_is_taken_or_left() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        other = await ask_for_line(app, pilot, said)
        await press(pilot, "enter")
        assert app.focused is other
        assert "Why?" not in app.text()
        await ask_for_line(app, pilot, said)
        await press(pilot, "escape")
        assert app.focused is other
        await ask_for_line(app, pilot, said)
        await pilot.click(offset=(3, 3))
        assert said == ["so", None, None]

    host(Static("below"), flow)


def test_the_widget_that_had_the_focus_may_be_gone() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        said: Said = []
        other = await ask_for_line(app, pilot, said)
        await other.remove()
        await press(pilot, "enter")
        assert said == ["so"]
        assert app.focused is None

    host(Static("below"), flow)
