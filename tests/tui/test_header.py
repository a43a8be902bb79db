"""The header, where room is short."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

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
    def __init__(self, facts: Facts, state: str = "") -> None:
        super().__init__()
        self.facts = facts
        self.state = Content(state)

    def compose(self) -> ComposeResult:
        yield TopBar()

    def on_mount(self) -> None:
        bar = self.query_one(TopBar)
        bar.show_tabs(TABS, "misses", self.state)
        bar.show_facts(self.facts)


def rendered(facts: Mapping[Fact, str], width: int, state: str = "") -> str:
    async def run() -> str:
        app = Bar({name: Content(fact) for name, fact in facts.items()}, state)
        async with app.run_test(size=(width, 1)) as pilot:
            await pilot.pause()
            return app.query_one(TopBar).render().plain

    return asyncio.run(run())


@each_case(
    "facts, shown",
    [
        ({"profile": "stub", "log": "● live mock.log"}, "stub   ● live mock.log"),
        (
            {"profile": "stub", "hold": "hold off", "log": "● live server-7900.log"},
            "stub   hold off   ● live serv…",
        ),
        (
            {"fixtures": "fixtures f", "profile": "stub", "log": "● live mock.log"},
            "fixtures f   stub   ● live mo…",
        ),
        (
            {"fixtures": "fixtures f", "profile": "stub", "hold": "hold off", "log": "● live"},
            "stub   hold off   ● live",
        ),
        (
            {"profile": "stub", "hold": "hold on 5m · 0 held", "log": "● live m"},
            "stub   hold on 5m · 0 held",
        ),
        (
            {"profile": "openai", "hold": "hold on 5m · 12,345 held", "log": "● live"},
            "openai   ● live",
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
    line = rendered(facts, WIDTH)
    assert line.startswith(LEFT)
    assert line.removeprefix(LEFT).strip() == shown
    assert len(line) <= WIDTH


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "state", ["", " ● running 00:07", " 12 failed, 1,203 passed, 4 skipped, 11 errors"]
)
def test_the_profile_is_always_seen(width: int, state: str) -> None:
    facts: dict[Fact, str] = {
        "server": "server 127.0.0.1:12345 up",
        "fixtures": "fixtures …/a/folder/fixtures",
        "profile": "openai",
        "hold": "hold on 5m · 12 held",
        "log": "● live run.log",
    }
    line = rendered(facts, width, state)
    assert "  openai" in line
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
