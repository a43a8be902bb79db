"""The stub server's log: the lines our server writes, and a reader of its and the reference's logs.

The two lines of a miss are two writes of a threaded server, so a dump may stand anywhere after its
hash, behind other hashes and dumps. Nothing here pairs them: that takes the digest of the dump.
"""

from __future__ import annotations

import json
import re
from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.core.digest import DIGEST_LENGTH

if TYPE_CHECKING:
    from workbench.core.requests import Payload

MARK = "[mock-llm] "
GZIP_MAGIC = b"\x1f\x8b"

_ANSI = re.compile(rb"\x1b\[[0-9;:?]*[ -/]*[@-~]")
_MARK = MARK.encode()
# No quote behind the hash: that is the rest of a dump that quotes such a line.
_UNKNOWN = re.compile(rb"unknown fixture hash ([0-9a-f]{64})(?![0-9a-f])(?=[^\"]*$)")
_SERVED = re.compile(rb"served fixture ([0-9a-f]{64})(?![0-9a-f])")
_LISTENING = re.compile(rb"listening on (\S+)(?: \(fixtures: (.*)\))?")
_LOAD_FAILED = re.compile(rb"failed to load fixture (.*?\.json): (.*)")
_REQUEST = b"request: "
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_MONTH_NUMBERS = {name: f"{number:02}" for number, name in enumerate(_MONTHS, start=1)}
_ACCESS = re.compile(
    rb"\[(\d\d/(?:"
    + "|".join(_MONTHS).encode()
    + rb")/\d{4}[ :]\d\d:\d\d:\d\d)[^\]]*\] .*/chat/completions"
)
_HIT = _MARK + b"served fixture "
_HIT_LENGTH = len(_HIT) + DIGEST_LENGTH
_CHAT_ROUTE = b"/chat/completions"
# So many bytes of a file tell what it is.
_HEAD = 8192
_PACKERS = {
    GZIP_MAGIC: "gzip",
    b"BZh": "bzip2",
    b"\xfd7zXZ\0": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"PK\x03\x04": "zip",
}
# What compose, kubectl and log shippers put before a line: names, times, bars; never JSON.
_PREFIX = re.compile(rb"[^{}\"]{0,200}")
# The name in it: a word of its own that is no day, month or stream.
_SOURCE = re.compile(
    rb"(?:^|[\s|\[])(?!(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|stdout|stderr|[FP])\b)"
    rb"(?!(?:" + "|".join(_MONTHS).encode() + rb") )([A-Za-z][\w./-]*)"
)


@dataclass(frozen=True, slots=True)
class MissLogged:
    """A hash line: this digest had no fixture.

    Attributes:
        source: who wrote it, where many write one log: the name that compose, kubectl or syslog put
            before the line; "" for none.
    """

    digest: str
    source: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class RequestLogged:
    """A dump line: the request of some miss, as JSON text."""

    dump: bytes


@dataclass(frozen=True, slots=True)
class FixtureServed:
    """A hit (our server's line)."""

    digest: str


@dataclass(frozen=True, slots=True)
class ServedAgain:
    """Hits of a fixture, or their times, were left out; the last was at this time, as in
    ``Accessed``.
    """

    digest: str
    time: str


@dataclass(frozen=True, slots=True)
class LoadFailed:
    """The file of a digest exists and could not be loaded; a hash line follows."""

    path: str
    error: str


@dataclass(frozen=True, slots=True)
class Listening:
    """A server started: the first line of a suite run."""

    url: str
    fixtures: str


@dataclass(frozen=True, slots=True)
class Accessed:
    """An access line of the chat route, with its local time in ISO 8601."""

    time: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line of ours that is cut or garbled; ``offset`` is its place in the log, in bytes."""

    offset: int
    reason: str


LogEvent = (
    MissLogged
    | RequestLogged
    | FixtureServed
    | ServedAgain
    | LoadFailed
    | Listening
    | Accessed
    | Unreadable
)


class LogParser:
    """Reads a log in slices of any size, cut anywhere.

    Lines end at ``\\n`` bytes only: dumps hold U+2028 and U+0085 as they are. A line without an end
    waits for the rest of it, or for ``close``. Lines of others are passed over without being split.

    Args:
        brief: leave out what says nothing new: of each fixture only the first hit since the server
            started is told, and after each miss, dump or start only the first access line and the
            hits before it. ``left_out`` tells of the other hits.
    """

    def __init__(self, *, brief: bool = False) -> None:
        self._brief = brief
        self._parts: list[bytes] = []
        self._line_start = 0
        self._time_wanted = True
        self._access: tuple[bytes, Accessed | None] = (b"", None)
        self._served: set[bytes] = set()
        # Digests of hits whose times are left out: each with the access line behind the last one;
        # and where those stand in what is read now behind which none was seen yet.
        self._again: dict[bytes, bytes] = {}
        self._untimed: dict[bytes, int] = {}

    def feed(self, data: bytes) -> list[LogEvent]:
        """The events of the lines that end in ``data``."""
        end = data.rfind(b"\n") + 1
        if not end:
            if data:
                self._parts.append(data)
            return []
        events: list[LogEvent] = []
        begin = 0
        if self._parts:
            begin = data.find(b"\n") + 1
            events += self._take(b"".join([*self._parts, data[:begin]]))
        events += self._events(data, begin, end)
        self._line_start += end - begin
        self._parts = [data[end:]] if end < len(data) else []
        return events

    def left_out(self) -> list[ServedAgain]:
        """The fixtures of which hits were left out since this was asked last."""
        again, self._again = self._again, {}
        accessed = ((digest, self._accessed(line)) for digest, line in again.items())
        return [ServedAgain(digest.decode(), at.time) for digest, at in accessed if at is not None]

    def close(self) -> list[LogEvent]:
        """The events of a last line that has no end, if it is whole."""
        line = b"".join(self._parts)
        self._parts = []
        return list(self._take(line))

    def restart(self) -> None:
        """Forget the half line: the log begins anew (truncated, replaced)."""
        self._time_wanted = True
        self._served.clear()
        self._parts = []
        self._line_start = 0

    def _take(self, line: bytes) -> list[LogEvent]:
        """The events of one line that came in parts."""
        events = self._events(line, 0, len(line))
        self._line_start += len(line)
        return events

    def _events(self, block: bytes, begin: int, end: int) -> list[LogEvent]:
        """The events of the whole lines from ``begin`` to ``end``."""
        shift = self._line_start - begin
        self._untimed = dict.fromkeys(self._untimed, begin)
        events: list[LogEvent] = []
        for mark in _marks(block, begin, end):
            if mark < begin:
                continue  # quoted in a line of ours
            if self._time_wanted:
                events += self._times(block, begin, block.rfind(b"\n", begin, mark) + 1 or begin)
            if block.startswith(_HIT, mark) and not self._time_wanted:
                hit_end = mark + _HIT_LENGTH
                digest = block[hit_end - DIGEST_LENGTH : hit_end]
                if digest in self._served and block.startswith(b"\n", hit_end):
                    self._untimed[digest] = begin = hit_end
                    continue
            line_start = block.rfind(b"\n", begin, mark) + 1 or begin
            begin = _find(block, b"\n", mark, end)
            event = _read_line(block, line_start, mark, begin, shift + line_start)
            if event is not None:
                self._note(event)
                events.append(event)
                if isinstance(event, FixtureServed):
                    self._note_hit(event.digest.encode(), begin)
        if self._time_wanted:
            events += self._times(block, begin, end)
        for digest, after in list(self._untimed.items()):
            if access := _access_line(block, after, end)[0]:
                self._again[digest] = access
                del self._untimed[digest]
        return events

    def _note_hit(self, digest: bytes, end: int) -> None:
        """Remember that the time of a hit, whose line ends there, is told later, if it is."""
        self._again.pop(digest, None)
        self._untimed.pop(digest, None)
        if not self._time_wanted:
            self._untimed[digest] = end

    def _times(self, block: bytes, begin: int, end: int) -> Iterator[Accessed]:
        """The access lines from ``begin`` to ``end``, as far as they are wanted."""
        while self._time_wanted and begin < end:
            line, begin = _access_line(block, begin, end)
            event = self._accessed(line)
            if event is not None:
                self._note(event)
                yield event

    def _accessed(self, line: bytes) -> Accessed | None:
        """What an access line tells. Within a second a suite writes many that are the same."""
        if line != self._access[0]:
            self._access = (line, _read_access(line))
        return self._access[1]

    def _note(self, event: LogEvent) -> None:
        """Remember what an event makes of those that come."""
        if not self._brief:
            return
        if isinstance(event, FixtureServed):
            self._served.add(event.digest.encode())
        elif not isinstance(event, Unreadable):
            self._time_wanted = not isinstance(event, Accessed)
            if isinstance(event, Listening):
                self._served.clear()


def _marks(block: bytes, begin: int, end: int) -> list[int]:
    """Where our mark stands. Looked for from the end: CPython's ``rfind`` passes over what is no
    match a needle at a time, and takes half the time of its ``find``.
    """
    marks: list[int] = []
    while (end := block.rfind(_MARK, begin, end)) >= 0:
        marks.append(end)
    marks.reverse()
    return marks


def _find(block: bytes, wanted: bytes, begin: int, end: int) -> int:
    """Where ``wanted`` stands from ``begin`` on; ``end`` for nowhere."""
    found = block.find(wanted, begin, end)
    return end if found < 0 else found


def _access_line(block: bytes, begin: int, end: int) -> tuple[bytes, int]:
    """The first line from ``begin`` to ``end`` that names the chat route, empty for none, and where
    it ends.
    """
    route = block.find(_CHAT_ROUTE, begin, end)
    if route < 0:
        return b"", end
    line_start = block.rfind(b"\n", begin, route) + 1 or begin
    line_end = _find(block, b"\n", route, end)
    return block[line_start:line_end], line_end


def _read_access(line: bytes) -> Accessed | None:
    access = _ACCESS.search(_ANSI.sub(b"", line) if b"\x1b" in line else line)
    if access is None:
        return None
    text = access[1].decode("ascii")  # 20/Nov/2026 10:09:22
    return Accessed(f"{text[7:11]}-{_MONTH_NUMBERS[text[3:6]]}-{text[:2]}T{text[12:]}")


def _read_line(block: bytes, begin: int, mark: int, end: int, offset: int) -> LogEvent | None:
    """The event of the line from ``begin`` to ``end``, which has our mark at ``mark``."""
    if block.find(b"\x1b", begin, end) >= 0:
        # A dump escapes control characters, so what is an escape sequence is none of its text.
        block = _ANSI.sub(b"", block[begin:end])
        begin, mark, end = 0, block.find(_MARK), len(block)
    if mark < 0 or not _PREFIX.fullmatch(block, begin, mark):
        return None
    text = mark + len(_MARK)
    if block.startswith(_REQUEST, text):
        dump = block[text + len(_REQUEST) : end].strip()
        if dump.startswith(b"{") and dump.endswith(b"}"):
            return RequestLogged(dump)
        return Unreadable(offset, "a request dump that is cut")
    while block.endswith(b"\r", text, end):
        end -= 1
    if match := _UNKNOWN.match(block, text, end):
        return MissLogged(match[1].decode(), _source(block[begin:mark]))
    if match := _SERVED.match(block, text, end):
        return FixtureServed(match[1].decode())
    if match := _LOAD_FAILED.match(block, text, end):
        return LoadFailed(match[1].decode("utf-8", "replace"), match[2].decode("utf-8", "replace"))
    if match := _LISTENING.match(block, text, end):
        return Listening(
            match[1].decode("utf-8", "replace"), (match[2] or b"").decode("utf-8", "replace")
        )
    if block.startswith(b"unknown fixture hash", text):
        return Unreadable(offset, "a hash that is cut")
    return None


def _source(prefix: bytes) -> str:
    match = _SOURCE.search(prefix) if prefix else None
    return match[1].decode("ascii") if match else ""


def why_no_log(head: bytes) -> str:
    """Why a file that begins so is no log: what it is instead, for a person; "" where it may be
    one. NULs at the start are the hole before the place of a writer whose log was truncated.
    """
    head = head[:_HEAD]
    for magic, packer in _PACKERS.items():
        if head.startswith(magic):
            return f"it is packed by {packer}; unpack it first"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "it is UTF-16; a log is UTF-8"
    return "it is no text" if b"\0" in head.lstrip(b"\0") and not _is_utf8(head) else ""


def _is_utf8(head: bytes) -> bool:
    """Whether ``head`` is UTF-8, though it may end inside a character."""
    try:
        getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return True


def miss_lines(digest: str, payload: Payload) -> str:
    """The two lines of a miss, to be written at once."""
    dump = json.dumps(payload, sort_keys=True, ensure_ascii=False)
    return f"{MARK}unknown fixture hash {digest}\n{MARK}request: {dump}\n"


def served_line(digest: str) -> str:
    return f"{MARK}served fixture {digest}\n"


def load_failed_line(path: str, error: str) -> str:
    return f"{MARK}failed to load fixture {path}: {' '.join(error.split())}\n"


def listening_line(url: str, fixtures: str) -> str:
    return f"{MARK}listening on {url} (fixtures: {fixtures})\n"


def note_line(text: str) -> str:
    """Any other line of ours, kept on one line."""
    return f"{MARK}{' '.join(text.split())}\n"
