"""The header, where room is short."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from textual.app import App, ComposeResult
from textual.content import Content
from textual.style import Style

from tests.cases import each_case
from tests.tui.drawn import drawn_rows
from workbench.tui.header import Fact, Facts, TabLabel, TopBar
from workbench.tui.widgets.styles import ACCENT

TABS = [
    TabLabel("1", "misses", "Misses", 13),
    TabLabel("2", "fixtures", "Fixtures", 5),
    TabLabel("3", "recordings", "Recordings", 0),
    TabLabel("4", "evals", "Evals"),
]
WIDTH = 86
LEFT = " [1 Misses 13]  2 Fixtures 5  3 Recordings 0  4 Evals"


class Bar(App[None]):
    def __init__(self, facts: Facts, state: str = "", tabs: Sequence[TabLabel] = TABS) -> None:
        super().__init__()
        self.tabs = list(tabs)
        self.facts = facts
        self.state = Content(state)

    def compose(self) -> ComposeResult:
        yield TopBar()

    def on_mount(self) -> None:
        bar = self.query_one(TopBar)
        bar.show_tabs(self.tabs, "misses", self.state)
        bar.show_facts(self.facts)


def rendered(facts: Facts, width: int, state: str = "", tabs: Sequence[TabLabel] = TABS) -> str:
    async def run() -> str:
        app = Bar(facts, state, tabs)
        async with app.run_test(size=(width, 1)) as pilot:
            await pilot.pause()
            return app.query_one(TopBar).render().plain

    return asyncio.run(run())


@each_case(
    "facts, shown",
    [
        ({"profile": "stub", "log": "● live", "log name": "mock.log"}, "stub   ● live mock.log"),
        (
            {"profile": "stub", "hold": "hold off", "log": "● live", "log name": "server-7900.log"},
            "stub   hold off   ● live",
        ),
        (
            {"fixtures": "fixtures f", "profile": "stub", "log": "● live", "log name": "mock.log"},
            "fixtures f   stub   ● live",
        ),
        (
            {"fixtures": "fixtures f", "profile": "stub", "hold": "hold off", "log": "● live"},
            "stub   hold off   ● live",
        ),
        (
            {"profile": "stub", "hold": "hold on 5m", "held": "1 held", "log": "● live m"},
            "stub   hold on 5m · 1 held",
        ),
        (
            {"profile": "openai", "hold": "hold on 5m", "held": "12,345 held", "log": "●"},
            "openai   12,345 held   ●",
        ),
        ({"server": "server s up", "profile": "stub"}, "server s up   stub"),
        (
            {"server": "server s up", "fixtures": "fixtures f", "profile": "stub"},
            "fixtures f   stub",
        ),
        ({}, ""),
    ],
)
def test_the_less_important_facts_give_way(facts: dict[Fact, str], shown: str) -> None:
    line = rendered({name: Content(fact) for name, fact in facts.items()}, WIDTH)
    assert line.startswith(LEFT)
    assert line.removeprefix(LEFT).strip() == shown
    assert len(line) <= WIDTH


FACTS: Facts = {
    "server": Content("server 127.0.0.1:12345 up"),
    "fixtures": Content("fixtures …/a/folder/fixtures"),
    "profile": Content("openai"),
    "hold": Content("hold on 5m"),
    "held": Content("12 held"),
    "log": Content("● live"),
    "log name": Content("run.log"),
}


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "state", ["", " ● running 00:07", " 12 failed, 1,203 passed, 4 skipped, 11 errors"]
)
def test_what_waits_is_always_seen(width: int, state: str) -> None:
    line = rendered(FACTS, width, state)
    assert "12 held" in line
    assert len(line) <= width


@pytest.mark.parametrize("width", [60, 80, 120])
def test_without_a_suite_the_profile_is_always_seen(width: int) -> None:
    assert "   openai   " in rendered(FACTS, width)


@each_case(
    "width, shown",
    [
        (60, "[1 Misses 13]  2  5 Suite ● running 00:07 · 0/2   12 held"),
        (80, "[1 Misses 13]  2 Fixtures 5  5 Suite ● running 00:07 · 0/2   openai   12 held"),
        (94, "… ● running 00:07 · 0/2   openai   hold on 5m · 12 held"),
    ],
)
def test_the_names_of_tabs_are_more_important_than_the_profile(width: int, shown: str) -> None:
    tabs = [*TABS[:2], TabLabel("5", "suite", "Suite")]
    line = rendered(FACTS, width, " ● running 00:07 · 0/2", tabs)
    assert " ".join(shown.removeprefix("…").split()) in " ".join(line.split())
    assert len(line) <= width


def test_what_can_be_clicked_has_colours_of_its_own() -> None:
    async def keys() -> str:
        app = Bar({})
        async with app.run_test(size=(WIDTH, 1)) as pilot:
            await pilot.pause()
            (strip,) = drawn_rows(app.screen)
            wanted = Style.parse(ACCENT).rich_style.color
            return "".join(s.text for s in strip if s.style and s.style.color == wanted)

    assert asyncio.run(keys()).split() == ["[1", "Misses", "13]2", "3", "4"]
