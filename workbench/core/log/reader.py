"""Read the stub server's log, ours and the reference stub's.

The two lines of a miss are two writes of a threaded server, so other lines may be between them.
They are not paired here, because that requires the digest of the dump.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from workbench.core.apis.table import APIS
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.log.documents import Documents
from workbench.core.log.events import (
    Accessed,
    AskedBy,
    FixtureServed,
    LoadFailed,
    LogEvent,
    MissLogged,
    OptionIgnored,
    RequestLogged,
    SentTo,
    SuiteEnded,
    SuiteStarted,
    Unreadable,
    UnsupportedLogged,
)
from workbench.core.log.json_reading import object_end
from workbench.core.log.lines import (
    ASKED_BY,
    MARK,
    MAX_TEST,
    SENT_TO,
    SUITE_ENDED,
    SUITE_STARTED,
    UNSUPPORTED,
    read_ignored,
    read_listening,
)
from workbench.core.log.pieces import has_pieces, may_be_cut, may_be_piece

# Most logs have neither lines in pieces nor lines in others.
if TYPE_CHECKING:
    from workbench.core.log.unfinished import UnfinishedLines

# In bytes, twice the longest request. Of a longer line only the beginning is kept and read:
# compressed logs of a few bytes hold lines of any length.
MAX_LINE = 128 * 1024 * 1024

_ANSI = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]")
_MARK = MARK.encode()
_EACH_MARK = re.compile(re.escape(_MARK))
# No quote after the hash: that is the rest of a dump that quotes such a line. Named values may have
# quotes, and an object of fields that a logger writes after its text.
_NAMED = rb"(?:\s+[\w.-]+=(?:\"[^\"]*\"|[^\s\"]*))+\s*$"
_UNKNOWN = re.compile(
    rb"unknown fixture hash ([0-9a-f]{64})(?![0-9a-f])(?=[^\"]*$|" + _NAMED + rb"|\s+\{.*\}\s*$)"
)
# No quotes, for the same reason.
_UNSUPPORTED = re.compile(UNSUPPORTED.encode() + rb"([A-Z]{1,20}) ([!#-~]+): ([^\"]+)$")
_ASKED_BY = re.compile(ASKED_BY.encode() + rb"([!#-~]+) ([^\"]+)$")
_SENT_TO = re.compile(SENT_TO.encode() + rb"https://([a-z0-9.-]{1,253}) ([0-9a-f]{64})\s*$")
_SERVED = re.compile(
    rb"served fixture ([0-9a-f]{64})(?![0-9a-f])(?: \(equivalent to ([0-9a-f]{64})\))?"
)
_LOAD_FAILED = re.compile(
    rb"failed to load fixture (?:(.*)[/\\])?([0-9a-f]{64})(?:\.[0-9a-f]{8})?\.json: "
)
_SUITE = re.compile(rf"{SUITE_STARTED}\s*$|{SUITE_ENDED}(-?\d{{1,10}})\s*$".encode())
_REQUEST = b"request: "
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH_NUMBERS = {name.encode(): b"%02d" % number for number, name in enumerate(_MONTHS, start=1)}
_ACCESS = re.compile(
    rb"\[(\d\d/(?:" + b"|".join(_MONTH_NUMBERS) + rb")/\d{4})[ :](\d\d:\d\d:\d\d)[^\]]*\] "
)
# The routes in the access lines of the APIs; groups of two APIs may have the same name.
_ROUTES = re.compile(
    "|".join(re.sub(r"\?P<\w+>", "?:", api.path.pattern.removesuffix("$")) for api in APIS).encode()
)
# Compose, kubectl and log shippers put names, times and bars before a line, never JSON.
_PREFIX = re.compile(rb"[^{}\"]*+(?:\"[^{}\"]*+\"[^{}\"]*+)*+")
_LONGEST_PREFIX = 200
# A name and a bar, a name in brackets, or a time: not the words of somebody who quotes a line.
_SHIPPED = re.compile(rb"\s*(?:\S+\s*\||\[[^\]]*\]|.*\d\d:\d\d:\d\d.*)?\s*", re.DOTALL)
# JSON, XML, quoted text, or ``name=value``.
_WRAPPING = re.compile(rb"\s*(?:[\[{<\"]|[\w.@-]+=[\w\"])")
# Nobody writes the digest or the request of a miss in prose, but does "[mock-llm] listening on".
_CERTAIN = (MissLogged, RequestLogged, FixtureServed, LoadFailed)
# Other servers write a size for the dash, and the time in another form.
_OWN_ACCESS = re.compile(
    rb"\[\d\d/[A-Z][a-z]{2}/\d{4} \d\d:\d\d:\d\d\] \"[A-Z]+ \S+ HTTP/[\d.]+\" \d{3} -\s*$"
)
# A request that is written with other escapes than those of JSON, in XML or in quotes.
_ESCAPED = re.compile(rb"\{(?:&quot;|\\)|.*\}['\"][),]*$", re.DOTALL)
_CUT_DUMP = Unreadable("a request dump that is cut")
# JSON in JSON.
_MOST_WRAPPINGS = 4
# The name in it: a word of its own that is not a day, month or stream. Compiled on first use.
_SOURCE = (
    rb"(?:^|[\s|\[])(?!(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|stdout|stderr|[FP])\b)"
    rb"(?!(?:" + "|".join(_MONTHS).encode() + rb") )([A-Za-z][\w./-]*)"
)


class LogParser:
    r"""Reads a log in slices of any size, cut anywhere.

    Lines end at ``\n`` bytes only: dumps hold U+2028 and U+0085 unescaped. A line without an end
    waits for the rest of it, or for ``close``.

    Of the access lines, only the first one after each other event is reported: it has its time.

    Attributes:
        is_of_stub_server: a line so far was one of a stub server, or a note, which is not an
            event. Prose that quotes such lines has none, nor has the access log of another server.
    """

    def __init__(self) -> None:
        self.is_of_stub_server = False
        self._unfinished: UnfinishedLines | None = None  # made when a line is in pieces
        self.restart()

    def feed(self, data: bytes) -> list[LogEvent]:
        """The events of the lines that end in ``data``, and of documents."""
        if not self._documents.is_done:
            data = self._documents.feed(data)
        return self._feed_lines(data)

    def close(self) -> list[LogEvent]:
        """The events of a last line that has no end, and of lines in pieces that have none."""
        events = self._feed_lines(self._documents.rest())
        events += self._end_line(b"")
        rest = b"" if self._unfinished is None else self._unfinished.rest()
        self._unfinished = None
        return events + self._whole_events(rest, 0, len(rest))

    def restart(self) -> None:
        """Forget the unfinished line: the log starts again (truncated, replaced)."""
        self._documents = Documents(MAX_LINE)
        self._parts: list[bytes] = []  # of the line without an end
        self._unfinished = None
        self._waiting = 0
        self._time_wanted = True
        # The route in the access line that is waited for.
        self._route = _ROUTES

    def _feed_lines(self, data: bytes) -> list[LogEvent]:
        end = data.rfind(b"\n") + 1
        if not end:
            self._wait(data)
            return []
        events: list[LogEvent] = []
        begin = 0
        if self._waiting:
            begin = data.find(b"\n") + 1
            events += self._end_line(data[:begin])
        events += self._events(data, begin, end)
        self._wait(data[end:])
        return events

    def _wait(self, part: bytes) -> None:
        if self._waiting < MAX_LINE and part:
            self._parts.append(part)
        self._waiting += len(part)

    def _end_line(self, rest: bytes) -> list[LogEvent]:
        self._wait(rest)
        line = b"".join(self._parts)
        self._parts, self._waiting = [], 0
        return self._events(line, 0, len(line))

    def _events(self, block: bytes, begin: int, end: int) -> list[LogEvent]:
        """The events of the whole lines in ``block[begin:end]``, which may be pieces of longer
        ones.
        """
        if begin < end and self._has_pieces(block, begin, end):
            return self._joined(block[begin:end])
        return self._whole_events(block, begin, end, may_be_pieces=True)

    def _whole_events(
        self, block: bytes, begin: int, end: int, *, may_be_pieces: bool = False
    ) -> list[LogEvent]:
        """The events of the lines in ``block[begin:end]``."""
        events: list[LogEvent] = []
        for match in _EACH_MARK.finditer(block, begin, end):
            mark = match.start()
            if mark < begin:
                continue  # quoted in the line before
            if self._time_wanted:
                events += self._access(block, begin, mark)
            line_start = block.rfind(b"\n", begin, mark) + 1 or begin
            if may_be_pieces and mark > line_start and may_be_piece(block, line_start, end):
                if has_pieces(block, line_start, end):
                    return events + self._joined(block[line_start:end])
                may_be_pieces = False
            begin = block.find(b"\n", mark, end)
            if begin < 0:
                begin = end
            for event in self._line_events(block, line_start, mark, begin):
                if event == _CUT_DUMP and may_be_pieces and may_be_cut(block[line_start:begin]):
                    return events + self._joined(block[line_start:end])
                events.append(event)
                self._want_time(event)
        if self._time_wanted:
            events += self._access(block, begin, end)
        return events

    def _has_pieces(self, block: bytes, begin: int, end: int) -> bool:
        """True if lines wait for their rest, or ``block[begin:end]`` begins with a kind of line
        that may be in pieces, and has some.
        """
        return (self._unfinished is not None and self._unfinished.is_waiting) or (
            may_be_piece(block, begin, end) and has_pieces(block, begin, end)
        )

    def _joined(self, lines: bytes) -> list[LogEvent]:
        """The events of lines of which the first may be a piece."""
        if self._unfinished is None:
            from workbench.core.log.unfinished import UnfinishedLines

            self._unfinished = UnfinishedLines()
        joined = self._unfinished.join(lines)
        return self._whole_events(joined, 0, len(joined))

    def _line_events(
        self,
        block: bytes,
        begin: int,
        mark: int,
        end: int,
        depth: int = 0,
        *,
        is_shipped: bool = True,
    ) -> Iterator[LogEvent]:
        """The events of the line ``block[begin:end]``, which has our mark at ``mark``.

        Args:
            is_shipped: a program writes what surrounds each line, if anything does.
        """
        if block.find(b"\x1b", begin, end) >= 0:
            # Dumps escape control characters, so an escape sequence is never part of their text.
            block = _ANSI.sub(b"", block[begin:end])
            begin, mark, end = 0, block.find(_MARK), len(block)
        if mark < 0:
            return
        if _is_own(block, begin, mark):
            event = _read_line(block, begin, mark, end)
            self.is_of_stub_server |= isinstance(event, _CERTAIN) or (
                is_shipped and _is_note(block, begin, mark, end)
            )
            if event is not None:
                yield event
        elif depth < _MOST_WRAPPINGS:
            yield from self._wrapped_events(block[begin:end], depth + 1)

    def _wrapped_events(self, line: bytes, depth: int) -> Iterator[LogEvent]:
        """The events of the lines inside JSON or quoted text."""
        from workbench.core.log.wrapped import texts

        is_shipped = _WRAPPING.match(line) is not None
        for text in texts(line, MARK):
            for inner in text.encode("utf-8", "backslashreplace").split(b"\n"):
                mark, end = inner.find(_MARK), len(inner)
                yield from self._line_events(inner, 0, mark, end, depth, is_shipped=is_shipped)

    def _want_time(self, event: LogEvent) -> None:
        match event:
            case Unreadable() | OptionIgnored() | AskedBy() | SentTo():
                return
            case SuiteStarted() | SuiteEnded():
                return
            case UnsupportedLogged():
                self._route = re.compile(re.escape(f'"{event.request.line}'.encode()))
            case FixtureServed():
                pass  # an unsupported request before it still waits for its own access line
            case _:
                self._route = _ROUTES
        self._time_wanted = True

    def _access(self, block: bytes, begin: int, end: int) -> list[LogEvent]:
        """The next access line, if it is in ``block[begin:end]`` and was requested."""
        for route in self._route.finditer(block, begin, end):
            line_start = block.rfind(b"\n", begin, route.start()) + 1 or begin
            if match := _ACCESS.search(_ANSI.sub(b"", block[line_start : route.start()])):
                self._time_wanted, self._route = False, _ROUTES
                line = block[line_start : block.find(b"\n", route.end(), end) + 1 or end]
                self.is_of_stub_server |= _OWN_ACCESS.search(_ANSI.sub(b"", line)) is not None
                return [Accessed(_iso_day(match[1]) + match[2].decode())]
        return []


@lru_cache(16)
def _iso_day(written: bytes) -> str:
    """``2026-11-20T`` of ``20/Nov/2026``."""
    day, month, year = written.split(b"/")
    return (b"%b-%b-%bT" % (year, _MONTH_NUMBERS[month], day)).decode()


def _read_line(block: bytes, begin: int, mark: int, end: int) -> LogEvent | None:
    """The event of the line ``block[begin:end]``, in which our mark follows a prefix."""
    text = mark + len(_MARK)
    if block.startswith(_REQUEST, text):
        return _read_dump(block[text + len(_REQUEST) : end].strip())
    source = _source(block[begin:mark]) if begin < mark else ""
    if match := _UNKNOWN.match(block, text, end):
        return MissLogged(match[1].decode(), source)
    while block[end - 1 : end] == b"\r":
        end -= 1
    if match := _SERVED.match(block, text, end):
        return FixtureServed(match[1].decode(), (match[2] or b"").decode())
    if match := _UNSUPPORTED.match(block, text, end):
        method, path, reason = (part.decode("utf-8", "replace") for part in match.groups())
        return UnsupportedLogged(UnsupportedRequest(method, path, reason), source)
    if match := _ASKED_BY.match(block, text, end):
        test, key = (part.decode("utf-8", "replace") for part in match.groups())
        return AskedBy(key, unquote(test)[:MAX_TEST])
    if match := _SENT_TO.match(block, text, end):
        return SentTo(match[2].decode(), match[1].decode())
    if match := _LOAD_FAILED.match(block, text, end):
        return LoadFailed(match[2].decode(), (match[1] or b"").decode("utf-8", "replace"))
    if server := read_listening(block[text:end]):
        return server
    if option := read_ignored(block[text:end]):
        return OptionIgnored(option)
    if match := _SUITE.match(block, text, end):
        return SuiteStarted() if match[1] is None else SuiteEnded(int(match[1]))
    if block.startswith(b"unknown fixture hash", text):
        return Unreadable("a hash that is cut")
    return None


def _is_own(block: bytes, begin: int, mark: int) -> bool:
    """True if only a prefix that other programs add precedes the mark of a line."""
    prefix = block[begin:mark]
    if not prefix:
        return True
    prefix = _ANSI.sub(b"", prefix)
    return len(prefix) <= _LONGEST_PREFIX and _PREFIX.fullmatch(prefix) is not None


def _is_note(block: bytes, begin: int, mark: int, end: int) -> bool:
    """True if a line has text after the mark, and before it only a prefix that programs add to each
    line.
    """
    prefix = _ANSI.sub(b"", block[begin:mark])
    return bool(block[mark + len(_MARK) : end].strip()) and _SHIPPED.fullmatch(prefix) is not None


def _read_dump(dump: bytes) -> LogEvent:
    """The request after ``request:``; other text may follow it."""
    if not dump.startswith(b"{"):
        return _CUT_DUMP
    if not dump.endswith(b"}"):
        # Undoing the escapes requires the digest, which is not available here.
        end = dump.rfind(b"}") + 1 if _ESCAPED.match(dump) else object_end(dump)
        dump = dump[: max(end, 0)]
    return RequestLogged(dump) if dump else _CUT_DUMP


def _source(prefix: bytes) -> str:
    match = re.search(_SOURCE, prefix)
    return match[1].decode("ascii") if match else ""
