"""Copying what the terminal takes, and what it cannot."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from textual.app import App

from workbench.io.state_folder import StateFolder
from workbench.tui.clipboard import copy


@pytest.mark.parametrize(
    ("text", "copied"),
    [("12 °C", "12 °C"), ("half of \ud83d\nno more", "half of \\ud83d\nno more")],
)
def test_any_text_is_copied(tmp_path: Path, text: str, copied: str) -> None:
    async def flow() -> None:
        app = App[None]()
        async with app.run_test():
            said = copy(app, StateFolder(tmp_path), text)
            assert said == f"Copied {len(text)} characters."
            assert app.clipboard == copied

    asyncio.run(flow())
