"""Misses read from a server's control API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.log.lines import Listening
from workbench.core.misses.index import IntakeEvent
from workbench.core.misses.intake import LogIntake
from workbench.core.misses.record import MissRecord
from workbench.io.network.control_client import ControlClient, read_as


class ServerMisses:
    """Fetches the misses of a server, and the requests of misses that have new ones.

    Raises (in methods that contact the server):
        ControlError: it cannot be reached.
    """

    def __init__(self, client: ControlClient, intake: LogIntake) -> None:
        self._client = client
        self._intake = intake
        self._server = ""
        self._variants: dict[str, int] = {}

    def connected(self, server: str, fixtures: str = "") -> Iterator[IntakeEvent]:
        """All misses, at the start and after a reconnect; another server starts new counts.

        Args:
            fixtures: the folder that the server reads, if known.
        """
        if server != self._server:
            self._server = server
            self._variants.clear()
            yield Listening(self._client.url, fixtures)
        for record in self._client.misses():
            yield from self._reported(record)

    def read(self, data: dict[str, Any]) -> Iterator[IntakeEvent]:
        """The events of a log for an event ``miss`` or ``unsupported`` of the server."""
        return self._reported(read_as(MissRecord, data))

    def _reported(self, record: MissRecord) -> Iterator[IntakeEvent]:
        digest = record.digest
        if digest is None and record.unsupported is None:
            return
        if digest is not None and record.variants > self._variants.get(digest, 0):
            if record.requests is None:
                record = self._client.miss(digest)
            self._variants[digest] = record.variants
        yield self._intake.read_record(record)
