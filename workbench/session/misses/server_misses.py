"""Misses read from a server's control API, as the events its log would give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from workbench.core.control_api import MissRow
from workbench.core.log.events import (
    Accessed,
    AskedBy,
    LogEvent,
    MissLogged,
    RequestLogged,
    UnsupportedLogged,
)
from workbench.core.log.lines import Listening
from workbench.io.network.control_client import ControlClient, read_as


class ServerMisses:
    """Asks for misses and counts each request once, by the server's own count, however often and
    in whichever order it is reported.

    Raises (from what asks the server):
        ControlError: it cannot be asked.
    """

    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._server = ""
        self._counts: dict[str, int] = {}
        self._variants: dict[str, int] = {}

    def connected(self, server: str, fixtures: str = "") -> Iterator[LogEvent]:
        """All misses, at the start and after a reconnect; another server starts new counts.

        Args:
            fixtures: the folder that the server reads, if known.
        """
        if server != self._server:
            self._server = server
            self._counts.clear()
            self._variants.clear()
            yield Listening(self._client.url, fixtures)
        for row in self._client.misses():
            yield from self._row(row)

    def events_of(self, data: dict[str, Any]) -> Iterator[LogEvent]:
        """The log events that correspond to an event ``miss`` or ``unsupported`` of the server."""
        return self._row(read_as(MissRow, data))

    def _row(self, row: MissRow) -> Iterator[LogEvent]:
        if row.digest is not None:
            key = row.digest
            yield from self._miss(key, row)
        elif (request := row.unsupported) is not None:
            key = str(request)
            yield from self._counted(key, row, UnsupportedLogged(request))
        else:
            return
        yield from (AskedBy(key, test) for test in row.tests)
        yield from _times(row.last_seen)

    def _miss(self, digest: str, row: MissRow) -> Iterator[LogEvent]:
        if row.variants > self._variants.get(digest, 0) and row.requests is None:
            row = self._client.miss(digest)
        yield from self._counted(digest, row, MissLogged(digest))
        if row.variants > self._variants.get(digest, 0):
            self._variants[digest] = row.variants
            for payload in row.requests or ():
                yield RequestLogged(json.dumps(payload).encode("ascii"))

    def _counted(self, key: str, row: MissRow, event: LogEvent) -> Iterator[LogEvent]:
        """An event for each request that was not counted before."""
        known = self._counts.get(key, 0)
        self._counts[key] = max(row.count, known)
        yield from [event] * (row.count - known)
        if not known:
            # The first time comes before everything else of the row, the last time after it.
            yield from _times(row.first_seen)


def _times(time: str | None) -> Iterator[LogEvent]:
    if time is not None:
        yield Accessed(time)
