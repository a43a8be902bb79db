"""Which fixtures were asked for, as far as logs tell."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from workbench.core.log.events import Accessed, FixtureServed, LogEvent, MissLogged
from workbench.core.log.lines import Listening


@dataclass(frozen=True, slots=True)
class LogUsage:
    """What logs say of requests.

    Attributes:
        asked: digests that were requested, whether or not there was a fixture.
        tells_hits: whether the logs name the fixtures that were served; those of the reference
            server do not, and then nothing is known of what is not asked for.
        since: the first time in them, local, in ISO 8601.
        runs: how many suite runs they hold.
        requests: how many requests.
    """

    asked: frozenset[str]
    tells_hits: bool
    since: str | None
    runs: int
    requests: int

    @classmethod
    def of(cls, logs: Iterable[Iterable[LogEvent]]) -> Self:
        """The usage that several logs tell."""
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
