"""Finding our lines in a log that is read in slices, without splitting the lines of others."""

from __future__ import annotations

from typing import Generic, TypeVar

from workbench.core.log.lines import MARK

# In bytes, twice the longest request: packed logs of few bytes hold lines of any length.
MAX_LINE = 128 * 1024 * 1024

_MARK = MARK.encode()

Found = TypeVar("Found")


class LogSlices(Generic[Found]):
    """Puts whole lines together from slices of any size, cut anywhere.

    Lines end at ``\\n`` bytes only: dumps hold U+2028 and U+0085 as they are. A line without an end
    waits for the rest of it, or for ``close``; of one longer than ``MAX_LINE`` only the beginning
    is kept and looked at.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._waiting = 0
        self._line_start = 0

    def find(self, block: bytes, begin: int, end: int, offset: int) -> list[Found]:
        """What is in the whole lines of ``block`` from ``begin`` to ``end``.

        Args:
            offset: the place in the log, in bytes, of what stands at ``begin``.
        """
        raise NotImplementedError

    def feed(self, data: bytes) -> list[Found]:
        """What is in the lines that end in ``data``."""
        end = data.rfind(b"\n") + 1
        if not end:
            self._wait(data)
            return []
        found: list[Found] = []
        begin = 0
        if self._waiting:
            begin = data.find(b"\n") + 1
            found += self._take(data[:begin])
        found += self.find(data, begin, end, self._line_start)
        self._line_start += end - begin
        self._wait(data[end:])
        return found

    def close(self) -> list[Found]:
        """What is in a last line that has no end."""
        return self._take(b"")

    def restart(self) -> None:
        """Forget the half line: the log begins anew (truncated, replaced)."""
        self._parts, self._waiting = [], 0
        self._line_start = 0

    def _wait(self, part: bytes) -> None:
        if self._waiting < MAX_LINE and part:
            self._parts.append(part)
        self._waiting += len(part)

    def _take(self, rest: bytes) -> list[Found]:
        """What is in the line that waits and that ends with ``rest``."""
        self._wait(rest)
        line = b"".join(self._parts)
        found = self.find(line, 0, len(line), self._line_start)
        self._line_start += self._waiting
        self._parts, self._waiting = [], 0
        return found


def marks(block: bytes, begin: int, end: int) -> list[int]:
    """Where our mark stands. Looked for from the end: CPython's ``rfind`` passes over what is no
    match a needle at a time, and takes half the time of its ``find``.
    """
    found: list[int] = []
    while (end := block.rfind(_MARK, begin, end)) >= 0:
        found.append(end)
    found.reverse()
    return found
