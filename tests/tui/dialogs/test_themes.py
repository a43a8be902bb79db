"""Themes are shown while they are chosen, and the one from before comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.tui.running import Running, application, ask
from workbench.tui.dialogs.themes import ThemePicker


async def open_picker(running: Running) -> None:
    await running.press("ctrl+p")
    await running.write("theme")
    await running.until_shown("Other colours")
    await running.press("enter")
    await running.until(lambda: isinstance(running.app.screen, ThemePicker))
    await running.pilot.pause()


def test_a_theme_is_shown_while_it_is_selected_and_kept_once_it_is_chosen(tmp_path: Path) -> None:
    kept: list[str] = []

    async def flow() -> None:
        async with application(tmp_path, [ask("hello")]) as running:
            app = running.app
            app.launch.keep_theme = kept.append
            await open_picker(running)
            assert app.theme == "workbench"
            await running.press("down")
            await running.until(lambda: app.theme == "workbench-light")
            await running.write("solar")
            await running.until(lambda: app.theme == "solarized-dark")
            await running.press("escape")
            await running.until(lambda: app.theme == "workbench")
            assert kept == []
            await open_picker(running)
            await running.write("light")
            await running.press("enter")
            await running.until(lambda: not isinstance(app.screen, ThemePicker))
            assert (app.theme, kept) == ("workbench-light", ["workbench-light"])
            await open_picker(running)
            picker = app.screen
            assert isinstance(picker, ThemePicker)
            assert picker.highlighted is not None
            assert (picker.highlighted.value, app.theme) == ("workbench-light", "workbench-light")

    asyncio.run(flow())
