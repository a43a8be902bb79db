"""The misses of a server that is asked instead of its log, as the events its log would tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from workbench.core.log import Accessed, LogEvent, MissLogged, RequestLogged, UnsupportedLogged
from workbench.core.log_lines import Listening
from workbench.core.unsupported import UnsupportedRequest
from workbench.io.control_client import ControlClient


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
            yield from self.unsupported(record) if "path" in record else self._miss(record)

    def told(self, data: dict[str, Any]) -> Iterator[LogEvent]:
        """What is new by an event ``miss``."""
        digest = str(data["digest"])
        if data["variants"] > self._variants.get(digest, 0):
            yield from self._miss(self._client.miss(digest))
        else:
            yield from self._miss(data)

    def unsupported(self, record: dict[str, Any]) -> Iterator[LogEvent]:
        """What is new by an event ``unsupported``, or a record of one."""
        asked = UnsupportedRequest(
            str(record["method"]), str(record["path"]), str(record["reason"])
        )
        yield from self._counted(str(asked), record, UnsupportedLogged(asked))
        yield Accessed(str(record["last_seen"]))

    def _counted(self, key: str, record: dict[str, Any], event: LogEvent) -> Iterator[LogEvent]:
        """An event for each request that was not counted before."""
        count, known = int(record["count"]), self._counts.get(key, 0)
        self._counts[key] = max(count, known)
        yield from [event] * (count - known)
        if not known:
            # The first time is told before the rest, and the last time behind it.
            yield Accessed(str(record["first_seen"]))

    def _miss(self, record: dict[str, Any]) -> Iterator[LogEvent]:
        digest = str(record["digest"])
        yield from self._counted(digest, record, MissLogged(digest))
        if record["variants"] > self._variants.get(digest, 0):
            self._variants[digest] = int(record["variants"])
            if "requests" not in record:
                record = self._client.miss(digest)
            for payload in record["requests"]:
                yield RequestLogged(json.dumps(payload).encode("ascii"))
        yield Accessed(str(record["last_seen"]))
