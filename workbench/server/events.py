"""Server events, sent to every listener."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from workbench.core.replies.http_reply import json_body

# Unread events of one listener; a listener with more is disconnected.
MAX_WAITING: Final = 10_000
# A listener receives something this often, so that both sides detect a lost connection.
SIGN_SECONDS: Final = 15.0


class Events:
    """Sends each event, as a server-sent one, to every listener; does nothing without listeners."""

    def __init__(self) -> None:
        self.listeners: set[asyncio.Queue[bytes]] = set()

    def publish(self, kind: str, data: dict[str, Any]) -> None:
        if self.listeners:
            event = _written(kind, data)
            for listener in list(self.listeners):
                try:
                    listener.put_nowait(event)
                except asyncio.QueueFull:
                    self.listeners.discard(listener)

    async def stream(self, state: Callable[[], dict[str, Any]]) -> AsyncIterator[bytes]:
        """The events from now on, for one listener; the first, ``hello``, has the present state."""
        listener: asyncio.Queue[bytes] = asyncio.Queue(MAX_WAITING)
        self.listeners.add(listener)
        try:
            yield _written("hello", state())
            while listener in self.listeners or not listener.empty():
                try:
                    unread = await asyncio.wait_for(listener.get(), SIGN_SECONDS)
                except TimeoutError:
                    unread = b":\n\n"
                while not listener.empty():  # in one piece
                    unread += listener.get_nowait()
                yield unread
        finally:
            self.listeners.discard(listener)

    def close(self) -> None:
        """Take all listeners out; one that waits for an event gets an empty one."""
        for listener in self.listeners:
            if listener.empty():
                listener.put_nowait(b"")
        self.listeners.clear()


def _written(kind: str, data: dict[str, Any]) -> bytes:
    """Format a server-sent event."""
    return b"event: %s\ndata: %s\n" % (kind.encode("ascii"), json_body(data))
