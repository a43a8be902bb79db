"""Work that takes long: in a thread, so that other requests are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, ParamSpec, TypeVar

LONG: Final = 64 * 1024
"""From this size on, in bytes, to read a request or a fixture takes more than a moment."""

_Result = TypeVar("_Result")
_Given = ParamSpec("_Given")


class Turns:
    """Does one piece of work after the other. Python computes in one thread at a time: more would
    only slow down everything else.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def in_thread(
        self, work: Callable[_Given, _Result], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Result:
        async with self._turn:
            return await asyncio.to_thread(partial(work, *args, **kwargs))

    async def of(
        self,
        size: int,
        work: Callable[_Given, _Result],
        *args: _Given.args,
        **kwargs: _Given.kwargs,
    ) -> _Result:
        """The same for work on so many bytes; on few ones it is done at once."""
        if size <= LONG:
            return work(*args, **kwargs)
        return await self.in_thread(work, *args, **kwargs)
