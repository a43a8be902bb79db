"""One screen as text, once it is at rest; without what differs from one run to the next."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.tui.running import Running
from tests.tui.steady import resize

FOLDER: Final = Path(__file__).parents[1] / "data" / "pictures"
SIZES: Final = ((60, 15), (80, 24), (100, 30), (120, 36), (160, 45), (200, 50))
# What changes while pictures are taken: the time of day, and that which a client has left.
_CLOCKS: Final[Mapping[re.Pattern[str], str]] = {
    re.compile(r"\d\d:\d\d:\d\d"): "00:00:00",
    re.compile(r"(?<![\d:])\d:\d\d(?![\d:])"): "0:00",
}


async def in_sizes(
    running: Running, name: str, sizes: Sequence[tuple[int, int]] = SIZES
) -> dict[str, str]:
    """Pictures of what is shown, by name and size."""
    taken = {}
    for width, height in sizes:
        await resize(running.pilot, width, height)
        taken[f"{name}-{width}x{height}"] = await picture(running)
    return taken


async def picture(running: Running) -> str:
    """What the screen shows once nothing on it changes any more."""
    await running.until(lambda: "Nearest …" not in running.screen_text())
    before, now = "", _text(running)
    while now != before:
        await asyncio.sleep(0.05)
        await running.pilot.pause()
        before, now = now, _text(running)
    return now


def _text(running: Running) -> str:
    """The screen without its status line, in which news stand for some seconds."""
    text = running.screen_text()
    for clock, zeros in _CLOCKS.items():
        text = clock.sub(zeros, text)
    lines = [line.rstrip() for line in text.splitlines()]
    lines[running.app.status.region.y] = ""
    return "\n".join(lines) + "\n"
