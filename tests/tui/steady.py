"""Keys and sizes under Pilot, which itself takes a busy machine for an application that is idle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual.events import Key
from textual.keys import REPLACED_KEYS, key_to_character
from textual.pilot import Pilot

from workbench.tui.keys.key_order import KeyOrder


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other, each when the one before has acted, until that is drawn."""
    for key in keys:
        await post(pilot, Key(key, key_to_character(REPLACED_KEYS.get(key, key))))
    await pilot.pause()


async def post(pilot: Pilot[None], *keys: Key) -> None:
    """Give keys to the application, and wait until they have acted."""
    app, had_their_turn = pilot.app, asyncio.Event()
    assert isinstance(app, KeyOrder)
    for key in keys:
        app.post_message(key)
    # Not a pause of the pilot's: that goes round all widgets.
    app.call_later(had_their_turn.set)
    await had_their_turn.wait()
    if app.return_code is None:
        await app.settle()


async def until(pilot: Pilot[None], holds: Callable[[], object], timeout: float = 60) -> None:
    """Wait for ``holds``, and until what goes with it is done and drawn."""
    pause = 0.01
    async with asyncio.timeout(timeout):
        while not holds():
            # Not a pause of the pilot's: that goes round all widgets and draws. And less and less
            # often: looking at a screen takes as long as the first pauses.
            await asyncio.sleep(pause)
            pause = min(pause * 1.5, 0.1)
            if holds():
                await pilot.pause(0)


async def resize(pilot: Pilot[None], width: int, height: int) -> None:
    """Resize the terminal, and wait until everything is laid out anew."""
    await pilot.resize_terminal(width, height)
    async with asyncio.timeout(60):
        while pilot.app.screen.size != (width, height):
            await pilot.pause(0)
    for _ in range(3):  # the screen, the widgets, what is in them
        await pilot.pause(0)
