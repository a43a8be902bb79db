"""What a server was asked and answered, kept in memory within limits."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import count
from typing import Any, Final, NamedTuple

from workbench.core.apis.ignored import ALWAYS_IGNORED, IgnoredOption
from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.control_api import MissRow
from workbench.core.digest import parse_request
from workbench.core.log.lines import ignored_line
from workbench.core.replies.profile_names import ProfileName
from workbench.core.requests.view import RequestView
from workbench.core.secrets.credentials import Credentials, body_shown
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
# Limit for one request, which all tests may send.
MAX_TESTS: Final = 100
# Any client may ask for any path; of more than that the oldest are forgotten.
MAX_UNSUPPORTED: Final = 1000


class ServedExchange(NamedTuple):
    """One request and its reply.

    Attributes:
        source: ``fixture``, ``directive``, ``fallback`` (with ``--strict`` the error), or ``held``
            for an answer that was given without a file.
        at: when the request was complete, in seconds since the epoch.
        ms: from then until the reply was on its way, in milliseconds.
        request, reply: the beginnings of the bodies, as received and as sent, ``KEPT_BODY`` long.
        credentials: gives those that came with the request.
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
        reply = b"" if credentials.are_in_reply("", self.reply) else self.reply
        texts = {
            "node": credentials.masked(self.node),
            "request": request[:MAX_BODY].decode("utf-8", "replace"),
            "reply": reply[:MAX_BODY].decode("utf-8", "replace"),
        }
        record = {**self._asdict(), "ms": round(self.ms, 3), **texts}
        del record["credentials"]
        return record


class Sightings:
    """How often a request was sent, when, and by which tests. Times are local, in ISO 8601."""

    def __init__(self) -> None:
        self.count = 0
        self.first_seen = ""
        self.last_seen = ""
        self.tests: list[str] = []

    def add(self, test: str) -> None:
        """Count a request that was sent now, by a test or, with "", by none."""
        self.count += 1
        self.last_seen = time.strftime("%Y-%m-%dT%H:%M:%S")
        self.first_seen = self.first_seen or self.last_seen
        if test and test not in self.tests and len(self.tests) < MAX_TESTS:
            self.tests.append(test)

    def record(self) -> dict[str, Any]:
        """Its values as rows and events have them."""
        return {**vars(self), "tests": list(self.tests)}


class ServerMiss:
    """A digest that had no fixture. Its properties may be read in any thread.

    Attributes:
        dumps: its requests by what tells them apart beside the digest.
    """

    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.seen = Sightings()
        self.dumps: dict[bytes, bytes] = {}

    @property
    def request(self) -> RequestView | None:
        """The first of its requests; None where none may be shown."""
        dump = next(iter(list(self.dumps.values())), None)
        return None if dump is None else view(parse_request(dump))

    def row(self, *, with_requests: bool = False, **known: Any) -> MissRow:
        """Its row; ``known`` are the values that files and waiting clients decide."""
        dumps = list(self.dumps.values())  # more may come from another thread
        payloads = [parse_request(dump) for dump in (dumps if with_requests else dumps[:1])]
        return MissRow.of_miss(
            self.digest,
            payloads[0] if payloads else None,
            variants=len(dumps),
            requests=payloads if with_requests else None,
            **self.seen.record(),
            **known,
        )


class Misses:
    """The misses since the server started, in the order first seen. Of very many the oldest are
    forgotten, and before that their requests.
    """

    def __init__(self) -> None:
        self._kept: dict[str, ServerMiss] = {}
        self._size = 0

    def __iter__(self) -> Iterator[ServerMiss]:
        return iter(list(self._kept.values()))

    def get(self, digest: str) -> ServerMiss | None:
        return self._kept.get(digest)

    def add(self, digest: str, request: RequestView, body: bytes, test: str) -> ServerMiss:
        """Count a request.

        Args:
            body: what it was read from, empty where it must not be shown. A long one is not kept.
            test: the test that sent it, or "".
        """
        miss = self._kept.setdefault(digest, ServerMiss(digest))
        miss.seen.add(test)
        if body and len(body) <= MAX_DUMP and request.variant not in miss.dumps:
            miss.dumps[request.variant] = body
            self._size += len(body)
            self._make_room()
        return miss

    def _make_room(self) -> None:
        while len(self._kept) > MAX_MISSES:
            oldest = next(iter(self._kept))
            self._forget_dumps(self._kept.pop(oldest))
        if self._size > MAX_DUMPS:
            for miss in self:
                self._forget_dumps(miss)
                if self._size <= MAX_DUMPS / 2:
                    return

    def _forget_dumps(self, miss: ServerMiss) -> None:
        self._size -= sum(map(len, miss.dumps.values()))
        miss.dumps = {}


class Traffic:
    """Keeps the most recent exchanges, the misses and the unsupported requests, and sends them to
    listeners as events.

    Args:
        profile: of the server, which decides which options of requests are ignored.

    Attributes:
        ids: of the exchanges to come.
        ignored: the options that requests used in vain so far; the log says each once.
    """

    def __init__(self, profile: ProfileName, log: LogSink) -> None:
        self.events = Events()
        self.misses = Misses()
        self.ids = count(1)
        self.ignored: list[IgnoredOption] = []
        self._exchanges: deque[ServedExchange] = deque(maxlen=MAX_EXCHANGES)
        self._unsupported: dict[UnsupportedRequest, Sightings] = {}
        self.profile = profile
        self._log = log

    def exchange(self, exchange: ServedExchange) -> None:
        """Keep a reply that is being sent."""
        self._exchanges.append(exchange)
        if self.events.listeners:
            shown = ("digest", "source", "stream", "status")
            facts = {key: value for key, value in exchange._asdict().items() if key in shown}
            self.events.publish("served", {"exchange": exchange.id, **facts})

    def exchanges_after(self, last: int) -> list[ServedExchange]:
        """The kept exchanges with ids greater than ``last``, in order."""
        return [exchange for exchange in self._exchanges if exchange.id > last]

    def not_recorded(self, digest: str, reason: str) -> None:
        """Report an exchange that a recording server could not write."""
        self.events.publish("not_recorded", {"digest": digest, "reason": reason})

    def miss(self, request: RequestView, body: bytes, test: str) -> None:
        """Keep a request without a fixture; the arguments are those of ``Misses.add``."""
        miss = self.misses.add(request.digest, request, body, test)
        facts = {"digest": miss.digest, "variants": len(miss.dumps), **miss.seen.record()}
        self.events.publish("miss", facts)

    def unsupported(self, asked: UnsupportedRequest, test: str) -> None:
        """Keep an unsupported request, which a test sent or, with "", none."""
        seen = self._unsupported.setdefault(asked, Sightings())
        seen.add(test)
        if len(self._unsupported) > MAX_UNSUPPORTED:
            del self._unsupported[next(iter(self._unsupported))]
        self.events.publish("unsupported", MissRow.of_unsupported(asked, **seen.record()).record())

    def unsupported_rows(self, ignored: Collection[str]) -> list[MissRow]:
        """One for each unsupported request, in the order first seen; those on the ignore list are
        ``POST /v1/moderations`` or the like.
        """
        return [
            MissRow.of_unsupported(asked, ignored=asked.line in ignored, **seen.record())
            for asked, seen in self._unsupported.items()
        ]

    def options(self, used: Iterable[IgnoredOption]) -> None:
        """Log those options of a request that the profile ignores, each the first time."""
        for option in used:
            is_honoured = self.profile != "stub" and option not in ALWAYS_IGNORED
            if not is_honoured and option not in self.ignored:
                self.ignored.append(option)
                self._log.write(ignored_line(option))
                self.events.publish("ignored", {"option": option})
