"""Which keys the key bar shows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.running import application, ask
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (80, "⏎ Edit  / Filter  a Accept  s Skip  d Nearest  u Undo  ? Help  ^p More  q Quit"),
        (60, "⏎ Edit  / Filter  a Accept  ? Help  ^p More  q Quit"),
    ],
)
def test_what_comes_first_stays_longest(tmp_path: Path, width: int, shown: str) -> None:
    async def flow() -> None:
        async with application(tmp_path, [ask("x")], size=(width, 24)) as running:
            assert running.screen_text().splitlines()[-1].strip() == shown

    asyncio.run(flow())


def test_the_keys_are_those_that_act_now(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, [ask("x")]) as running:

            def keys() -> str:
                return running.screen_text().splitlines()[-1].strip()

            at_first = keys()
            assert at_first.startswith("⏎ Edit  / Filter  a Accept")
            await running.press("i")
            await running.until(lambda: keys() == "")
            await running.press("escape")
            await running.until(lambda: keys() == at_first)
            await running.press("slash")
            await running.until(lambda: keys().startswith("⏎ Done  esc Clear"))
            await running.press("escape", "z")
            await running.until(lambda: "z Zoom" in keys())
            await running.press("escape")
            await running.until(lambda: keys() == at_first)
            running.app.action_toggle_plain()
            await running.until(lambda: keys().startswith("Enter Edit  / Filter"))

    asyncio.run(flow())


def test_an_empty_list_has_no_keys_for_a_row(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, []) as running:

            def keys() -> str:
                return running.screen_text().splitlines()[-1].strip()

            assert keys() == "u Undo  ? Help  ^p More  q Quit"
            await running.press("2")
            await running.until(lambda: "Fixtures [0/0]" in running.screen_text())
            assert keys() == "u Undo  ? Help  ^p More  q Quit"
            (running.fixtures / f"{'0' * 64}.json").parent.mkdir(exist_ok=True)
            (running.fixtures / f"{'0' * 64}.json").write_text("{}")
            await running.until(lambda: keys().startswith("⏎ Edit"))
            await running.press("slash", *"nothing", "enter")
            await running.until(lambda: keys().startswith("/ Filter"))

    asyncio.run(flow())


def test_the_keys_of_a_row_in_a_special_state_come_first(tmp_path: Path) -> None:
    folder = tmp_path / "fixtures"
    stale, broken, plain = ask("It is 2026-11-27."), ask("broken"), ask("plain")
    folder.mkdir()
    (folder / f"{digest(broken)}.json").write_text("{")
    older = ask("It is 2026-11-26.")
    text = new_document(digest(older), {"content": "yes"}, request=older).text
    (folder / f"{digest(older)}.json").write_text(text, "utf-8")

    async def flow() -> None:
        async with application(tmp_path, [stale, broken, plain]) as running:

            def begins(keys: str) -> bool:
                return running.screen_text().splitlines()[-1].strip().startswith(keys)

            await running.begin_at(stale)
            first = "⏎ Edit  r Re-key  d Difference  c Copy answer  / Filter"
            await running.until(lambda: begins(first))
            await running.begin_at(broken)
            await running.until(lambda: begins("⏎ Mend  / Filter  a Accept"))
            await running.begin_at(plain)
            await running.until(lambda: begins("⏎ Edit  / Filter  a Accept"))
            await running.press("m")
            await running.until(lambda: begins("A Accept marked  ⏎ Edit"))
            await running.press("M")
            await running.until(lambda: begins("⏎ Edit  / Filter  a Accept"))

    asyncio.run(flow())
