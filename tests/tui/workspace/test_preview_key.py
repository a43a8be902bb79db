"""One key shows the preview, and goes back to where one was."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.widget import Widget

from tests.tui.running import WEATHER_TOOL, application, ask


@pytest.mark.parametrize("size", [(60, 15), (80, 24), (120, 36), (160, 45)])
def test_the_preview_comes_and_goes_by_one_key(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow() -> None:
        async with application(tmp_path, [ask("x", tools=[WEATHER_TOOL])], size=size) as running:
            app, view = running.app, running.parts.view
            for keys in (["t"], ["escape"], ["tab"]):  # in a call, the list, the request
                await running.press(*keys)
                was_in = app.focused
                for key in ("ctrl+b", "ctrl+right_square_bracket"):
                    await running.press(key)
                    assert view.preview.has_focus
                    assert view.preview.display
                    await running.press(key)
                    assert app.focused is was_in
            # In the zoom, too: the pane that one goes to gets the whole screen.
            await running.press("z", "ctrl+b")
            assert app.main.maximized == view.preview
            await running.press("ctrl+b")
            zoomed: Widget | None = app.main.maximized
            assert zoomed == view.request == app.focused

    asyncio.run(flow())
