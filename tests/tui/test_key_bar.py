"""Which keys the key bar shows."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tui.running import application, ask


def test_the_keys_are_those_that_act_now(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, [ask("x")]) as running:

            def keys() -> str:
                return " ".join(running.screen_text().splitlines()[-1].split())

            at_first = keys()
            assert at_first.startswith("⏎ Edit t Tool call d Nearest")
            await running.press("i")
            await running.until(lambda: keys() == "⏎ Ignore esc Back")
            await running.press("escape")
            await running.until(lambda: keys() == at_first)
            await running.press("slash")
            await running.until(lambda: keys().startswith("⏎ Done esc Clear"))
            await running.press("escape", "z")
            await running.until(lambda: "z Zoom" in keys())
            await running.press("escape")
            await running.until(lambda: keys() == at_first)
            running.app.action_toggle_plain()
            await running.until(lambda: keys().startswith("Enter Edit t Tool call"))

    asyncio.run(flow())


def test_an_empty_list_has_no_keys_for_a_row(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, []) as running:

            def keys() -> str:
                return " ".join(running.screen_text().splitlines()[-1].split())

            assert keys() == "q Quit ? Help ^p More"
            await running.press("2")
            await running.until(lambda: "Fixtures [0/0]" in running.screen_text())
            assert keys() == "q Quit ? Help ^p More"
            (running.fixtures / f"{'0' * 64}.json").parent.mkdir(exist_ok=True)
            (running.fixtures / f"{'0' * 64}.json").write_text("{}")
            await running.until(lambda: keys().startswith("⏎ Edit"))
            await running.press("slash", *"nothing", "enter")
            await running.until(lambda: keys().startswith("/ Filter"))

    asyncio.run(flow())


def test_a_key_of_the_project_stands_in_the_bar_and_acts(tmp_path: Path) -> None:
    keys = {"miss.skip": "ctrl+x,S", "pane.preview": "f7"}

    async def flow() -> None:
        async with application(tmp_path, [ask("x")], keys=keys) as running:
            assert "  ^x Skip  " in running.screen_text().splitlines()[-1]
            preview = running.parts.view.preview
            await running.press("enter", "f7")
            assert preview.has_focus
            await running.until(lambda: "F7 Back" in running.screen_text().splitlines()[-1])
            await running.press("f7", "ctrl+b")
            assert not preview.has_focus

    asyncio.run(flow())
