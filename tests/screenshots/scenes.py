"""What the single pictures show: the sample traffic, with something being done to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from textual.pilot import Pilot

from tests.screenshots.stage import keys, select, shows, write
from workbench.tui.widgets.styles import LIGHT

MEDIUM, LARGE = (120, 36), (160, 45)

Steps = Callable[[Pilot[None]], Awaitable[None]]


async def misses(pilot: Pilot[None]) -> None:
    await shows(pilot, "Waiting for you 1")
    await shows(pilot, "is stale")
    await shows(pilot, "0 system")


async def writing_text(pilot: Pilot[None]) -> None:
    await select(pilot, "What's the weather in London?")
    await _answer(pilot, "It is 12 degrees in London, with light rain.")


async def _answer(pilot: Pilot[None], text: str) -> None:
    await keys(pilot, "enter")
    await shows(pilot, "^s Save")
    await write(pilot, text)
    await shows(pilot, "draft kept")
    await shows(pilot, "no problems")


async def writing_a_call(pilot: Pilot[None]) -> None:
    await select(pilot, "Red wine under 30 for Sunday's lamb, please.")
    await keys(pilot, "t")
    await shows(pilot, "type to narrow")
    await keys(pilot, "enter")
    await shows(pilot, '"query": ‹')
    await write(pilot, 'lamb",\n  "colour": "red",\n  "max_price": "thirty"')
    await shows(pilot, "arguments-schema")
    await shows(pilot, "draft kept")


PLAN = """{
  "research_steps": ["the first papers", "the patents"],
  "expert_steps": []
}"""


async def structured(pilot: Pilot[None]) -> None:
    await select(pilot, "Plan in JSON: who invented CRISPR?")
    await keys(pilot, "enter")
    await shows(pilot, "research_steps")
    await keys(pilot, "f7")  # all of the skeleton, to be typed over
    await write(pilot, PLAN)
    await shows(pilot, "draft kept")
    await shows(pilot, "no problems")


async def stale(pilot: Pilot[None]) -> None:
    await shows(pilot, "is stale")
    await keys(pilot, "slash")
    await write(pilot, "stale")
    await keys(pilot, "enter")
    await shows(pilot, "r Move")
    await keys(pilot, "d")
    await shows(pilot, "[Nearest")


async def preview(pilot: Pilot[None]) -> None:
    await writing_text(pilot)
    await keys(pilot, "ctrl+b")
    await shows(pilot, "put together")


async def verified(pilot: Pilot[None]) -> None:
    await writing_text(pilot)
    await keys(pilot, "ctrl+s")
    await shows(pilot, "Saved ")
    await keys(pilot, "full_stop")
    await select(pilot, "What's the weather in London?")
    await shows(pilot, "v Verify")
    await keys(pilot, "v")
    await shows(pilot, "✓ stream")


async def light(pilot: Pilot[None]) -> None:
    pilot.app.theme = LIGHT.name
    await writing_a_call(pilot)


async def fixtures(pilot: Pilot[None]) -> None:
    await keys(pilot, "2")
    await shows(pilot, "Fixtures [1/")
    await keys(pilot, "down")


async def recordings(pilot: Pilot[None]) -> None:
    await keys(pilot, "3")
    await shows(pilot, "nothing in the cellar")
    await keys(pilot, "enter", "full_stop", "full_stop")
    await shows(pilot, "At 3 of 3")


async def evals(pilot: Pilot[None]) -> None:
    await keys(pilot, "4")
    await shows(pilot, "max_price")


class Scene(NamedTuple):
    name: str
    steps: Steps
    size: tuple[int, int] = MEDIUM


SCENES = [
    Scene("misses", misses),
    Scene("call", writing_a_call),
    Scene("stale", stale),
    Scene("structured", structured, LARGE),
    Scene("preview", preview),
    Scene("light", light),
    Scene("fixtures", fixtures),
    Scene("recordings", recordings),
    Scene("evals", evals),
    # Saves a fixture, so the last of these.
    Scene("verified", verified),
]
