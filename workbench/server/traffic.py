"""The requests and replies of a server, kept in memory within limits."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import count
from typing import Any, Final

from workbench.core.apis.ignored import ALWAYS_IGNORED, IgnoredOption
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.events import Accessed, AskedBy, MissLogged, SentTo, UnsupportedLogged
from workbench.core.log.lines import ignored_line, read_as_json_line
from workbench.core.misses.index import IntakeEvent, MissIndex
from workbench.core.misses.miss import Dump, Miss, RequestFacts
from workbench.core.misses.record import MissRecord
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.view import RequestView
from workbench.core.written.credentials import Credentials, body_shown
from workbench.server.events import Events
from workbench.server.log import LogSink

MAX_EXCHANGES: Final = 100
# Limit for one body, as it is shown.
MAX_BODY: Final = 32 * 1024
# More of it is kept, so that a credential is found at whose middle it is cut.
KEPT_BODY: Final = MAX_BODY + 1024

MAX_MISSES: Final = 10_000
# Limits of all dumps together, and of one, which must not push out all others.
MAX_DUMPS: Final = 32 * 1024 * 1024
MAX_DUMP: Final = MAX_DUMPS // 2
# Limits for one digest: of its requests that differ, and of the tests that send it.
MAX_VARIANTS: Final = 2000
MAX_TESTS: Final = 100
# Any client may request any path; beyond this limit the oldest are dropped.
MAX_UNSUPPORTED: Final = 1000
# Content types that the log names.
MAX_KINDS: Final = 20


@dataclass
class ServedExchange:
    """One request and its reply.

    Attributes:
        source: ``fixture``, ``directive``, ``fallback`` (with ``--strict`` the error), or ``held``
            for an answer that was given without a file.
        at: when the request was complete, in seconds since the epoch.
        ms: from then until the reply began to be sent, in milliseconds.
        request, reply: the beginnings of the bodies, as received and as sent, ``KEPT_BODY`` long.
        credentials: returns the credentials of the request.
    """

    id: int
    digest: str
    source: str
    stream: bool
    status: int
    at: float
    ms: float
    node: str
    request: bytes
    request_bytes: int
    reply: bytes
    reply_bytes: int
    credentials: Callable[[], Credentials]

    def record(self) -> dict[str, Any]:
        """It as the control API shows it: a body that repeats a credential is left out."""
        is_whole = len(self.request) == self.request_bytes
        request, credentials = body_shown(self.request, self.credentials(), is_whole=is_whole)
        reply = b"" if credentials.are_in_body("", self.reply) else self.reply
        texts = {
            "node": credentials.masked(self.node),
            "request": request[:MAX_BODY].decode("utf-8", "replace"),
            "reply": reply[:MAX_BODY].decode("utf-8", "replace"),
        }
        record = {**vars(self), "ms": round(self.ms, 3), **texts}
        del record["credentials"]
        return record


class MissDumps:
    """The requests of misses, in memory."""

    def __init__(self) -> None:
        self.size = 0
        self._texts: dict[int, bytes] = {}
        self._places = count()

    def put(self, data: bytes) -> int:
        place = next(self._places)
        self._texts[place] = data
        self.size += len(data)
        return place

    def get(self, place: int) -> bytes | None:
        return self._texts.get(place)

    def forget(self, miss: Miss) -> None:
        """Forget the requests of a miss."""
        dumps, miss.dumps = miss.dumps, ()
        self.size -= sum(len(self._texts.pop(dump.place)) for dump in dumps)


class Traffic:
    """Keeps the most recent exchanges, the misses and the unsupported requests, and sends them to
    listeners as events.

    Args:
        profile: the server's profile, which decides which options of requests are ignored.

    Attributes:
        misses: misses since the server started.
        ids: ids for new exchanges.
        ignored: the options of requests that had no effect so far; each is logged once.
    """

    def __init__(self, profile: ProfileName, log: LogSink) -> None:
        self.events = Events()
        self._dumps = MissDumps()
        self.misses = MissIndex(self._dumps)
        self.ids = count(1)
        self.ignored: list[IgnoredOption] = []
        self._kinds: set[str] = set()
        self._exchanges: deque[ServedExchange] = deque(maxlen=MAX_EXCHANGES)
        self.profile = profile
        self._log = log

    def exchange(self, exchange: ServedExchange) -> None:
        """Keep a reply that is being sent."""
        self._exchanges.append(exchange)
        if self.events.listeners:
            facts = {
                "exchange": exchange.id,
                "digest": exchange.digest,
                "source": exchange.source,
                "stream": exchange.stream,
                "status": exchange.status,
            }
            self.events.publish("served", facts)

    def exchanges_after(self, last: int) -> list[ServedExchange]:
        """The kept exchanges with ids greater than ``last``, in order."""
        return [exchange for exchange in self._exchanges if exchange.id > last]

    def not_recorded(self, digest: str, reason: str) -> None:
        """Report an exchange that a recording server could not write."""
        self.events.publish("not_recorded", {"digest": digest, "reason": reason})

    def miss(
        self, request: RequestView, facts: RequestFacts, body: bytes, test: str, origin: str = ""
    ) -> None:
        """Keep a request without a fixture.

        Args:
            facts: facts about the request.
            body: the original body; empty if it must not be shown. A long one is not kept.
            test: the test that sent it, or "".
            origin: the beginning of the URL of the target host, or "".
        """
        digest = request.digest
        events: list[IntakeEvent] = [MissLogged(digest)]
        miss_so_far = self.misses.misses.get(digest)
        variants = [dump.variant for dump in miss_so_far.dumps] if miss_so_far is not None else []
        is_kept = body and len(body) <= MAX_DUMP and len(variants) < MAX_VARIANTS
        if is_kept and request.variant not in variants:
            events.append(Dump(digest, request.variant, self._dumps.put(body), facts))
        miss = self._seen(digest, events, test)
        if origin:
            self.misses.apply([SentTo(digest, origin.removeprefix("https://"))])
        data = {"digest": miss.digest, "variants": len(miss.dumps), **miss.facts()}
        self._make_room()
        self.events.publish("miss", data)

    def unsupported(self, request: UnsupportedRequest, test: str) -> None:
        """Keep an unsupported request, which a test sent or, with "", none."""
        miss = self._seen(str(request), [UnsupportedLogged(request)], test)
        self._make_room()
        self.events.publish("unsupported", MissRecord.of(miss).record())

    def _seen(self, key: str, events: list[IntakeEvent], test: str) -> Miss:
        """Keep a request that was sent now."""
        self.misses.apply([*events, Accessed(time.strftime("%Y-%m-%dT%H:%M:%S"))])
        miss = self.misses.rows[key]
        if test and len(miss.tests) < MAX_TESTS:
            self.misses.apply([AskedBy(key, test)])
        return miss

    def _make_room(self) -> None:
        """Forget the oldest misses of very many, and before that their requests."""
        misses, unsupported = self.misses.misses, self.misses.unsupported
        if len(misses) > MAX_MISSES:
            self._dumps.forget(self.misses.forget(next(iter(misses))))
        if len(unsupported) > MAX_UNSUPPORTED:
            self.misses.forget(next(iter(unsupported)))
        if self._dumps.size > MAX_DUMPS:
            for miss in misses.values():
                self._dumps.forget(miss)
                if self._dumps.size <= MAX_DUMPS / 2:
                    return

    def read_as_json(self, kind: str) -> None:
        """Log, the first time, that bodies of a content type are read as JSON."""
        if kind not in self._kinds and len(self._kinds) < MAX_KINDS:
            self._kinds.add(kind)
            self._log.write(read_as_json_line(kind))

    def options(self, used: Iterable[IgnoredOption]) -> None:
        """Log those options of a request that the profile ignores, each the first time."""
        for option in used:
            is_honoured = self.profile != "stub" and option not in ALWAYS_IGNORED
            if not is_honoured and option not in self.ignored:
                self.ignored.append(option)
                self._log.write(ignored_line(option))
                self.events.publish("ignored", {"option": option})
