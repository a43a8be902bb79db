"""The manual in the application."""

from __future__ import annotations

import asyncio

from textual.app import App
from textual.widgets import OptionList

from workbench.io import manual
from workbench.tui.dialogs.manual import ManualScreen


def test_the_pages_stand_in_the_order_of_the_index() -> None:
    async def flow() -> list[str]:
        app: App[None] = App()
        async with app.run_test():
            await app.push_screen(ManualScreen())
            return [str(each.prompt) for each in app.screen.query_one(OptionList).options]

    assert asyncio.run(flow()) == manual.names()
