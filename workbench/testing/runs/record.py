"""The calls of one test as they come in, and as exchanges of a run."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

from workbench.core.apis.chat.wire import HTTPReply
from workbench.core.runs.exchanges import Exchange, Sent
from workbench.core.runs.exchanges import Source as RunSource
from workbench.testing.mocks.calls import Call


@dataclass(slots=True)
class _Times:
    began: float
    ended: float = 0.0


@dataclass(slots=True)
class Record:
    """What one test asked so far, in order of arrival. Not safe for threads."""

    calls: list[Call] = field(default_factory=list)
    _times: dict[int, _Times] = field(default_factory=dict)
    _sent: dict[int, HTTPReply] = field(default_factory=dict)

    def arrived(self, call: Call, now: float) -> None:
        self.calls.append(call)
        self._times[call.number] = _Times(now)

    def sent(self, call: Call, reply: HTTPReply) -> None:
        if not any(known is call for known in self.calls[call.number - 1 : call.number]):
            return  # it arrived before a reset, and its number may be another's now
        self._sent[call.number] = reply
        self._times[call.number].ended = time.monotonic()

    def exchanges(self) -> list[Exchange]:
        """The calls that were replied to, in order of arrival, but for those that repeat a key:
        exchanges are written to disk.
        """
        begin = self._times[1].began if self._times else 0.0
        of_node: Counter[str] = Counter()
        found = []
        for call in self.calls:
            node = call.role or ""
            of_node[node] += 1
            sent = self._sent.get(call.number)
            if sent is None or call.is_secret:
                continue
            times = self._times[call.number]
            found.append(
                Exchange(
                    position=call.number,
                    node=node,
                    call=of_node[node],
                    request=call.payload,
                    outcome=Sent(
                        sent.status,
                        sent.content_type,
                        sent.body,
                        is_complete=not sent.is_cut,
                    ),
                    digest=call.digest,
                    source=_run_source(call),
                    stream=call.stream,
                    at_ms=round((times.began - begin) * 1000, 3),
                    ms=round((times.ended - times.began) * 1000, 3),
                )
            )
        return found


def _run_source(call: Call) -> RunSource:
    if call.source == "live" or call.source == "refused":
        return "call"
    return call.source
