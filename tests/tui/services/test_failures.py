"""What fails beside the keys is told."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from textual.widget import Widget

from tests.tui.running import Running, application, ask
from workbench.tui.recordings.exchange_list import ExchangeList


def test_work_that_fails_unforeseen_is_not_waited_for(tmp_path: Path) -> None:
    def fail(where: str) -> None:
        raise ValueError(f"odd [{where}]")

    async def fails_and_is_told(running: Running, where: str, widget: Widget) -> None:
        widget.run_worker(partial(fail, where), thread=True, exit_on_error=False)
        await running.until(lambda: running.status == f"Not done: ValueError: odd [{where}].")

    async def flow() -> None:
        async with application(tmp_path, [ask("hello")]) as running:
            await running.press("3")
            app = running.app
            await fails_and_is_told(running, "tab", app.misses)
            await fails_and_is_told(running, "subject", running.parts.view)
            await fails_and_is_told(running, "exchanges", app.query_one(ExchangeList))

    asyncio.run(flow())
