"""All that is drawn can be read: in every theme, on every screen."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.terminal_theme import TerminalTheme
from textual.app import App
from textual.color import Color
from textual.geometry import Region
from textual.theme import BUILTIN_THEMES, Theme

from tests.golden_reports import write_report
from tests.pictures import scenes as pictures
from tests.recorded import write_recording
from tests.tui.drawn import drawn_rows
from tests.tui.running import Running, application
from workbench.core.control_api import HeldRequest
from workbench.core.digest import digest
from workbench.core.requests.view import Tool
from workbench.core.suite_tests import PytestSession, ReportedTest, SuiteReport
from workbench.io.state_folder import StateFolder
from workbench.session.suite.suite import Suite
from workbench.tui.dialogs.questions import ExportPicker, confirm
from workbench.tui.dialogs.welcome import Welcome
from workbench.tui.tabs import SUITE
from workbench.tui.widgets.contrast import OTHER, TEXT, contrast, readable
from workbench.tui.widgets.styles import OURS
from workbench.tui.workspace.draft_actions import tool_picker

ALL = {**BUILTIN_THEMES, **OURS}
# Drawing is slow: of the others, those that needed most changes.
DRAWN = ("workbench", "workbench-light", "ansi-dark", "ansi-light", "nord", "solarized-light")
SIZE = (160, 45)
# The lines around panes without the focus, and between parts: nothing is lost without them. Round
# corners are those of a field.
DECORATION = frozenset("─│┌┐└┘▏▕▔▁")
# A faint text is drawn between its colour and its ground.
FAINT = 0.66

Steps = Callable[[Running], Awaitable[None]]


def drawn(app: App[None]) -> Iterator[tuple[str, Color, Color]]:
    """The texts on the screen, each with its colour and its ground."""
    screen = app.screen
    rows = drawn_rows(screen)
    if screen.is_modal:  # what is behind it is not for reading
        region = Region.from_union([child.region for child in screen.children if child.display])
        rows = [rows[y].crop(region.x, region.right) for y in region.line_range]
    for row in rows:
        for segment in row:
            if segment.text.strip() and not DECORATION.issuperset(segment.text.strip()):
                yield (segment.text, *colours(segment, app.ansi_theme))


def colours(segment: Segment, terminal: TerminalTheme) -> tuple[Color, Color]:
    style = segment.style
    assert style is not None
    assert style.color is not None
    assert style.bgcolor is not None
    text = Color(*style.color.get_truecolor(terminal, foreground=True))
    ground = Color(*style.bgcolor.get_truecolor(terminal, foreground=False))
    if style.reverse:
        text, ground = ground, text
    return (ground.blend(text, FAINT) if style.dim else text), ground


def least(text: str, theme: Theme) -> float:
    """The contrast that a text needs: a sign alone is recognised by its form; the colours of a
    terminal are those of its user.
    """
    return OTHER if theme.ansi or not any(map(str.isalnum, text)) else TEXT


def unreadable(app: App[None]) -> set[tuple[str, str, str, float]]:
    return {
        (text.strip()[:30], colour.hex, ground.hex, round(contrast(colour, ground), 2))
        for text, colour, ground in drawn(app)
        if contrast(colour, ground) < least(text, app.current_theme)
    }


# The screens


async def everything_listed(running: Running) -> None:
    """Rows of several states, one marked, beside a list without the focus."""
    await running.press("x", "down")
    running.fixtures.mkdir(exist_ok=True)
    (running.fixtures / f"{digest(pictures.REQUESTS[2])}.json").write_text("{")
    await running.until_shown("broken")


async def preview(running: Running) -> None:
    await pictures.answer(running)
    await running.press("escape")
    await pictures.preview(running)


async def selection(running: Running) -> None:
    """A call whose hole is selected, and then a text."""
    await pictures.call(running)


async def problems(running: Running) -> None:
    await pictures.call(running)
    await running.write("two")
    await running.press("ctrl+s")


async def whole_file(running: Running) -> None:
    await pictures.answer(running)
    await running.press("ctrl+r")


async def selected_text(running: Running) -> None:
    await pictures.answer(running)
    await running.press("shift+home")


async def filter_line(running: Running) -> None:
    await running.press("slash")
    await running.until_shown("/")


async def palette(running: Running) -> None:
    await running.press("ctrl+p")
    await running.write("save")
    await running.pilot.pause(0.2)


async def help_screen(running: Running) -> None:
    await running.press("question_mark")


async def manual(running: Running) -> None:
    await running.press("question_mark", "f1")


async def tools(running: Running) -> None:
    names = ("book_flight", "cancel")
    running.app.push_screen(tool_picker([Tool(name, "Does it", None, False) for name in names]))
    await running.until_shown("cancel")


async def exports(running: Running) -> None:
    running.app.push_screen(ExportPicker(digest(pictures.REQUESTS[0])))
    await running.until_shown("esc leaves")


async def question(running: Running) -> None:
    app = running.app
    app.run_worker(confirm(app.main, "Is this a question?", "y yes, esc goes back."))
    await running.until_shown("Is this a question?")


async def welcome(running: Running) -> None:
    await running.app.screen.mount(Welcome())
    await running.until_shown("This box closes")


async def fixtures(running: Running) -> None:
    await running.press("2")
    await running.pilot.pause(0.2)


async def recordings(running: Running) -> None:
    await running.press("3")
    await running.pilot.pause(0.2)


async def evals(running: Running) -> None:
    await running.press("4")
    await running.pilot.pause(0.2)


async def held(running: Running) -> None:
    """Clients that wait, one of them for less than a minute more."""
    names = [digest(request) for request in pictures.REQUESTS[:2]]
    left = (200.0, 20.0)
    waiting = [
        HeldRequest(n, n, 1.0, seconds, False, 1) for n, seconds in zip(names, left, strict=True)
    ]
    running.app.misses.held_changed(running.session.held.take(waiting))
    await running.until_shown("Waiting for you 2")


TESTS = [
    ReportedTest("tests/test_a.py::test_one", "passed", seconds=0.1),
    ReportedTest("tests/test_a.py::test_two", "failed", failure="E   assert 1 == 2", requests=3),
    ReportedTest("tests/test_a.py::test_three", "running", requests=1),
]


async def run_suite(running: Running) -> None:
    """A suite whose command has failed, and whose tests are reported."""
    running.session.suite = suite = Suite(["false"], os.environ)
    running.app.run_worker(suite.follow(lambda: None))
    await running.until(lambda: suite.code == 1 and not suite.is_running)
    suite.tests.take(SuiteReport(1, 1, PytestSession(str(running.folder), 1, [0], 3), TESTS))
    running.app.main.show_news(SUITE.id)


async def suite(running: Running) -> None:
    await run_suite(running)
    await running.press("5")
    await running.until_shown("✗ failed")


async def last_page(running: Running) -> None:
    """A suite that failed, one answer written, and no request that is still open."""
    await run_suite(running)
    await pictures.answer(running)
    await running.press("ctrl+s", "escape")
    await running.press(*["s"] * (len(pictures.REQUESTS) - 1))
    await running.until_shown("run again")


SCENES: list[Steps] = [
    everything_listed, pictures.request, pictures.answer, preview, selection, problems,
    whole_file, selected_text, filter_line, palette, help_screen, manual, tools, exports, question,
    welcome, fixtures, recordings, evals, held, suite, last_page,
]  # fmt: skip


@pytest.mark.parametrize("steps", SCENES, ids=lambda steps: steps.__name__)
def test_all_that_is_drawn_has_contrast(tmp_path: Path, steps: Steps) -> None:
    write_recording(tmp_path / ".workbench" / "runs", "aa")
    write_report(StateFolder(tmp_path / ".workbench"))

    async def run() -> None:
        async with application(tmp_path, pictures.REQUESTS, size=SIZE) as running:
            await running.begin_at(pictures.REQUESTS[0])
            await steps(running)
            for theme in DRAWN:
                running.app.theme = theme
                await running.pilot.pause()
                assert not unreadable(running.app), theme

    asyncio.run(run())


GROUNDS = ("background", "surface", "panel", "surface-lighten-1")
FIELDS = ("background", "surface")
# What stands on what, and the contrast that it needs.
ON = [
    (("foreground", "foreground-muted", "text-muted", "text-disabled"), GROUNDS, TEXT),
    (("text-primary", "text-secondary", "text-accent"), GROUNDS, TEXT),
    (("text-success", "text-warning", "text-error"), GROUNDS, TEXT),
    (("primary", "border"), FIELDS, OTHER),
    (("scrollbar", "scrollbar-hover", "scrollbar-active"), ("scrollbar-background",), OTHER),
    (("block-cursor-background", "input-cursor-background"), FIELDS, OTHER),
    (("input-selection-background", "screen-selection-background"), FIELDS, OTHER),
    (("block-cursor-foreground",), ("block-cursor-background",), TEXT),
    (("input-cursor-foreground",), ("input-cursor-background",), TEXT),
    (("input-selection-foreground",), ("input-selection-background",), TEXT),
    (("screen-selection-foreground",), ("screen-selection-background",), TEXT),
]


@pytest.mark.parametrize(
    "theme", [each for each in ALL.values() if not each.ansi], ids=lambda theme: theme.name
)
def test_the_colours_of_a_theme_have_contrast(theme: Theme) -> None:
    variables = readable({**theme.to_color_system().generate(), **theme.variables})
    low = [
        (name, ground)
        for names, grounds, needed in ON
        for name in names
        for ground in grounds
        if contrast(Color.parse(variables[name]), Color.parse(variables[ground])) < needed
    ]
    assert not low


def attributes(app: App[None], text: str) -> set[str]:
    """How a text on the screen is written, colours apart."""
    names = ("bold", "underline", "reverse")
    styles = [s.style for row in drawn_rows(app.screen) for s in row if text in s.text]
    return {name for name in names if any(getattr(style, name) for style in styles)}


def test_what_is_selected_is_seen_without_any_colour(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TEXTUAL_THEME", "ansi-dark")

    async def run() -> None:
        async with application(tmp_path, pictures.REQUESTS, size=SIZE) as running:
            app = running.app
            await running.begin_at(pictures.REQUESTS[0])
            assert attributes(app, ">") == {"bold"}
            await pictures.call(running)
            assert "reverse" in attributes(app, "‹text›")
            await running.press("escape", "escape")
            await tools(running)
            assert attributes(app, "book_flight") == {"bold", "underline"}

    asyncio.run(run())
