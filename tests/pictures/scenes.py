"""What is done with a request: in the list, the answer, the preview, the nearest fixture."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from tests.pictures.taking import SIZES, in_sizes
from tests.tui.running import WEATHER_TOOL, Running, application
from workbench.core.control_api import HeldRequest
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

_TOOLS: Final = [WEATHER_TOOL]
_CALL: Final = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Oslo"}'},
}
_PLAN: Final = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
    "required": ["steps"],
}


def _ask(text: str, *more: dict[str, Any], **options: Any) -> dict[str, Any]:
    system = {"role": "system", "content": "You are a weather assistant. Be brief."}
    user = {"role": "user", "content": text}
    return {"model": "gpt-4o-mini", "messages": [system, user, *more], **options}


STALE: Final = _ask("The briefing of 2026-11-20, please.")
_DAY_BEFORE: Final = _ask("The briefing of 2026-11-19, please.")
_OSLO: Final = "Do I need an umbrella in Oslo?"
REQUESTS: Final = [
    _ask(_OSLO, tools=_TOOLS),
    _ask(
        _OSLO,
        {"role": "assistant", "content": None, "tool_calls": [_CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": '{"celsius": 4, "sky": "rain"}'},
        tools=_TOOLS,
    ),
    _ask("What is the weather in London?"),
    STALE,
    _ask(
        "Plan a weekend in Bergen, in JSON.",
        response_format={"type": "json_schema", "json_schema": {"name": "plan", "schema": _PLAN}},
    ),
    _ask("Compare the climates of Lisbon and Porto, month by month. " * 8),
]


async def held(running: Running) -> None:
    """The list. Two clients wait, one of them not much longer."""
    waiting = [(REQUESTS[1], 252.0), (REQUESTS[2], 41.0)]
    requests = [
        HeldRequest(digest(payload), digest(payload), 65, left, False, 1)
        for payload, left in waiting
    ]
    running.app.misses.held_changed(running.session.held.take(requests))
    await running.begin_at(REQUESTS[1])
    await running.until_shown("Waiting for you 2")


async def request(running: Running) -> None:
    """The request of a second turn."""
    await running.begin_at(REQUESTS[1])
    running.app.misses.panes.focus("request")
    await running.until(lambda: not running.app.misses.rows.has_focus)
    await running.until_shown("celsius")


async def answer(running: Running) -> None:
    """The answer of a second turn as it is written; above the field stands what it answers."""
    await running.begin_at(REQUESTS[1])
    await running.press("enter")
    await running.write("Yes: it rains.")
    await running.until_shown("no problems")
    await running.until_shown("draft kept")


async def preview(running: Running) -> None:
    """The preview of the answer that was written."""
    await running.press("ctrl+b")
    await running.until_shown("put together")


async def call(running: Running) -> None:
    """A call with an argument that is still to be filled in."""
    await running.begin_at(REQUESTS[0])
    await running.press("t")
    await running.until_shown("1 to fill")
    await running.until_shown("draft kept")


async def nearest(running: Running) -> None:
    """A stale request beside its fixture."""
    await running.begin_at(STALE)
    await running.until_shown("r Move")
    await running.press("d")
    await running.until_shown("[Nearest")


Steps = Callable[[Running], Awaitable[None]]
Size = tuple[int, int]
THREE: Final = ((80, 24), (120, 36), (160, 45))
SCENES: Final[tuple[tuple[Steps, Sequence[Size]], ...]] = (
    (held, SIZES),
    (request, THREE),
    (answer, SIZES),
    (preview, THREE),
    (call, THREE),
    (nearest, SIZES),
)


async def scenes(folder: Path) -> dict[str, str]:
    fixtures = folder / "fixtures"
    fixtures.mkdir()
    document = new_document(digest(_DAY_BEFORE), {"content": "All is well."}, request=_DAY_BEFORE)
    path = fixtures / f"{digest(_DAY_BEFORE)}.json"
    path.write_text(document.text, "utf-8")
    saved = datetime(2026, 3, 11, 12).timestamp()
    os.utime(path, (saved, saved))
    taken: dict[str, str] = {}
    async with application(folder, REQUESTS) as running:
        await running.until(lambda: running.session.stale.is_stale(digest(STALE)))
        for steps, sizes in SCENES:
            await steps(running)
            taken |= await in_sizes(running, steps.__name__, sizes)
    return taken
