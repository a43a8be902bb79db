"""Work that takes long: in a thread, so that other requests are answered in the meantime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple

LONG: Final = 64 * 1024
"""From this size on, in bytes, to read a request or a fixture takes more than a moment."""
MAX_COMPARED: Final = 1024 * 1024
"""The longest request that is compared with those of fixtures, in bytes: that takes a second per
MiB, and other requests wait for it, even in a thread.
"""

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")


class Turns:
    """Runs one piece of work after the other. Python computes in one thread at a time, so parallel
    work would only slow down everything else.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def in_thread(
        self, work: Callable[[*_Arguments], _Result], *args: *_Arguments
    ) -> _Result:
        async with self._turn:
            return await asyncio.to_thread(work, *args)

    async def of(
        self, size: int, work: Callable[[*_Arguments], _Result], *args: *_Arguments
    ) -> _Result:
        """The same for work on ``size`` bytes; on few bytes it is done at once."""
        if size <= LONG:
            return work(*args)
        return await self.in_thread(work, *args)
