"""What fails beside the keys is told."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.tui.running import application, ask
from workbench.tui.runs.exchange_list import ExchangeList


@pytest.mark.parametrize("where", ["tab", "subject", "exchanges"])
def test_work_that_fails_unforeseen_is_not_waited_for(tmp_path: Path, where: str) -> None:
    def fail() -> None:
        raise ValueError("odd [text]")

    async def flow() -> None:
        async with application(tmp_path, [ask("hello")]) as running:
            await running.press("3")
            app = running.app
            widget = {
                "tab": app.misses,
                "subject": app.misses.view,
                "exchanges": app.query_one(ExchangeList),
            }[where]
            widget.run_worker(fail, thread=True, exit_on_error=False)
            await running.until(lambda: running.status == "Not done: ValueError: odd [text].")

    asyncio.run(flow())
