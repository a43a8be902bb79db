"""A reader of the stub server's log, ours and the reference's.

The two lines of a miss are two writes of a threaded server, so a dump may stand anywhere after its
hash, behind other hashes and dumps. Nothing here pairs them: that takes the digest of the dump.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from operator import itemgetter

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.events import (
    Accessed,
    FixtureServed,
    LoadFailed,
    LogEvent,
    MissLogged,
    OptionIgnored,
    RequestLogged,
    ServedAgain,
    Unreadable,
    UnsupportedLogged,
)
from workbench.core.log.lines import MARK, UNSUPPORTED, Listening, read_ignored, read_listening
from workbench.core.log.slices import LogSlices, marks

_ANSI = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]")
_MARK = MARK.encode()
# No quote behind the hash: that is the rest of a dump that quotes such a line.
_UNKNOWN = re.compile(rb"unknown fixture hash ([0-9a-f]{64})(?![0-9a-f])(?=[^\"]*$)")
# No quotes, for the same reason.
_UNSUPPORTED = re.compile(UNSUPPORTED.encode() + rb"([A-Z]{1,20}) ([!#-~]+): ([^\"]+)$")
_SERVED = re.compile(rb"served fixture ([0-9a-f]{64})(?![0-9a-f])")
_LOAD_FAILED = re.compile(rb"failed to load fixture (.*?\.json): (.*)")
_REQUEST = b"request: "
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH_NUMBERS = {name.encode(): b"%02d" % number for number, name in enumerate(_MONTHS, start=1)}
_ACCESS = re.compile(
    rb"\[(\d\d/(?:" + b"|".join(_MONTH_NUMBERS) + rb")/\d{4})[ :](\d\d:\d\d:\d\d)[^\]]*\] "
)
_HIT = _MARK + b"served fixture "
# Not of the module of digests, which takes long to load.
_DIGEST_LENGTH = 64
_HIT_LENGTH = len(_HIT) + _DIGEST_LENGTH + 1  # with its end
_LINE_END = ord("\n")
_CHAT_ROUTE = b"/chat/completions"
# What compose, kubectl and log shippers put before a line: names, times, bars; never JSON.
_PREFIX = re.compile(rb"[^{}\"]{0,200}")
# The name in it: a word of its own that is no day, month or stream. Compiled where there is one.
_SOURCE = (
    rb"(?:^|[\s|\[])(?!(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|stdout|stderr|[FP])\b)"
    rb"(?!(?:" + "|".join(_MONTHS).encode() + rb") )([A-Za-z][\w./-]*)"
)


class LogParser(LogSlices[LogEvent]):
    """Reads a log in slices of any size, cut anywhere.

    Args:
        brief: leave out what says nothing new: of each fixture only the first hit since the server
            started is told, and after each miss, dump or start only the first access line and the
            hits before it. ``left_out`` tells of the other hits.
    """

    def __init__(self, *, brief: bool = False) -> None:
        super().__init__()
        self._brief = brief
        self._time_wanted = True
        # What stands in the access lines that are wanted.
        self._route = _CHAT_ROUTE
        # The lines of hits that were told since the server started, each with how many more were
        # left out; and how many were before.
        self._served: dict[bytes, int] = {}
        self._before: Counter[bytes] = Counter()
        # The lines of hits whose times are left out: each with the access line behind the last one;
        # and where those stand in what is read now behind which none was seen yet.
        self._again: dict[bytes, bytes] = {}
        self._untimed: dict[bytes, int] = {}

    def left_out(self) -> list[ServedAgain]:
        """The fixtures of which hits were left out since this was asked last."""
        again, self._again = self._again, {}
        self._count()
        more, self._before = self._before, Counter()
        told: list[ServedAgain] = []
        for hit in {**again, **more}:
            at = _read_access(again[hit]) if hit in again else None
            if at is not None or hit in more:
                told.append(ServedAgain(_digest_of(hit), at and at.time, more[hit]))
        return told

    def restart(self) -> None:
        super().restart()
        self._time_wanted = True
        self._route = _CHAT_ROUTE
        self._count()
        self._served.clear()
        self._untimed.clear()

    def _count(self) -> None:
        """Add up the hits that were left out."""
        for hit, more in self._served.items():
            if more:
                self._before[hit] += more
                self._served[hit] = 0

    def find(self, block: bytes, begin: int, end: int, offset: int) -> list[LogEvent]:
        shift = offset - begin
        self._untimed = dict.fromkeys(self._untimed, begin)
        events: list[LogEvent] = []
        served, untimed = self._served, self._untimed
        places = iter(marks(block, begin, end))
        for mark in places:
            if mark < begin:
                continue  # quoted in a line of ours
            if self._time_wanted and mark - begin > 1:
                events += self._times(block, begin, mark)
            if not self._time_wanted:
                while (hit := block[mark : mark + _HIT_LENGTH]) in served:
                    served[hit] += 1
                    untimed[hit] = mark
                    begin, mark = mark + 1, next(places, end)
                if mark == end:
                    break
            # Most have nothing before them.
            line_start = mark
            if mark > begin and block[mark - 1] != _LINE_END:
                line_start = block.rfind(b"\n", begin, mark) + 1 or begin
            begin = block.find(b"\n", mark, end)
            if begin < 0:
                begin = end
            event = _read_line(block, line_start, mark, begin, shift + line_start)
            if event is not None:
                events.append(event)
                if isinstance(event, FixtureServed):
                    self._note_hit(event.digest, begin)
                elif not isinstance(event, Unreadable | OptionIgnored):
                    self._time_wanted = True
                    self._route = _route_of(event)
                    if isinstance(event, Listening):
                        self._count()
                        served.clear()
        if self._time_wanted:
            events += self._times(block, begin, end)
        if self._untimed:
            self._find_times(block, end)
        return events

    def _find_times(self, block: bytes, end: int) -> None:
        """Give the hits without a time the access lines behind them."""
        # From the last one on, so that nothing is looked through twice.
        line = b""
        for hit, after in sorted(self._untimed.items(), key=itemgetter(1), reverse=True):
            line, end = _access_line(block, after, end)[0] or line, after
            if line:
                self._again[hit] = line
                del self._untimed[hit]

    def _times(self, block: bytes, begin: int, end: int) -> list[LogEvent]:
        """The access lines from ``begin`` to ``end``, as far as they are wanted."""
        events: list[LogEvent] = []
        while self._time_wanted and begin < end:
            line, begin = _access_line(block, begin, end, self._route)
            if line and (event := _read_access(line)) is not None:
                self._time_wanted = not self._brief
                self._route = _CHAT_ROUTE
                events.append(event)
        return events

    def _note_hit(self, digest: str, end: int) -> None:
        """A hit was told, whose line ends there: its time is told later, if it is."""
        hit = _hit_line(digest)
        if self._brief:
            self._served.setdefault(hit, 0)
        self._again.pop(hit, None)
        self._untimed.pop(hit, None)
        if not self._time_wanted:
            self._untimed[hit] = end


def _hit_line(digest: str) -> bytes:
    return b"%b%b\n" % (_HIT, digest.encode())


def _digest_of(hit: bytes) -> str:
    return hit[len(_HIT) : -1].decode()


def _route_of(event: LogEvent) -> bytes:
    """What stands in the access line that gives an event its time."""
    if isinstance(event, UnsupportedLogged):
        return f'"{event.request.line}'.encode()
    return _CHAT_ROUTE


def _access_line(
    block: bytes, begin: int, end: int, route: bytes = _CHAT_ROUTE
) -> tuple[bytes, int]:
    """The first line from ``begin`` to ``end`` that names a route, up to there, empty for none; and
    where that ends.
    """
    found = block.find(route, begin, end)
    if found < 0:
        return b"", end
    return block[block.rfind(b"\n", begin, found) + 1 or begin : found], found + len(route)


def _read_access(line: bytes) -> Accessed | None:
    access = _ACCESS.search(_ANSI.sub(b"", line) if b"\x1b" in line else line)
    return Accessed(_iso_day(access[1]) + access[2].decode()) if access is not None else None


@lru_cache(16)
def _iso_day(written: bytes) -> str:
    """``2026-11-20T`` of ``20/Nov/2026``."""
    day, month, year = written.split(b"/")
    return (b"%b-%b-%bT" % (year, _MONTH_NUMBERS[month], day)).decode()


def _read_line(block: bytes, begin: int, mark: int, end: int, offset: int) -> LogEvent | None:
    """The event of the line from ``begin`` to ``end``, which has our mark at ``mark``."""
    if block.find(b"\x1b", begin, end) >= 0:
        # A dump escapes control characters, so what is an escape sequence is none of its text.
        block = _ANSI.sub(b"", block[begin:end])
        begin, mark, end = 0, block.find(_MARK), len(block)
    if begin != mark and (mark < 0 or not _PREFIX.fullmatch(block, begin, mark)):
        return None
    text = mark + len(_MARK)
    if block.startswith(_REQUEST, text):
        dump = block[text + len(_REQUEST) : end].strip()
        if dump.startswith(b"{") and dump.endswith(b"}"):
            return RequestLogged(dump)
        return Unreadable(offset, "a request dump that is cut")
    if match := _UNKNOWN.match(block, text, end):
        source = _source(block[begin:mark]) if begin < mark else ""
        return MissLogged(match[1].decode(), source)
    while block[end - 1 : end] == b"\r":
        end -= 1
    if match := _SERVED.match(block, text, end):
        return FixtureServed(match[1].decode())
    if match := _UNSUPPORTED.match(block, text, end):
        method, path, reason = (part.decode("utf-8", "replace") for part in match.groups())
        source = _source(block[begin:mark]) if begin < mark else ""
        return UnsupportedLogged(UnsupportedRequest(method, path, reason), source)
    if match := _LOAD_FAILED.match(block, text, end):
        return LoadFailed(match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"))
    if server := read_listening(block[text:end]):
        return server
    if option := read_ignored(block[text:end]):
        return OptionIgnored(option)
    if block.startswith(b"unknown fixture hash", text):
        return Unreadable(offset, "a hash that is cut")
    return None


def _source(prefix: bytes) -> str:
    match = re.search(_SOURCE, prefix)
    return match[1].decode("ascii") if match else ""
