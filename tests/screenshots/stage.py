"""The application before the camera: what the pictures are taken with."""

from __future__ import annotations

import re
import time

from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.tui.drawn import drawn_text
from workbench.core.text.digests import short
from workbench.tui.app import WorkbenchApp

PATIENCE_SECONDS = 60.0
_NAMES = {" ": "space", ".": "full_stop", ",": "comma", '"': "quotation_mark", ":": "colon"}
_NAMES |= {"\n": "enter", "_": "underscore"}


def app_of(pilot: Pilot[None]) -> WorkbenchApp:
    assert isinstance(pilot.app, WorkbenchApp)
    return pilot.app


async def shows(pilot: Pilot[None], text: str) -> None:
    """Wait until ``text`` stands on the screen."""
    until = time.monotonic() + PATIENCE_SECONDS
    while text not in drawn_text(pilot.app.screen):
        if time.monotonic() > until:
            raise TimeoutError(f"not shown: {text!r}\n{drawn_text(pilot.app.screen)}")
        await pilot.pause(0.05)


async def select(pilot: Pilot[None], text: str) -> None:
    """Select the first miss whose user said ``text`` last."""
    app = app_of(pilot)
    for digest, miss in app.session.miss_index.misses.items():
        if miss.last_user_text == text:
            app.misses.rows.select(digest)
            await shows(pilot, short(digest))
            return
    raise LookupError(text)


async def keys(pilot: Pilot[None], *names: str) -> None:
    for name in names:
        await pilot.press(name)
    await pilot.pause()


async def write(pilot: Pilot[None], text: str) -> None:
    await keys(pilot, *(_NAMES.get(character, character) for character in text))


async def drawn(pilot: Pilot[None], title: str) -> str:
    """The screen as SVG, in a window with a title."""
    for field in (*pilot.app.query(TextArea), *pilot.app.query(Input)):
        field.cursor_blink = False
    await pilot.pause(1)  # the list of problems gets its height when nobody has typed for a moment
    # Without what differs from one run to the next: generated ids.
    return re.sub(r"terminal-\d+", "terminal", pilot.app.export_screenshot(title=title))
