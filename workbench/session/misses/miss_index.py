"""The misses of a log, each digest once with its dumps, and the unsupported requests.

``LogIntake`` does the expensive part (digests and spooling of dumps) and may run in a thread;
``MissIndex`` keeps the result and is cheap to update and query.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import RequestError, parse_request
from workbench.core.log.dumps import other_readings
from workbench.core.log.events import (
    Accessed,
    AskedBy,
    FixtureServed,
    LoadFailed,
    LogEvent,
    MissLogged,
    OptionIgnored,
    ReadEvent,
    RequestLogged,
    Unreadable,
    UnsupportedLogged,
)
from workbench.core.log.lines import Listening
from workbench.core.log.usage import Hits
from workbench.core.requests.conversations import beginnings, quoted_answers
from workbench.core.requests.equivalence import form_digest
from workbench.core.requests.view import Payload, RequestView
from workbench.core.secrets.names import may_be_named
from workbench.core.secrets.written_request import without_credentials
from workbench.io.logs.spool import Spool
from workbench.session.misses.alike import AlikeMisses
from workbench.session.misses.rows import Dump, ListedRequest, Miss, Summary, Unsupported, kept_once

IntakeEvent = ReadEvent | Dump


class LogIntake:
    """Prepares log events for a ``MissIndex``. A dump seen before costs one hash."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._known: dict[bytes, Dump] = {}
        # The digest of the last hash line: mostly that of the next dump, too.
        self._missed = ""
        self._hashes: set[str] = set()

    def read(self, events: Iterable[LogEvent]) -> list[IntakeEvent]:
        return list(map(self._take, events))

    def _take(self, event: LogEvent) -> IntakeEvent:
        if isinstance(event, RequestLogged):
            return self._dump(event)
        if isinstance(event, MissLogged):
            self._missed = event.digest
            self._hashes.add(event.digest)
        return event

    def _dump(self, event: RequestLogged) -> Dump | Unreadable:
        key = hashlib.blake2b(event.dump, digest_size=16).digest()
        known = self._known.get(key)
        if known is None:
            try:
                request, dump = self._request(event.dump)
                found, form = request.digest, form_digest(request)
            except RequestError as error:
                return Unreadable(str(error))
            found = self._missed if found == self._missed else found
            begun = list(beginnings(request))
            known = Dump(
                found,
                found if form == found else form,
                kept_once(request.variant),
                begun[-1] if begun else b"",
                tuple(quoted_answers(request, begun)),
                self._spool.put(dump),
                Summary.of(request),
            )
            self._known[key] = known
        return known

    def _request(self, dump: bytes) -> tuple[RequestView, bytes]:
        """The request of a dump, and the dump as it may be kept. If another program changed it, the
        hash line tells how. Raises RequestError.
        """
        problem, given = RequestError("", ""), None
        try:
            given = _without_credentials(dump)
            if given[0].digest in self._hashes:
                return given
        except RequestError as error:
            problem = error
        for reading in other_readings(dump):
            with suppress(RequestError):
                read = _without_credentials(reading)
                if read[0].digest in self._hashes:
                    return read
                given = given or read
        if given is None:
            raise problem
        return given


def _without_credentials(dump: bytes) -> tuple[RequestView, bytes]:
    """The request of a dump, and the dump as it may be kept. Raises RequestError."""
    payload = parse_request(dump)
    if not may_be_named(dump) or (shown := without_credentials(payload)) is payload:
        return view(payload), dump
    return view(shown), json.dumps(shown).encode("ascii")


class MissIndex:
    """All misses and unsupported requests of the logs, and the hits of fixtures.

    Attributes:
        rows: misses and unsupported requests by their keys, in the order first seen.
        later_turns: by conversation, the misses that are not its first turn.
        served: the digests of fixtures that were served, as far as the log shows.
        ignored_options: options of requests that the server ignored, each once.
    """

    def __init__(self, spool: Spool) -> None:
        self.rows: dict[str, ListedRequest] = {}
        self.misses: dict[str, Miss] = {}
        self.unsupported: dict[str, Unsupported] = {}
        self.alike = AlikeMisses(self.misses)
        self.later_turns: defaultdict[str, list[str]] = defaultdict(list)
        self.served: dict[str, Hits] = {}
        self.run = 1
        self.listening: Listening | None = None
        self.unreadable: list[Unreadable] = []
        self.ignored_options: dict[IgnoredOption, None] = {}
        self._spool = spool
        self._run_is_empty = True
        self._without_time: set[str] = set()
        self._served_without_time: set[str] = set()
        # The folders of fixtures that could not be loaded, whose hash line is to come.
        self._broken_in: dict[str, str] = {}
        self._asked = 0
        self._by_messages: defaultdict[bytes, list[str]] = defaultdict(list)
        # The digests of hash lines whose dumps are to come.
        self._undumped: dict[str, None] = {}
        # The digests of dumps that had no hash line, each with that of the first hash line before
        # it that had no dump.
        self._mispaired: dict[str, str] = {}
        # Whether any dump had its hash line.
        self._is_paired = False
        # The runs each fixture was served in, as bits.
        self._served_in: dict[str, int] = {}

    def apply(self, events: Iterable[IntakeEvent]) -> set[str]:
        """Add events; returns the keys of the rows that changed."""
        changed: set[str] = set()
        for event in events:
            match event:
                case MissLogged(digest):
                    miss = self._miss(digest)
                    miss.lines += 1
                    miss.source = event.source or miss.source
                    miss.broken_in = self._broken_in.pop(digest, None)
                    self._undumped[digest] = None
                    changed.add(digest)
                case Dump(digest=digest):
                    miss = self._miss(digest)
                    miss.dump_lines += 1
                    self._pair(miss)
                    if all(d.variant != event.variant for d in miss.dumps):
                        miss.dumps += (event,)
                        changed |= self._know(miss, event) if len(miss.dumps) == 1 else set()
                    changed.add(digest)
                case UnsupportedLogged(request):
                    row = self._unsupported(request)
                    row.lines += 1
                    row.source = event.source or row.source
                    changed.add(row.key)
                case AskedBy(key, test):
                    listed = self.rows.get(key)
                    if listed is not None and test not in listed.tests:
                        listed.tests += (kept_once(test),)
                        changed.add(key)
                case Accessed(time):
                    self._run_is_empty = False
                    changed |= self._set_time(time)
                case Listening():
                    self.listening = event
                    self.start_run()
                case FixtureServed(digest, request):
                    for asked in (digest, request) if request else (digest,):
                        self._served_in[asked] = self._served_in.get(asked, 0) | 1 << self.run
                    hits = self.served.setdefault(digest, Hits())
                    hits.count += 1
                    if digest in self.misses:
                        # The access line of a request that was held stands before this one.
                        hits.last = hits.last or self.misses[digest].last_seen
                    self._served_without_time.add(digest)
                    self._run_is_empty = False
                case LoadFailed(digest, folder):
                    self._broken_in[digest] = folder
                case Unreadable():
                    self.unreadable.append(event)
                case OptionIgnored(option):
                    self.ignored_options[option] = None
        return changed

    def start_run(self) -> None:
        """Begin a suite run: a server started, or its log was cut. An empty run is not counted."""
        if not self._run_is_empty:
            self.run += 1
        self._run_is_empty = True
        # The next access lines belong to other requests.
        self._without_time.clear()
        self._served_without_time.clear()
        self._broken_in.clear()
        self._undumped.clear()

    @property
    def mispaired(self) -> dict[str, str]:
        """The requests whose server computed another digest than we do, as far as the log shows:
        by the digest of a request, which no line has, the one in the line before it, which no
        request has. A single one beside others that are right is a log with holes.
        """
        found = {
            digest: logged
            for digest, logged in self._mispaired.items()
            if not (self.misses[digest].lines or self.misses[logged].dumps)
        }
        return {} if self._is_paired and len(found) == 1 else found

    @property
    def last_run(self) -> int:
        """The last run with any request, even without a miss."""
        return self.run - 1 if self._run_is_empty and self.run > 1 else self.run

    def are_side_by_side(self, one: str, other: str) -> bool:
        """Whether two digests were requested in the same suite run, as far as the log shows: the
        reference server does not log requests that had a fixture.
        """
        return bool(self._runs(one) & self._runs(other))

    def _runs(self, digest: str) -> int:
        miss = self.misses.get(digest)
        return self._served_in.get(digest, 0) | (miss.runs if miss is not None else 0)

    def payload(self, digest: str, variant: int = 0) -> dict[str, Any] | None:
        """The request of a miss, read back from the spool; None where no dump was seen."""
        miss = self.misses.get(digest)
        if miss is None or not miss.dumps:
            return None
        return parse_request(self._spool.get(miss.dumps[variant].place))

    def payloads(self, digest: str) -> list[dict[str, Any]]:
        """The requests of all variants of a miss."""
        miss = self.misses.get(digest)
        return [parse_request(self._spool.get(d.place)) for d in miss.dumps] if miss else []

    def beginnings(self, payload: Payload) -> list[tuple[str, int]]:
        """The earlier turns of a request, shortest first: each one's digest and its number of
        messages, with which the request begins.
        """
        hashes = list(beginnings(view(payload)))[:-1]
        return [
            (self._by_messages[key][0], number)
            for number, key in enumerate(hashes, start=1)
            if key in self._by_messages
        ]

    def with_messages(self, messages: bytes) -> Sequence[str]:
        """The misses whose messages have this hash."""
        return self._by_messages.get(messages, ())

    def _pair(self, miss: Miss) -> None:
        """Take the hash line of a dump as found, or note the one that stands in its place."""
        if miss.lines:
            self._is_paired = True
            self._undumped.pop(miss.digest, None)
        elif self._undumped:
            logged = next(iter(self._undumped))
            del self._undumped[logged]
            self._mispaired.setdefault(miss.digest, logged)

    def _know(self, miss: Miss, dump: Dump) -> set[str]:
        """Take in the request of a miss; returns the misses whose rows change with it."""
        self._by_messages[dump.messages].append(miss.digest)
        if miss.turn > 1:
            self.later_turns[miss.conversation].append(miss.digest)
        return self.alike.add(miss.digest)

    def _miss(self, digest: str) -> Miss:
        miss = self.misses.get(digest)
        if miss is None:
            self.rows[digest] = miss = self.misses[digest] = Miss(digest)
        self._seen(miss)
        return miss

    def _unsupported(self, request: UnsupportedRequest) -> Unsupported:
        key = str(request)
        row = self.unsupported.get(key)
        if row is None:
            self.rows[key] = row = self.unsupported[key] = Unsupported(key, request=request)
        self._seen(row)
        return row

    def _seen(self, row: ListedRequest) -> None:
        row.run = self.run
        row.runs |= 1 << self.run
        self._asked += 1
        row.asked = self._asked
        self._run_is_empty = False
        self._without_time.add(row.key)

    def _set_time(self, time: str) -> set[str]:
        """Times come from the nearest following access line."""
        for waiting in self._without_time:
            row = self.rows[waiting]
            row.first_seen = row.first_seen or time
            row.last_seen = time
        for served in self._served_without_time:
            self.served[served].last = time
        self._served_without_time.clear()
        changed, self._without_time = self._without_time, set()
        return changed
