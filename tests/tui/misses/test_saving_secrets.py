"""A draft that would store what looks like a secret: told first, then saved, or saved without."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from tests.core.fixture.rules.rule_cases import KEY
from tests.tui.running import Running, application, ask
from workbench.core.digest import digest

TELLS = ask(f"use {KEY} for it")


def play(folder: Path, flow: Callable[[Running], Awaitable[None]]) -> None:
    async def run() -> None:
        async with application(folder, [TELLS, ask("something else")]) as running:
            await running.press("enter")
            await running.write("fine")
            await running.until_shown("contains what looks like an API key")
            await running.press("ctrl+s")
            await flow(running)

    asyncio.run(run())


def saved(running: Running) -> dict[str, Any]:
    return dict(json.loads((running.fixtures / f"{digest(TELLS)}.json").read_bytes()))


def test_what_would_be_stored_is_told_first(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        assert running.status == (
            "messages[0].content contains what looks like an API key (sk-…f3a). It would be stored."
            " ^s again saves, ^l stores without the request."
        )
        assert not running.fixtures.exists()
        assert running.app.misses.subject == digest(TELLS)
        # After more typing it is told again.
        await running.write(" and well")
        await running.press("ctrl+s")
        assert "It would be stored" in running.status
        assert not running.fixtures.exists()
        await running.press("ctrl+s")
        assert saved(running)["response"]["content"] == "fine and well"
        assert saved(running)["request"] == TELLS
        assert running.app.misses.subject != digest(TELLS)

    play(tmp_path, flow)


def test_it_can_be_stored_without_the_request(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("ctrl+l")
        await running.until(running.fixtures.exists)
        assert KEY not in json.dumps(saved(running))
        assert saved(running)["response"]["content"] == "fine"
        assert "workbench" in saved(running)
        assert "allow" not in saved(running)["workbench"]

    play(tmp_path, flow)
