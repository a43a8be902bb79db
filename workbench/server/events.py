"""Server events, sent to every listener."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from workbench.core.replies.http_reply import json_body

# Unread events of one listener; a listener with more is disconnected.
MAX_WAITING: Final = 10_000

Listener = asyncio.Queue[bytes]


class Events:
    """Sends each event, as a server-sent one, to every listener; does nothing without listeners."""

    def __init__(self) -> None:
        self.listeners: set[Listener] = set()

    def publish(self, kind: str, data: dict[str, Any]) -> None:
        if self.listeners:
            event = sse_event(kind, data)
            for listener in list(self.listeners):
                try:
                    listener.put_nowait(event)
                except asyncio.QueueFull:
                    self.listeners.discard(listener)

    def listen(self) -> Listener:
        """Add a listener: the queue of its unread events. It takes itself out of ``listeners``."""
        listener = Listener(MAX_WAITING)
        self.listeners.add(listener)
        return listener

    def close(self) -> None:
        """Take all listeners out; one that waits for an event gets an empty one."""
        for listener in self.listeners:
            if listener.empty():
                listener.put_nowait(b"")
        self.listeners.clear()


def sse_event(kind: str, data: dict[str, Any]) -> bytes:
    """Format a named server-sent event."""
    return b"event: %s\ndata: %s\n" % (kind.encode("ascii"), json_body(data))
