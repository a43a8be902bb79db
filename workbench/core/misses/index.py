"""The index of misses: each digest once with its dumps, and the unsupported requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.events import (
    Accessed,
    AskedBy,
    FixtureServed,
    LoadFailed,
    MissLogged,
    OptionIgnored,
    ReadEvent,
    SentTo,
    SuiteEnded,
    SuiteStarted,
    Unreadable,
    UnsupportedLogged,
)
from workbench.core.log.lines import Listening
from workbench.core.misses.miss import Dump, Miss, interned
from workbench.core.request_body import parse_request

if TYPE_CHECKING:
    from workbench.core.misses.record import MissRecord


@dataclass(slots=True)
class Hits:
    """The hits of a fixture in the logs: their number, and the time of the last, if known."""

    count: int = 0
    last: str | None = None


class ReportedMiss(NamedTuple):
    """A miss from a server's report, with the dumps of its requests that were requested."""

    record: MissRecord
    dumps: Sequence[Dump] = ()


IntakeEvent = ReadEvent | Dump | ReportedMiss


class Dumps(Protocol):
    """Where dumps are kept."""

    def put(self, data: bytes) -> int:
        """Keep a dump; returns its place."""
        ...

    def get(self, place: int) -> bytes | None:
        """The dump at a place; None where it is kept no longer."""
        ...


class MissIndex:
    """All misses and unsupported requests of a list of events, and the hits of fixtures.

    Args:
        dumps: keeps the dumps of the events.

    Attributes:
        rows: misses and unsupported requests by their keys, in the order first seen.
        misses: rows with a digest.
        unsupported: rows without a digest.
        served: the digests of fixtures that were served, as far as the events show.
        suite_codes: the exit code of each suite of ``workbench run``; None if it is running or was
            killed.
        models: the requested models.
        has_tests: True if the test that sent a request is known for any.
        ignored_options: options of requests that the server ignored, each once.
    """

    def __init__(self, dumps: Dumps) -> None:
        self.rows: dict[str, Miss] = {}
        self.misses: dict[str, Miss] = {}
        self.unsupported: dict[str, Miss] = {}
        self.served: dict[str, Hits] = {}
        self.run = 1
        self.listening: Listening | None = None
        self.unreadable: list[Unreadable] = []
        self.suite_codes: list[int | None] = []
        self.models: set[str] = set()
        self.has_tests = False
        self.ignored_options: dict[IgnoredOption, None] = {}
        self._dumps = dumps
        self._run_is_empty = True
        self._without_time: set[str] = set()
        self._served_without_time: set[str] = set()
        # The folders of fixtures that could not be loaded, until their hash line is read.
        self._broken_in: dict[str, str] = {}
        self._requests = 0
        # The digests of hash lines whose dumps have not been read yet.
        self._undumped: dict[str, None] = {}
        # The digests of dumps without a hash line, each with the digest of the first hash line
        # before it that had no dump.
        self._mispaired: dict[str, str] = {}
        # True if any dump had its hash line.
        self._is_paired = False
        # The runs each fixture was served in, as bits.
        self._served_in: dict[str, int] = {}
        # How often the server that reports misses has counted each.
        self._reported: dict[str, int] = {}

    def test_of(self, digest: str) -> str:
        """The first test that sent a miss; "" where none is known."""
        miss = self.misses.get(digest)
        return miss.tests[0] if miss is not None and miss.tests else ""

    def apply(self, events: Iterable[IntakeEvent]) -> set[str]:
        """Add events; returns the keys of the rows that changed."""
        changed: set[str] = set()
        for event in events:
            match event:
                case MissLogged(digest):
                    miss = self._seen(digest, event.source)
                    _count(miss, 1)
                    miss.broken_in = self._broken_in.pop(digest, None)
                    self._undumped[digest] = None
                    changed.add(digest)
                case Dump(digest=digest):
                    miss = self._seen(digest)
                    miss.dump_lines += 1
                    _count(miss, 0)
                    self._pair(miss)
                    self._keep(miss, event)
                    changed.add(digest)
                case UnsupportedLogged(request):
                    miss = self._seen(str(request), event.source, request)
                    _count(miss, 1)
                    changed.add(miss.key)
                case AskedBy(key, test):
                    if self._sent_by(key, test):
                        changed.add(key)
                case SentTo(digest, host):
                    if digest in self.rows and _sent_to(self.rows[digest], host):
                        changed.add(digest)
                case ReportedMiss():
                    changed.add(self._report(event))
                case Accessed(time):
                    self._run_is_empty = False
                    changed |= self._set_time(time)
                case Listening():
                    self.listening = event
                    self._reported.clear()
                    self.start_run()
                case FixtureServed(digest, request):
                    for each in (digest, request) if request else (digest,):
                        self._served_in[each] = self._served_in.get(each, 0) | 1 << self.run
                    hits = self.served.setdefault(digest, Hits())
                    hits.count += 1
                    if digest in self.misses:
                        # The access line of a held request precedes this line.
                        hits.last = hits.last or self.misses[digest].last_seen
                    self._served_without_time.add(digest)
                    self._run_is_empty = False
                case LoadFailed(digest, folder):
                    self._broken_in[digest] = folder
                case Unreadable():
                    self.unreadable.append(event)
                case SuiteStarted():
                    self.suite_codes.append(None)
                case SuiteEnded(code):
                    self.suite_codes[-1:] = [code]
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
        """The requests whose server computed another digest than we do, as far as the log shows.
        Maps the digest of a request that is in no line to the digest in the line before it that
        belongs to no request. A single such pair in a log with correct pairs means that lines are
        missing.
        """
        pairs = {
            digest: logged
            for digest, logged in self._mispaired.items()
            if not (self.misses[digest].lines or self.misses[logged].dumps)
        }
        return {} if self._is_paired and len(pairs) == 1 else pairs

    @property
    def last_run(self) -> int:
        """The last run with any request, even without a miss."""
        return self.run - 1 if self._run_is_empty and self.run > 1 else self.run

    def in_one_run(self, digest: str, other: str) -> bool:
        """True if two digests were requested in the same suite run, as far as the log shows: the
        reference stub does not log requests that had a fixture.
        """
        return bool(self._runs(digest) & self._runs(other))

    def _runs(self, digest: str) -> int:
        miss = self.misses.get(digest)
        return self._served_in.get(digest, 0) | (miss.runs if miss is not None else 0)

    def payload(self, digest: str, variant: int = 0) -> dict[str, Any] | None:
        """The request of a miss, read back from where it is kept; None where no dump was seen."""
        return next(iter(self._read(digest, slice(variant, variant + 1))), None)

    def payloads(self, digest: str) -> list[dict[str, Any]]:
        """The requests of all variants of a miss."""
        return self._read(digest, slice(None))

    def _read(self, digest: str, part: slice) -> list[dict[str, Any]]:
        miss = self.misses.get(digest)
        texts = [self._dumps.get(dump.place) for dump in miss.dumps[part]] if miss else ()
        return [parse_request(text) for text in texts if text is not None]

    def forget(self, key: str) -> Miss:
        """Take a miss out of the index, and return it."""
        self.misses.pop(key, None)
        self.unsupported.pop(key, None)
        self._undumped.pop(key, None)
        self._without_time.discard(key)
        return self.rows.pop(key)

    def _pair(self, miss: Miss) -> None:
        """Mark the hash line of a dump as read, or record the hash line that was read instead of
        it.
        """
        if miss.lines:
            self._is_paired = True
            self._undumped.pop(miss.digest, None)
        elif self._undumped:
            logged = next(iter(self._undumped))
            del self._undumped[logged]
            self._mispaired.setdefault(miss.digest, logged)

    def _seen(self, key: str, source: str = "", request: UnsupportedRequest | None = None) -> Miss:
        """The row of a request that was sent now."""
        miss = self.rows.get(key)
        if miss is None:
            api = "chat" if request is None else request.api
            miss = Miss(key, request, count=0, first_seen=None, last_seen=None, api=api)
            self.rows[key] = miss
            (self.misses if request is None else self.unsupported)[key] = miss
        miss.source = source or miss.source
        miss.run = self.run
        miss.runs |= 1 << self.run
        self._requests += 1
        miss.order = self._requests
        self._run_is_empty = False
        self._without_time.add(key)
        return miss

    def _report(self, event: ReportedMiss) -> str:
        """Take in a miss as a server reports it, however often and in whichever order; returns its
        key.
        """
        record, request = event.record, event.record.unsupported
        key = record.digest or str(request)
        new = max(record.count - self._reported.get(key, 0), 0)
        if new or key not in self.rows:
            self._reported[key] = record.count
            miss = self._seen(key, request=request)
            _count(miss, new)
            miss.first_seen = miss.first_seen or record.first_seen
            miss.last_seen = record.last_seen or miss.last_seen
            self._without_time.discard(key)
        miss = self.rows[key]
        for test in record.tests:
            self._sent_by(key, test)
        for host in record.hosts:
            _sent_to(miss, host)
        for dump in event.dumps:
            self._keep(miss, dump)
        return key

    def _keep(self, miss: Miss, dump: Dump) -> None:
        miss.keep(dump)
        if miss.model is not None:
            self.models.add(miss.model)

    def _sent_by(self, key: str, test: str) -> bool:
        """Record a test that sent a miss. Return True if it is new."""
        miss = self.rows.get(key)
        if miss is None or test in miss.tests:
            return False
        miss.tests += (interned(test),)
        self.has_tests = True
        return True

    def _set_time(self, time: str) -> set[str]:
        """Set times from the next access line."""
        for key in self._without_time:
            miss = self.rows[key]
            miss.first_seen = miss.first_seen or time
            miss.last_seen = time
        for served in self._served_without_time:
            self.served[served].last = time
        self._served_without_time.clear()
        changed, self._without_time = self._without_time, set()
        return changed


def _count(miss: Miss, lines: int) -> None:
    """Count more lines that name a miss; the lines with its dump are the same requests."""
    miss.lines += lines
    miss.count = max(miss.lines, miss.dump_lines)


def _sent_to(miss: Miss, host: str) -> bool:
    """Note a host that a miss was sent to; returns False if it is noted already."""
    if host in miss.hosts:
        return False
    miss.hosts += (interned(host),)
    return True
