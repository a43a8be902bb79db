"""The screens as text, at three sizes: ``python -m tests.pictures`` writes ``tests/data/pictures``
anew. Look at each difference before you commit it.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from tests.tui.running import WEATHER_TOOL, Running, application

FOLDER: Final = Path(__file__).parent / "data" / "pictures"
_TIME: Final = re.compile(r"\d\d:\d\d:\d\d")
SIZES: Final = ((80, 24), (120, 36), (160, 45))

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
    _ask(
        "Plan a weekend in Bergen, in JSON.",
        response_format={"type": "json_schema", "json_schema": {"name": "plan", "schema": _PLAN}},
    ),
    _ask("Compare the climates of Lisbon and Porto, month by month. " * 8),
]


async def misses(running: Running) -> None:
    """The list, with the first miss selected."""


async def request(running: Running) -> None:
    """The request of a second turn."""
    await running.begin_at(REQUESTS[1])
    await _go_into(running, "request")
    await running.until_shown("celsius")


async def call(running: Running) -> None:
    """A call with an argument that is still to be filled in."""
    await running.begin_at(REQUESTS[0])
    await running.press("t")
    await running.until_shown("get_weather")
    await running.press("enter")
    await running.until_shown("1 to fill")
    await running.until_shown("draft kept")


async def answer(running: Running) -> None:
    """A text as it is written."""
    await running.begin_at(REQUESTS[2])
    await running.press("enter")
    await running.write("Rain, 12 °C.")
    await running.until_shown("no problems")
    await running.until_shown("draft kept")


async def preview(running: Running) -> None:
    """The preview of the answer that was written."""
    await running.begin_at(REQUESTS[2])
    await _go_into(running, "preview")
    await running.until_shown("put together")


async def _go_into(running: Running, pane: str) -> None:
    running.app.misses.panes.focus(pane)
    await running.until(lambda: not running.app.misses.rows.has_focus)


async def _at_rest(running: Running) -> str:
    """What the screen shows once nothing on it changes any more."""
    await running.until(lambda: "Nearest …" not in running.screen_text())
    before, now = "", running.screen_text()
    while now != before:
        await asyncio.sleep(0.2)
        await running.pilot.pause()
        before, now = now, running.screen_text()
    return now


Steps = Callable[[Running], Awaitable[None]]
PICTURES: Final[dict[str, Steps]] = {
    "misses": misses,
    "request": request,
    "answer": answer,
    "preview": preview,
    "call": call,
}


def path(name: str, size: tuple[int, int]) -> Path:
    return FOLDER / f"{name}-{size[0]}x{size[1]}.txt"


def take(size: tuple[int, int]) -> dict[str, str]:
    """All pictures of a size by name. One application shows them one after the other."""

    async def run(folder: Path) -> dict[str, str]:
        taken: dict[str, str] = {}
        async with application(folder, REQUESTS, size=size) as running:
            for name, steps in PICTURES.items():
                if (name, size) == ("call", SIZES[0]):
                    continue  # its place there depends on when the call is laid out
                await running.begin_at(REQUESTS[0])
                await steps(running)
                text = _TIME.sub("00:00:00", await _at_rest(running))
                lines = (line.rstrip() for line in text.splitlines())
                taken[name] = "\n".join(lines) + "\n"
        return taken

    with tempfile.TemporaryDirectory() as folder:
        return {
            name: text.replace(folder, "FOLDER")
            for name, text in asyncio.run(run(Path(folder))).items()
        }


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for size in SIZES:
        for name, text in take(size).items():
            path(name, size).write_text(text, "utf-8")


if __name__ == "__main__":
    main()
