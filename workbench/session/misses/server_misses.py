"""The misses of a server that is asked instead of its log, as the events its log would tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.control import MissRecord, UnsupportedRecord
from workbench.core.log.events import (
    Accessed,
    LogEvent,
    MissLogged,
    RequestLogged,
    UnsupportedLogged,
)
from workbench.core.log.lines import Listening
from workbench.io.control_client import ControlClient, read_as


class ServerMisses:
    """Asks for misses and counts each request once: what counts is the server's own number of it,
    however often and in whichever order it is told.

    Raises (from what asks the server):
        ControlError: it cannot be asked.
    """

    def __init__(self, client: ControlClient) -> None:
        self._client = client
        self._server = ""
        self._counts: dict[str, int] = {}
        self._variants: dict[str, int] = {}

    def connected(self, server: str) -> Iterator[LogEvent]:
        """All there is, at the start and after a pause; another server counts anew."""
        if server != self._server:
            self._server = server
            self._counts.clear()
            self._variants.clear()
            yield Listening(self._client.url, "")
        for record in self._client.misses():
            match record:
                case MissRecord():
                    yield from self._miss(record)
                case UnsupportedRecord():
                    yield from self._unsupported(record)

    def told(self, data: dict[str, Any]) -> Iterator[LogEvent]:
        """What is new by an event ``miss``."""
        return self._miss(read_as(MissRecord, data))

    def unsupported(self, data: dict[str, Any]) -> Iterator[LogEvent]:
        """What is new by an event ``unsupported``."""
        return self._unsupported(read_as(UnsupportedRecord, data))

    def _unsupported(self, record: UnsupportedRecord) -> Iterator[LogEvent]:
        asked = UnsupportedRequest(record.method, record.path, record.reason)
        yield from self._counted(str(asked), record, UnsupportedLogged(asked))
        yield Accessed(record.last_seen)

    def _counted(
        self, key: str, record: MissRecord | UnsupportedRecord, event: LogEvent
    ) -> Iterator[LogEvent]:
        """An event for each request that was not counted before."""
        known = self._counts.get(key, 0)
        self._counts[key] = max(record.count, known)
        yield from [event] * (record.count - known)
        if not known:
            # The first time is told before the rest, and the last time behind it.
            yield Accessed(record.first_seen)

    def _miss(self, record: MissRecord) -> Iterator[LogEvent]:
        digest = record.digest
        if record.variants > self._variants.get(digest, 0) and record.requests is None:
            record = self._client.miss(digest)
        yield from self._counted(digest, record, MissLogged(digest))
        if record.variants > self._variants.get(digest, 0):
            self._variants[digest] = record.variants
            for payload in record.requests or ():
                yield RequestLogged(json.dumps(payload).encode("ascii"))
        yield Accessed(record.last_seen)
