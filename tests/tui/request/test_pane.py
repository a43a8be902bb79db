"""Reading a request: views, messages, folding, finding, copying, exporting."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.pilot import Pilot

from tests.tui.drawn import drawn_rows, facts_of
from tests.tui.hosting import Host, host
from tests.tui.running import WEATHER_TOOL, Running, ask
from tests.tui.steady import press, resize, until
from tests.tui.test_app import play
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.text.digests import short
from workbench.tui.dialogs.questions import ExportPicker
from workbench.tui.lines.section_view import SectionView
from workbench.tui.lines.text_lines import SHOWN_CHARACTERS
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.search_line import SearchLine

LONG = "\n".join(f"rule {number}: be brief" for number in range(300))
CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": LONG},
        *({"role": "user", "content": f"question {n}\n" + "more\n" * 5} for n in range(8)),
        {"role": "user", "content": "the last, about London and LONDON"},
    ],
    "tools": [WEATHER_TOOL],
}


class Reading:
    """A request pane on the screen."""

    def __init__(self, pane: RequestPane, app: Host, pilot: Pilot[None]) -> None:
        self.pane, self.app, self.pilot = pane, app, pilot

    @property
    def view(self) -> SectionView:
        return self.pane.query_one(SectionView)

    async def show(self, payload: dict[str, Any], **more: Any) -> None:
        self.pane.show((payload,), [], **more)
        await self.pilot.pause()

    async def press(self, *keys: str) -> None:
        await press(self.pilot, *keys)

    @property
    def text(self) -> str:
        return self.app.text()

    @property
    def current(self) -> str:
        """The line of the section that is marked."""
        cursor = self.view._cursor
        return "" if cursor is None else self.view.lines[cursor].plain

    def backgrounds(self, *texts: str) -> set[object]:
        """The background colours of the rows in which these texts stand."""
        found: set[object] = set()
        for strip in drawn_rows(self.app.screen):
            if any(text in strip.text for text in texts):
                first = next(segment for segment in strip if segment.text.strip(" ┃│"))
                found.add(first.style and first.style.bgcolor)
        return found

    @property
    def top(self) -> str:
        """The line drawn first."""
        return self.view.lines[self.view.top_line].plain


Flow = Callable[[Reading], Awaitable[None]]


def read(payload: dict[str, Any], flow: Flow, size: tuple[int, int] = (70, 16)) -> None:
    """Run ``flow`` with a request, from its top."""
    pane = RequestPane()
    pane.styles.height = "1fr"

    async def run(app: Host, pilot: Pilot[None]) -> None:
        reading = Reading(pane, app, pilot)
        app.query_one("#other").focus()
        await reading.show(payload)
        pane.focus()
        pane.action_go(-len(payload["messages"]))
        await pilot.pause()
        await flow(reading)

    host(pane, run, size)


def test_messages_are_gone_to_one_by_one() -> None:
    async def flow(reading: Reading) -> None:
        assert reading.current.startswith("0 system  ▸ 5.6 KB  rule 0")
        await reading.press("right_curly_bracket")
        assert reading.current == reading.top == "1 user"
        await reading.press("right_curly_bracket", "right_curly_bracket")
        assert reading.current == reading.top == "3 user"
        await reading.press("left_curly_bracket")
        assert reading.current == reading.top == "2 user"
        reading.pane.action_go(20)
        await reading.press("right_curly_bracket")
        assert reading.current.startswith("offers")
        assert "get_weather(city" in reading.text  # at the end there is nothing to scroll

    read(CHAT, flow)


def test_the_current_message_follows_the_eye() -> None:
    async def flow(reading: Reading) -> None:
        await reading.press("right_curly_bracket")
        assert reading.current == "1 user"
        await reading.press("j", "down")
        assert reading.current == "1 user"  # its text is what stands at the top
        await reading.press("pagedown")
        assert reading.current in ("2 user", "3 user")
        await reading.press("G")
        assert reading.current.startswith("8 user")
        await reading.press("g")
        assert reading.view.top == 0
        assert reading.current.startswith("0 system")

    read(CHAT, flow)


def test_only_the_focused_pane_marks_a_message() -> None:
    async def flow(reading: Reading) -> None:
        assert reading.current
        assert len(reading.backgrounds("0 system", "1 user")) == 2
        reading.app.query_one("#other").focus()
        await reading.pilot.pause()
        assert reading.current == ""
        assert len(reading.backgrounds("0 system", "1 user")) == 1

    read(CHAT, flow)


def test_a_message_is_folded_and_unfolded_in_its_place() -> None:
    async def flow(reading: Reading) -> None:
        await reading.press("enter")
        assert "rule 3: be brief" in reading.text
        await reading.press("pagedown", "pagedown")
        assert "0 system" not in reading.text
        await reading.press("enter")  # folds what is at the top and brings it into view
        assert reading.current.startswith("0 system  ▸")
        assert reading.current == reading.top
        await reading.press("right_curly_bracket", "right_curly_bracket", "enter")
        assert reading.current.startswith("2 user  ▸ question 1 more more")
        assert "question 2" in reading.text

    read(CHAT, flow)


def test_a_click_on_a_head_folds() -> None:
    async def flow(reading: Reading) -> None:
        await reading.pilot.click(SectionView, offset=(4, 1))
        assert "1 user  ▸ question 0" in reading.text
        await reading.pilot.click(SectionView, offset=(4, 4))
        assert reading.current == "2 user"
        assert "2 user  ▸" not in reading.text

    read(CHAT, flow)


EXCHANGES = [
    message
    for n in range(9)
    for message in (
        {"role": "user", "content": f"question {n}\n" + "more\n" * 5},
        {"role": "assistant", "content": f"answer {n}"},
    )
]
LATER = {
    "messages": [{"role": "system", "content": LONG}, *EXCHANGES, CHAT["messages"][-1]],
    "model": "gpt-4o",
}


def test_a_request_opens_at_what_is_new_and_earlier_messages_are_one_line() -> None:
    async def flow(reading: Reading) -> None:
        await reading.show(LATER)
        assert reading.current == "19 user"
        rows = [row.strip("┃ ") for row in reading.text.splitlines()[3:9]]
        assert rows[0].startswith("0 system  ▸ 5.6 KB  rule 0: be brief")
        assert rows[1:4] == ["↑ 17 earlier messages", "18 assistant", "answer 8"]
        assert "the last, about London" in reading.text
        await reading.press("left_curly_bracket", "left_curly_bracket", "enter")
        assert reading.current == "▾ 17 earlier messages"
        await reading.press("right_curly_bracket")
        assert reading.current == reading.top == "1 user"
        await reading.press("left_curly_bracket", "y", "enter")
        assert json.loads(reading.app.copied[-1]) == EXCHANGES[:-1]
        assert reading.current == "↑ 17 earlier messages"
        await reading.show(LATER, earlier=("c62fad60235a" + "0" * 52, 18))
        assert "↑ 17 earlier messages, unchanged since c62fad60235a" in reading.text

    read(CHAT, flow)


def test_what_is_new_stays_in_view_in_another_size_until_somebody_scrolls() -> None:
    long = {**LATER, "messages": [*LATER["messages"], *CHAT["messages"][1:4]]}

    async def flow(reading: Reading) -> None:
        await reading.show(long)
        for height in (30, 12, 9):
            await resize(reading.pilot, 70, height)
            assert reading.current == "19 user"
            assert "the last, about London" in reading.text
        await reading.press("g")
        await resize(reading.pilot, 70, 8)
        assert reading.view.top == 0

    read(CHAT, flow)


def test_as_many_earlier_messages_are_shown_as_there_is_room_for() -> None:
    async def flow(reading: Reading) -> None:
        await resize(reading.pilot, 70, 14)
        await reading.show(LATER)
        assert "↑ 17 earlier messages" in reading.text
        await resize(reading.pilot, 70, 40)
        await until(reading.pilot, lambda: "answer 7" in reading.text)
        assert "17 earlier messages" not in reading.text
        assert reading.text.count("the last, about London") == 1

    read(CHAT, flow)


def test_a_long_message_shows_its_beginning() -> None:
    words = " ".join(f"word{number}" for number in range(40_000))

    async def flow(reading: Reading) -> None:
        await resize(reading.pilot, 70, 16)
        await reading.show({"model": "m", "messages": [{"role": "user", "content": words}]})
        rows = [row.strip("┃ ") for row in reading.text.splitlines()]
        assert "0 user  ▸ 388.9 KB" in rows
        assert sum("word" in row for row in rows) >= 4
        assert any(row.startswith("offers") for row in rows)
        await reading.press("enter")
        assert "Enter unfolds the rest" not in reading.text

    read(CHAT, flow)


def test_a_message_of_one_line_has_nothing_to_unfold() -> None:
    async def flow(reading: Reading) -> None:
        messages = [{"role": "system", "content": "Be brief."}, *CHAT["messages"][-1:]]
        await reading.show({"model": "m", "messages": messages})
        assert "0 system  Be brief." in reading.text

    read(CHAT, flow)


def test_it_opens_at_what_is_new_where_it_was_not_on_the_screen_yet() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane.display = False
        await reading.show(LATER)
        await resize(reading.pilot, 60, 10)
        reading.pane.display = True
        await until(reading.pilot, lambda: "the last, about London" in reading.text)

    read(CHAT, flow)


def test_a_request_that_is_shown_again_keeps_its_place() -> None:
    async def flow(reading: Reading) -> None:
        await reading.show(LATER)
        await reading.press("g")
        await reading.show(LATER, is_same=True)
        assert reading.view.top == 0
        # Another one is shown from what is new in it, in the same view.
        await reading.show({**LATER, "model": "gpt-4o-mini"})
        assert reading.current == "19 user"
        await reading.press("right_square_bracket")
        await reading.show(LATER)
        assert "[Tools 0]" in reading.text

    read(CHAT, flow)


def test_views_and_their_counts() -> None:
    async def flow(reading: Reading) -> None:
        assert "[Conversation 10]  Tools 1  JSON" in reading.text
        assert facts_of(reading.pane) == "no stream"
        await reading.press("right_square_bracket")
        assert "▾ get_weather" in reading.text
        await reading.press("enter")
        assert "tool_choice" in reading.text
        await reading.press("right_square_bracket")
        assert '"model": "gpt-4o"' in reading.text
        await reading.press("left_square_bracket", "left_square_bracket")
        assert "[Conversation 10]" in reading.text

    read(CHAT, flow, (70, 40))


# Finding


def test_what_is_looked_for_is_marked_also_where_it_was_folded() -> None:
    async def flow(reading: Reading) -> None:
        await reading.press("slash", *"rule")
        async with asyncio.timeout(60):  # it is looked for when typing rests
            while facts_of(reading.pane) != "/ rule  1 of 300":
                await reading.pilot.pause(0.01)
        assert "rule 0: be brief" in reading.text
        await reading.press("enter")
        assert reading.app.focused is reading.pane
        await reading.press("n", "n")
        assert facts_of(reading.pane) == "/ rule  3 of 300"
        await reading.press("N", "N", "N")
        assert facts_of(reading.pane) == "/ rule  300 of 300"
        assert "rule 299: be brief" in reading.text
        await reading.press("escape")
        assert facts_of(reading.pane) == "no stream"
        assert reading.current.startswith("0 system  ▸")

    read(CHAT, flow)


def test_case_does_not_matter_a_pattern_is_text_and_the_next_request_is_searched_too() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane._find("london")
        assert facts_of(reading.pane).endswith("1 of 2")
        assert reading.app.status == '"london": 1 of 2 in this view of the request.'
        await reading.show(ask("London, london, london"))
        assert facts_of(reading.pane) == "/ london  3 found"
        await reading.press("n")
        assert facts_of(reading.pane) == "/ london  1 of 3"
        await reading.show(ask("London, london, london"))
        await reading.press("N")
        assert facts_of(reading.pane) == "/ london  3 of 3"
        await reading.show(ask("Paris"))
        assert facts_of(reading.pane) == "/ london  not found"
        reading.pane._find(".*")
        assert facts_of(reading.pane) == "/ .*  not found"
        assert reading.app.status == '".*" is not in this view of the request.'
        await reading.press("n")
        assert facts_of(reading.pane) == "/ .*  not found"
        await reading.press("slash", *"lond", "escape")
        assert reading.app.focused is reading.pane
        assert reading.view.sought == ""
        assert reading.app.status == ""
        assert not reading.app.query_one(SearchLine).has_class("-open")

    read(CHAT, flow)


def test_the_part_of_a_text_that_is_not_shown_is_searched_too() -> None:
    filler = "x" * (SHOWN_CHARACTERS - 4 - len("first need"))

    async def flow(reading: Reading) -> None:
        await reading.show(ask(f"first need{filler}needle\nNEEDLE"))
        reading.pane._find("needle")
        assert facts_of(reading.pane) == "/ needle  2 found, not shown"
        reading.pane.set_about(Content("x" * reading.pane.title_room))
        assert "2 found, not shown" in str(reading.pane.border_title)
        await reading.press("n")
        assert facts_of(reading.pane) == "/ needle  2 found, not shown"
        reading.pane._find("first")
        assert facts_of(reading.pane) == "/ first  1 of 1"
        reading.pane._find("a word that is nowhere")
        assert facts_of(reading.pane) == "/ a word that is nowhe…  not found"
        reading.pane._find("need")
        assert facts_of(reading.pane) == "/ need  1 of 1, 2 more not shown"
        where = "in this view of the request"
        more = "2 more in texts that are not shown"
        assert reading.app.status == f'"need": 1 of 1 {where}. {more}.'
        # A text that is cut in the middle of what is sought.
        await reading.show(ask(f"first need{filler[2:]}needle"))
        reading.pane._find("needle")
        assert facts_of(reading.pane) == "/ needle  1 found, not shown"

    read(CHAT, flow)


def test_the_match_gone_to_stays_marked_when_the_request_is_shown_again_or_folded() -> None:
    def styles(reading: Reading) -> list[Any]:
        (line,) = [s for s in drawn_rows(reading.app.screen) if "London" in s.text]
        words = (part.style for part in line if part.text.lower() == "london")
        return [style and style.clear_meta_and_links() for style in words]

    async def flow(reading: Reading) -> None:
        reading.pane._find("london")
        await reading.press("n")
        marked = styles(reading)
        assert marked[0] != marked[1]
        reading.pane.show_notice([Content("a fixture is near")])
        await reading.pilot.pause()
        assert facts_of(reading.pane) == "/ london  2 of 2"
        assert styles(reading) == marked
        await reading.press("left_curly_bracket", "enter")
        assert "8 user  ▸" in reading.text
        assert facts_of(reading.pane) == "/ london  2 of 2"
        assert [bool(style.reverse) for style in styles(reading)] == [False, True]

    read(CHAT, flow)


def test_what_is_said_later_stands_below_and_moves_nothing() -> None:
    async def flow(reading: Reading) -> None:
        await reading.press("right_curly_bracket", "right_curly_bracket", "enter")
        before = [row[:60] for row in reading.text.splitlines()[:8]]  # without the scroll bar
        for text in ("It quotes the fallback.", "Its fixture cannot be read."):
            reading.pane.show_notice([Content(text)])
            await until(reading.pilot, lambda text=text: text in reading.text)  # type: ignore[misc]
            assert [row[:60] for row in reading.text.splitlines()[:8]] == before
            assert reading.current.startswith("2 user  ▸")
        await reading.press("enter", "left_curly_bracket")
        assert reading.current.startswith("1 ")
        reading.pane.show_notice([])
        await reading.pilot.pause()
        assert reading.current.startswith("1 ")

    read(CHAT, flow)


def test_what_is_said_below_the_end_of_a_text_moves_nothing() -> None:
    notices = [[Content(f"{text} {n}") for n in range(5)] for text in ("first", "second")]

    async def flow(reading: Reading) -> None:
        await reading.press("G", "right_curly_bracket", "right_curly_bracket")
        assert reading.current.startswith("offers")
        before = reading.text.splitlines()[2:6]
        for notice in notices:
            reading.pane.show_notice(notice)
            await until(reading.pilot, lambda notice=notice: notice[0].plain in reading.text)  # type: ignore[misc]
            assert reading.text.splitlines()[2:6] == before

    read(CHAT, flow)


def test_what_is_said_below_leaves_as_many_earlier_messages_in_view() -> None:
    roles = [("user", "assistant")[number % 2] for number in range(31)]
    messages = [{"role": role, "content": f"message {n}"} for n, role in enumerate(roles)]

    async def flow(reading: Reading) -> None:
        before = reading.text.splitlines()[2:16]
        assert any("earlier messages" in row for row in before)
        for text in ("It quotes the fallback.", "Its fixture cannot be read."):
            reading.pane.show_notice([Content(text)] * 3)
            await until(reading.pilot, lambda text=text: text in reading.text)  # type: ignore[misc]
            assert reading.text.splitlines()[2:16] == before

    read({"model": "gpt-4o", "messages": messages}, flow, (70, 26))


def test_the_frame_tells_as_much_as_it_has_room_for() -> None:
    async def flow(reading: Reading) -> None:
        before = reading.text.splitlines()[1:-2]
        reading.pane.set_foot("‖ Client waiting 2m", "; status 200 is sent")
        await reading.pilot.pause()
        assert "━ ‖ Client waiting 2m; status 200 is sent ━┛" in reading.text
        assert reading.text.splitlines()[1:-2] == before
        await resize(reading.pilot, 40, 16)
        assert "━ ‖ Client waiting 2m ━┛" in reading.text

    read(CHAT, flow)


def test_what_a_long_text_says_below_leaves_room_for_the_request() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane.show_notice([Content(f"line {n}") for n in range(30)])
        await until(reading.pilot, lambda: "line 0" in reading.text)
        assert reading.view.rows_high >= 5

    read(CHAT, flow)


def test_several_requests_of_a_digest_are_told_apart_below_the_conversation() -> None:
    other = {**CHAT, "tools": []}

    async def flow(reading: Reading) -> None:
        reading.pane.show((CHAT, other), [])
        await reading.pilot.pause()
        assert "( 1 of 2 ) · no stream" in reading.text
        await reading.press("G")
        assert "! 2 requests have these messages and differ in the rest:" in reading.text
        assert "> 1  text   get_weather" in reading.text
        await reading.press("right_parenthesis", "G")
        await until(reading.pilot, lambda: "> 2  text   no tools" in reading.text)

    read(CHAT, flow)


def test_a_match_is_drawn_in_another_style() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane._find("london")
        await reading.pilot.pause()
        (line,) = [s for s in drawn_rows(reading.app.screen) if "London" in s.text]
        found = [segment for segment in line if segment.text.lower() == "london"]
        assert len(found) == 2
        plain = next(segment for segment in line if "about" in segment.text)
        styles = {segment.style for segment in (*found, plain)}
        assert len(styles) == 3

    read(CHAT, flow)


def test_a_match_is_marked_across_the_rows_it_stands_in() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane._find("needle")
        await reading.pilot.pause()
        assert facts_of(reading.pane).endswith("of 300")
        (first, *others) = drawn_rows(reading.app.screen)[4:13]
        for strip in (first, *others):
            plain = [
                s.text for s in strip if s.style and not (s.style.underline or s.style.reverse)
            ]
            assert not set("needle") & set("".join(plain))
        assert next(s.text for s in first if s.style and s.style.reverse) == "needle"

    read(ask("needle" * 300), flow)


# Copying


def test_the_current_part_is_copied_as_it_is() -> None:
    async def flow(reading: Reading) -> None:
        await reading.press("y", "right_curly_bracket", "y")
        await reading.press("right_square_bracket", "y", "right_square_bracket", "y")
        system, first, schema, value = reading.app.copied
        assert system == LONG
        assert first == CHAT["messages"][1]["content"]
        assert json.loads(schema) == WEATHER_TOOL["function"]["parameters"]  # type: ignore[index]
        assert value == "gpt-4o"

    read(CHAT, flow)


# Place


def test_another_request_is_compared_at_the_same_place() -> None:
    other = {**CHAT, "model": "gpt-4o-mini"}

    async def flow(reading: Reading) -> None:
        await reading.press("right_square_bracket", "right_square_bracket", "pagedown")
        top = reading.view.top
        assert top > 0
        await reading.show(other)
        assert reading.view.top == top
        assert "[JSON]" in reading.text
        reading.app.query_one("#other").focus()
        await reading.pilot.pause()
        await reading.show(CHAT)
        assert reading.view.top == 0

    read(CHAT, flow)


def test_a_narrower_pane_keeps_the_line_at_its_top() -> None:
    wide = ask("\n".join(f"{n} " + "word " * 30 for n in range(100)))

    async def flow(reading: Reading) -> None:
        await reading.press("pagedown", "pagedown", "pagedown")
        top = reading.top
        for width in (40, 70, 100):
            await resize(reading.pilot, width, 16)
            assert reading.top == top

    read(wide, flow)


def test_a_request_that_is_not_known() -> None:
    async def flow(reading: Reading) -> None:
        reading.pane.show((), [])
        await reading.pilot.pause()
        for key in ("enter", "y", "right_curly_bracket", "right_square_bracket", "n", "G"):
            await reading.press(key)
        assert not any(reading.app.copied)
        assert facts_of(reading.pane) == ""

    read(CHAT, flow)


@pytest.mark.parametrize("view", range(3))
def test_a_large_request_opens_at_once_and_is_completed_between_keys(view: int) -> None:
    tools = [json.loads(json.dumps(WEATHER_TOOL).replace("get_", f"get_{n}_")) for n in range(900)]
    large = {
        "messages": [{"role": "user", "content": f"{n} " + "word " * 100} for n in range(2000)],
        "tools": tools,
    }
    assert len(json.dumps(large)) > 1_000_000

    async def flow(reading: Reading) -> None:
        for _ in range(view):
            await reading.press("right_square_bracket")
        reading.pane.show((large,), [])
        made = len(reading.view.lines)
        while not reading.view._layout.is_complete:
            await reading.pilot.pause(0.01)
        assert len(reading.view.lines) > 3 * made  # a time would depend on the machine
        await reading.press("G")
        assert reading.view.top > 5000

    read(CHAT, flow)


def test_hostile_text_is_inert_in_every_view_and_in_finding() -> None:
    text = "\x1b]52;c;aGk=\x07\x1b[31m[/bold] [red]x \x00 \u202ertl \u2028 [@click=app.quit]y[/]"
    (said,) = ask(text)["messages"]
    hostile = {
        "model": text,
        "messages": [{"role": text, "name": text, "content": text + "x" * 5000}, said],
        text: text,
        "tools": [{"type": "function", "function": {"name": text, "description": text}}],
    }

    async def flow(reading: Reading) -> None:
        for _ in range(3):
            for keys in (["enter"], ["slash", "x", "enter"], ["escape", "right_square_bracket"]):
                await reading.press(*keys)
                assert not set(reading.text) & set("\x1b\x00\x07\u202e\u2028")
        reading.pane._find(text)
        await reading.pilot.pause()
        assert not set(reading.text) & set("\x1b\x00\x07\u202e\u2028")

    read(hostile, flow, (100, 30))


# In the application


def test_the_next_miss_is_read_without_leaving_the_pane(tmp_path: Path) -> None:
    first, second = ask(LONG, tools=[WEATHER_TOOL]), ask(LONG + " two", tools=[WEATHER_TOOL])

    async def flow(running: Running) -> None:
        request = running.parts.view.request
        request.focus()
        await running.press("right_square_bracket", "right_square_bracket", "pagedown")
        top = request.query_one(SectionView).top
        await running.press("J")
        await running.until(lambda: running.app.misses.subject == digest(second))
        assert running.app.focused is request
        assert request.query_one(SectionView).top == top > 0
        await running.until_shown("[JSON]")
        await running.press("K")
        await running.until(lambda: running.app.misses.subject == digest(first))
        await running.press("y")
        assert "Copied" in running.status
        await running.press("right_parenthesis")
        assert running.status == "No other request has this digest."
        await running.press("slash", *"rule", "enter")
        await running.until_shown("/ rule  1 of 300")

    play(tmp_path, [first, second], flow)


def test_a_request_is_exported_by_two_keys_or_it_is_said_why_not(tmp_path: Path) -> None:
    payload = ask("weather in London?")

    async def flow(running: Running) -> None:
        exports = running.session.state_folder.path / "exports"
        await resize(running.pilot, 60, 15)
        await running.press("x")
        await resize(running.pilot, 80, 24)
        for row in ("sends it again, with nothing to install", "its answers, for a pull request"):
            await running.until_shown(row)
        await running.press("escape")
        assert not exports.exists()
        for key, suffix in (("j", "json"), ("c", "sh"), ("p", "py"), ("m", "md")):
            await running.press("x")
            assert isinstance(running.app.screen, ExportPicker)
            await running.press(key)
            file = exports / f"{short(digest(payload))}.{suffix}"
            assert str(file) in running.status
            assert "weather in London?" in file.read_text("utf-8")
        await running.press("x", "down", "enter")
        assert "; sh sends it again." in running.status
        shutil.rmtree(exports)
        exports.write_text("not a folder")
        await running.press("x", "j")
        assert running.status.startswith("Cannot write the export: ")
        running.parts.view.request.show((), [])  # as of one that is not in the log
        await running.press("x")
        assert running.status == "Its request is not known, so there is nothing to export."

    play(tmp_path, [payload], flow)


def test_a_stale_row_says_below_its_request_what_can_be_done(tmp_path: Path) -> None:
    stored, asked = ask("London, 2026-11-20?"), ask("London, 2026-11-21?")
    (tmp_path / "fixtures").mkdir()
    text = new_document(digest(stored), {"content": "fine"}, request=stored).text
    (tmp_path / "fixtures" / f"{digest(stored)}.json").write_text(text)

    async def flow(running: Running) -> None:
        await running.until_shown("≈ A fixture answers the same request, apart from")

    play(tmp_path, [asked], flow)
