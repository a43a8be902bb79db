"""JSON documents that are written on many lines, as exports of logs are: as one line for each."""

from __future__ import annotations

import json
import re
from typing import Final

# A document begins with such a line; the lines in it are indented, and its last one is not.
_BEGIN: Final = re.compile(rb"(?:\xef\xbb\xbf)?[\[{\s]*")
_LINE: Final = re.compile(rb"[^\n]*\n")
_INSIDE: Final = (b" ", b"\t", b"\r", b"\n")
_END: Final = (b"}", b"]")


class Documents:
    """Reads the documents at the beginning of a log. Later documents are not recognised.

    Args:
        limit: in bytes. A longer document is passed on unchanged.

    Attributes:
        is_done: True if no more documents can follow, so that nothing needs to be fed.
    """

    def __init__(self, limit: int) -> None:
        self.is_done = False
        self._limit = limit
        self._lines: list[bytes] = []
        self._size = 0
        self._rest = b""

    def feed(self, data: bytes) -> bytes:
        """The text to parse instead of ``data``, which may be cut anywhere: each document as a
        line, or as a line for each element of its list; anything else unchanged.
        """
        data = self._rest + data
        passed: list[bytes] = []
        at = 0
        # Without an end, the search would begin again at each byte of an unfinished line.
        for line in _LINE.finditer(data, 0, data.rfind(b"\n") + 1):
            self._take(line[0], passed)
            at = line.end()
            if self.is_done:
                break
        self._rest = data[at:]
        if self.is_done or not self._may_go_on():
            passed.append(self.rest())
        return b"".join(passed)

    def rest(self) -> bytes:
        """The end of what was fed: a document whose last line has no end, or what there is of
        one.
        """
        self._add(self._rest)
        is_end = not self.is_done and self._rest.startswith(_END)
        passed = self._compact() if is_end else self._taken()
        self._rest, self.is_done = b"", True
        return passed

    def _may_go_on(self) -> bool:
        """True if the text so far can be the beginning of a document."""
        is_short = self._size + len(self._rest) < self._limit
        return is_short and (bool(self._lines) or _BEGIN.fullmatch(self._rest) is not None)

    def _take(self, line: bytes, passed: list[bytes]) -> None:
        self._add(line)
        if len(self._lines) == 1:
            self.is_done = _BEGIN.fullmatch(line) is None
            if not line.strip():
                passed.append(self._taken())
        elif line.startswith(_END):
            passed.append(self._compact())
        else:
            self.is_done = not line.startswith(_INSIDE)

    def _add(self, line: bytes) -> None:
        self._lines.append(line)
        self._size += len(line)

    def _taken(self) -> bytes:
        lines, self._lines, self._size = b"".join(self._lines), [], 0
        return lines

    def _compact(self) -> bytes:
        lines = self._taken()
        try:
            value = json.loads(lines.decode("utf-8-sig", "replace").strip().rstrip(","))
        except (ValueError, RecursionError):  # it is cut, or something else
            self.is_done = True
            return lines
        items = value if isinstance(value, list) else [value]
        return b"".join(json.dumps(item).encode("ascii") + b"\n" for item in items)
