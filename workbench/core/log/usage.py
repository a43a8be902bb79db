"""Which fixtures were requested, according to logs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from workbench.core.log.events import Accessed, FixtureServed, LogEvent, MissLogged
from workbench.core.log.lines import Listening


class LogUsage(NamedTuple):
    """Facts about requests from logs.

    Attributes:
        requested: digests that were requested, with a fixture or without.
        tells_hits: True if the logs contain the fixtures that were served. The reference stub's
            logs do not; then unused fixtures are unknown.
        since: the first time in them, local, in ISO 8601.
    """

    requested: frozenset[str]
    tells_hits: bool
    since: str | None
    runs: int
    requests: int

    @classmethod
    def of(cls, logs: Iterable[Iterable[LogEvent]]) -> Self:
        """The usage in several logs."""
        hits: set[str] = set()
        misses: set[str] = set()
        times: list[str] = []
        runs = requests = 0
        for events in logs:
            starts, since = 0, None
            for event in events:
                match event:
                    case FixtureServed(digest):
                        hits.add(digest)
                        requests += 1
                    case MissLogged(digest):
                        misses.add(digest)
                        requests += 1
                    case Listening():
                        starts += 1
                    case Accessed(time):
                        since = since or time
                    case _:
                        pass
            runs += max(starts, 1)
            times += [since] if since else []
        return cls(frozenset(hits | misses), bool(hits), min(times, default=None), runs, requests)
