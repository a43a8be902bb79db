"""All pictures, by the application that shows them."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Final

from tests.pictures.rows import rows
from tests.pictures.scenes import scenes
from tests.pictures.suite import suite

Reel = Callable[[Path], Awaitable[dict[str, str]]]
REELS: Final[Mapping[str, Reel]] = {"scenes": scenes, "rows": rows, "suite": suite}


def take(reel: str) -> dict[str, str]:
    """The pictures of a reel by name. One application shows them one after the other."""
    with tempfile.TemporaryDirectory() as folder:
        taken = asyncio.run(_taken(reel, Path(folder)))
        return {name: text.replace(folder, "FOLDER") for name, text in taken.items()}


async def _taken(reel: str, folder: Path) -> dict[str, str]:
    return await REELS[reel](folder)
