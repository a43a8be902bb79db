"""The header, where room is short."""

from __future__ import annotations

import asyncio

from textual.app import App, ComposeResult
from textual.content import Content
from textual.style import Style

from tests.cases import each_case
from tests.tui.drawn import drawn_rows
from workbench.tui.header import TopBar
from workbench.tui.widgets.styles import ACCENT

TABS: list[tuple[str, str, int | None]] = [
    ("misses", "Misses", 13),
    ("fixtures", "Fixtures", 5),
    ("recordings", "Recordings", 0),
    ("evals", "Evals", None),
]
WIDTH = 86
LEFT = " [1 Misses 13]  2 Fixtures 5  3 Recordings 0  4 Evals"


class Bar(App[None]):
    def __init__(self, facts: list[str]) -> None:
        super().__init__()
        self.facts = [Content(fact) for fact in facts]

    def compose(self) -> ComposeResult:
        yield TopBar()

    def on_mount(self) -> None:
        bar = self.query_one(TopBar)
        bar.show_tabs(TABS, "misses")
        bar.show_facts(self.facts, is_last_cut="hold" in str(self.facts))


@each_case(
    "facts, shown",
    [
        (["fixtures f", "hold off", "● live mock.log"], "hold off   ● live mock.log"),
        (["fixtures f", "hold off", "● live server-7900.log"], "hold off   ● live server-7900…"),
        (
            ["fixtures f", "hold on 5m · 0 held", "● live mock.log"],
            "hold on 5m · 0 held   ● live …",
        ),
        (["fixtures f", "hold off", "● live"], "fixtures f   hold off   ● live"),
        (["fixtures f", "hold on 5m · 12,345 held", "● live"], "hold on 5m · 12,345 held"),
        (["server s", "fixtures f", "hold", "● live m.log +1"], "fixtures f   hold   ● live m.…"),
        (["fixtures f", "x" * 28, "● live mock.log"], "fixtures f   ● live mock.log"),
        (["● live mock.log"], "● live mock.log"),
        (["fixtures f", "x" * 16, "● live mock.log"], "fixtures f   ● live mock.log"),
        ([], ""),
    ],
)
def test_the_last_fact_gives_way_to_the_two_before_it(facts: list[str], shown: str) -> None:
    async def rendered() -> str:
        app = Bar(facts)
        async with app.run_test(size=(WIDTH, 1)) as pilot:
            await pilot.pause()
            return app.query_one(TopBar).render().plain

    line = asyncio.run(rendered())
    assert line.startswith(LEFT)
    assert line.removeprefix(LEFT).strip() == shown
    assert len(line) <= WIDTH


def test_what_can_be_clicked_has_colours_of_its_own() -> None:
    async def keys() -> str:
        app = Bar([])
        async with app.run_test(size=(WIDTH, 1)) as pilot:
            await pilot.pause()
            (strip,) = drawn_rows(app.screen)
            wanted = Style.parse(ACCENT).rich_style.color
            return "".join(s.text for s in strip if s.style and s.style.color == wanted)

    assert asyncio.run(keys()).split() == ["[1", "Misses", "13]2", "3", "4"]
