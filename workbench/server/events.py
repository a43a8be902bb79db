"""Server events, sent to every listener."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any, Final

from workbench.core.replies.http_reply import json_body

# Unread bytes of one listener; a listener with more is disconnected.
MAX_WAITING: Final = 4 * 1024 * 1024


class Listener:
    """A listener: its queue of unread server-sent events."""

    def __init__(self) -> None:
        self.is_left = False
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._news: asyncio.Future[None] | None = None

    @property
    def news(self) -> asyncio.Future[None]:
        """A future that is done when there is something to read, or when the listener is closed."""
        if self._news is None or (self._news.done() and not self._waiting and not self.is_left):
            self._news = asyncio.get_running_loop().create_future()
        return self._news

    def put(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data)
        if self._size > MAX_WAITING:
            self.is_left = True
        if not self.news.done():
            self.news.set_result(None)

    def read(self) -> bytes:
        """Take all unread events."""
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        return data


class Events:
    """Sends each event to every listener; does nothing without listeners."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    def publish(self, kind: str, data: dict[str, Any]) -> None:
        if self._listeners:
            event = sse_event(kind, data)
            for listener in self._listeners:
                if not listener.is_left:
                    listener.put(event)

    def listen(self) -> Listener:
        """Add a listener; pass it to ``leave`` when done."""
        listener = Listener()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: Listener) -> None:
        self._listeners.discard(listener)


def sse_event(kind: str, data: dict[str, Any]) -> bytes:
    """Format a named server-sent event."""
    return b"event: %s\ndata: %s\n" % (kind.encode("ascii"), json_body(data))
