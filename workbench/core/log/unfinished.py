"""Join the pieces of long lines, from container runtimes, Docker's log files and journald."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from workbench.core.log.json_reading import object_end, read_after, starts_json
from workbench.core.log.lines import MARK
from workbench.core.log.pieces import ANSI, CRI, SYSLOG, TIME

# In bytes, of all pieces that wait together.
MAX_WAITING: Final = 128 * 1024 * 1024
# Streams whose lines are unfinished at a time.
_MOST_STREAMS: Final = 1000

_MARK: Final = MARK.encode()
_TIMES: Final = re.compile(TIME + rb"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?")
_OWN_LINE: Final = re.compile(rb"[^{}\"]{0,200}" + re.escape(_MARK))
# The beginning of a line, which a request seldom quotes.
_BEGINNING: Final = re.compile(
    rb"[^{}\"]{0,200}"
    + re.escape(_MARK)
    + rb"(?:unknown fixture hash [0-9a-f]|request: \{.|served fixture [0-9a-f])"
)
_WHOLE_HASH: Final = re.compile(rb"unknown fixture hash [0-9a-f]{64}$")
_REQUEST: Final = _MARK + b"request: "

# Keys of the text that runtimes and journald write in pieces.
_TEXT_KEYS: Final = ("log", "message")
# Keys that differ between the pieces of one line.
_OF_PIECE: Final = re.compile(
    r"time|date|stamp|ts$|ordinal|last|logtag|cursor|seq|insertid|offset|partial_m|^__"
)
# No prefix is longer, with the mark.
_LONGEST_START: Final = 300


class _Record(NamedTuple):
    """A line that is a JSON object.

    Attributes:
        before: text before the object.
        value: the object.
    """

    before: bytes
    value: dict[str, Any]


class _Piece(NamedTuple):
    """A line that may be a piece of a longer one.

    Attributes:
        stream: identifies the writer of the line.
        is_last: True if it is the last piece of a line; None: unknown.
        joined: the line with longer text in it.
    """

    stream: tuple[object, ...]
    text: bytes
    is_last: bool | None
    joined: Callable[[bytes], bytes]


class _Line:
    """The pieces of an unfinished line."""

    def __init__(self) -> None:
        self.pieces: list[_Piece] = []
        self.size = 0
        self._start = b""

    def add(self, piece: _Piece) -> None:
        self.pieces.append(piece)
        self.size += len(piece.text)
        if len(self._start) < _LONGEST_START:
            self._start += piece.text[:_LONGEST_START]

    @property
    def may_be_ours(self) -> bool:
        """True if it can become a log line of ours. Other lines need not wait for their rest."""
        return len(self._start) < _LONGEST_START or _OWN_LINE.match(self._start) is not None

    def has_last(self, piece: _Piece) -> bool:
        """True if ``piece`` is the last of its line."""
        if piece.is_last is None:  # of journald: all but the last are of one length
            return len(piece.text) < len(self.pieces[0].text)
        return piece.is_last

    def joined(self, *, is_ended: bool = True) -> bytes:
        """The pieces as one line; without its end each by itself, unless they make a whole line."""
        text = b"".join(piece.text for piece in self.pieces)
        if is_ended or _is_whole(text):
            return self.pieces[0].joined(text)
        return b"".join(piece.joined(piece.text) for piece in self.pieces)


class UnfinishedLines:
    """The pieces that wait for the rest of their line."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[object, ...], _Line] = {}
        self._size = 0

    @property
    def is_waiting(self) -> bool:
        """True if lines wait for their rest."""
        return bool(self._waiting)

    def join(self, block: bytes) -> bytes:
        """Whole lines; a line in pieces appears at the place of its last piece."""
        lines: list[bytes] = []
        for line in block.removesuffix(b"\n").split(b"\n"):
            lines += self._take(line + b"\n")
        return b"".join(lines)

    def rest(self) -> bytes:
        """The waiting lines, as far as they were received."""
        return b"".join(line.joined(is_ended=False) for line in self._waiting.values())

    def _take(self, line: bytes) -> Iterator[bytes]:
        """The lines that end with a line."""
        piece = self._read(line)
        if piece is None:
            yield line
            return
        waiting = self._waiting.get(piece.stream)
        if waiting is not None and _BEGINNING.match(piece.text):  # the end of the last one is lost
            yield self._forget(piece.stream).joined(is_ended=False)
            waiting = None
        if waiting is None:
            if piece.is_last or _is_whole(piece.text):
                yield line if _MARK in line else piece.joined(piece.text)
                return
            waiting = self._waiting[piece.stream] = _Line()
        waiting.add(piece)
        self._size += len(piece.text)
        if len(waiting.pieces) > 1 and waiting.has_last(piece):
            yield self._forget(piece.stream).joined()
        elif not waiting.may_be_ours:
            yield self._forget(piece.stream).joined(is_ended=False)
        while self._size > MAX_WAITING or len(self._waiting) > _MOST_STREAMS:
            yield self._forget(next(iter(self._waiting))).joined(is_ended=False)

    def _forget(self, stream: tuple[object, ...]) -> _Line:
        line = self._waiting.pop(stream)
        self._size -= line.size
        return line

    def _read(self, line: bytes) -> _Piece | None:
        """The line as a piece; None if it is none, and stays as it is."""
        shown = ANSI.sub(b"", line) if b"\x1b" in line else line
        shown = shown.rstrip(b"\r\n")
        if match := CRI.match(shown):
            head = match["head"]
            return _Piece(
                (_TIMES.sub(b"", head),),
                match["text"] or b"",
                match["tag"] == b"F",
                lambda text: head + b"F " + text + b"\n",
            )
        if match := SYSLOG.match(shown):
            return self._of_journal(match)
        if starts_json(shown) is not None and self._may_matter(shown):
            objects = _records(shown)
            return _of_json(objects[0]) if len(objects) == 1 else None
        return None

    def _of_journal(self, match: re.Match[bytes]) -> _Piece | None:
        head, text = match["head"], match["text"]
        stream = (_TIMES.sub(b"", head),)
        if stream not in self._waiting:
            request = text.find(_REQUEST)
            if request < 0 or object_end(text[request + len(_REQUEST) :]) >= 0:
                return None
        return _Piece(stream, text, None, lambda text: head + text + b"\n")

    def _may_matter(self, line: bytes) -> bool:
        """True if a line of JSON has to be parsed. Most are whole, and contain no line of ours."""
        return bool(self._waiting) or _MATTERS.search(line) is not None or _is_of_docker(line)


# In a line of JSON: ours, a piece, text as a list of bytes.
_MATTERS: Final = re.compile(
    rb"\[mock-llm\] |[pP](?:artial|ARTIAL)|\"logtag\"\s*:\s*\"P|line-max|\"MESSAGE\"\s*:\s*\["
)


# For text in JSON, which may end with a backslash and an n.
_LINE_END: Final = re.compile(rb"(?<!\\)(?:\\\\)*\\n\"")


def _is_of_docker(line: bytes) -> bool:
    """True if a line is from Docker and not whole."""
    return b'"log"' in line and b'"stream"' in line and _LINE_END.search(line) is None


def _records(line: bytes) -> list[_Record]:
    """The objects in a line of JSON: one, or a list of them; none for other JSON."""
    start = starts_json(line)
    if start is None:
        return []
    value = read_after(start, line)
    objects = value if isinstance(value, list) else [value]
    return [_Record(start[0], each) for each in objects if isinstance(each, dict)]


def _of_json(record: _Record) -> _Piece | None:
    key, text = _text_of(record.value)
    if not key:
        return None
    value = record.value
    members = ((name.lower(), str(of).lower()) for name, of in value.items())
    flags = {name: of for name, of in members if "partial" in name}
    if isinstance(tag := value.get("logtag"), str):
        is_last = not tag.startswith("P")
    elif flags:
        is_last = any(name.endswith("last") and of == "true" for name, of in flags.items())
        is_last = is_last or "true" not in flags.values()
    elif value.get("_LINE_BREAK") == "line-max":
        is_last = False
    elif key == "log" and "stream" in value:
        is_last = text.endswith("\n")
    else:
        is_last = True
    stream = (record.before, *_identity(value, key))
    if not is_last or text.endswith("\n"):
        text = text.removesuffix("\n")
    data = text.encode("utf-8", "backslashreplace")
    return _Piece(stream, data, is_last, _joined_json)


def _text_of(record: Mapping[str, Any]) -> tuple[str, str]:
    """The key and the text of a record; both are "" if it has none that is written in pieces."""
    texts = ((key, _text(record[key])) for key in record if key.lower() in _TEXT_KEYS)
    return next((of_key for of_key in texts if of_key[1]), ("", ""))


def _text(value: object) -> str:
    """A text, which journald may write as a list of bytes; "" if it is none."""
    if isinstance(value, str):
        return value
    try:
        return bytes(value).decode("utf-8", "replace") if isinstance(value, list) else ""
    except (TypeError, ValueError):  # a list of anything else
        return ""


def _joined_json(text: bytes) -> bytes:
    written = json.dumps({"log": text.decode("utf-8", "replace")}, ensure_ascii=False)
    return written.encode("utf-8", "backslashreplace") + b"\n"


def _identity(value: Mapping[str, Any], text_key: str) -> tuple[object, ...]:
    """Values that are the same in all pieces of a line, and differ for other writers."""
    return tuple(
        (name, json.dumps(of, sort_keys=True))
        for name, of in value.items()
        if name != text_key and name != "_LINE_BREAK" and not _OF_PIECE.search(name.lower())
    )


def _is_whole(text: bytes) -> bool:
    """True if text is a complete log line of ours."""
    own = _OWN_LINE.match(text)
    if own is None:
        return False
    content = text[own.end() :]
    if content.startswith(b"request: {"):
        return content.endswith(b"}") and object_end(content[9:]) == len(content) - 9
    return _WHOLE_HASH.match(content) is not None
