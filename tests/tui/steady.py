"""Keys and sizes under Pilot, which itself takes a busy machine for an application that is idle."""

from __future__ import annotations

import asyncio

from textual.events import Key
from textual.keys import REPLACED_KEYS, key_to_character
from textual.pilot import Pilot

from workbench.tui.key_order import KeyOrder


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when what the one before did is drawn."""
    app = pilot.app
    assert isinstance(app, KeyOrder)
    for key in keys:
        app.post_message(Key(key, key_to_character(REPLACED_KEYS.get(key, key))))
        await pilot.pause(0)  # until it had its turn
        if app.return_code is None:
            await app.settle()
        await pilot.pause()


async def resize(pilot: Pilot[None], width: int, height: int) -> None:
    """Resize the terminal, and wait until everything is laid out anew."""
    await pilot.resize_terminal(width, height)
    async with asyncio.timeout(60):
        while pilot.app.screen.size != (width, height):
            await pilot.pause(0)
    for _ in range(3):  # the screen, the widgets, what is in them
        await pilot.pause(0)
