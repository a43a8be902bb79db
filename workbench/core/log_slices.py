"""Finding our lines in a log that is read in slices, without splitting the lines of others."""

from __future__ import annotations

from typing import Generic, TypeVar

from workbench.core.log_lines import MARK

_MARK = MARK.encode()

Found = TypeVar("Found")


class LogSlices(Generic[Found]):
    """Puts whole lines together from slices of any size, cut anywhere.

    Lines end at ``\\n`` bytes only: dumps hold U+2028 and U+0085 as they are. A line without an end
    waits for the rest of it, or for ``close``.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []
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
            if data:
                self._parts.append(data)
            return []
        found: list[Found] = []
        begin = 0
        if self._parts:
            begin = data.find(b"\n") + 1
            found += self._take(b"".join([*self._parts, data[:begin]]))
        found += self.find(data, begin, end, self._line_start)
        self._line_start += end - begin
        self._parts = [data[end:]] if end < len(data) else []
        return found

    def close(self) -> list[Found]:
        """What is in a last line that has no end."""
        line = b"".join(self._parts)
        self._parts = []
        return self._take(line)

    def restart(self) -> None:
        """Forget the half line: the log begins anew (truncated, replaced)."""
        self._parts = []
        self._line_start = 0

    def _take(self, line: bytes) -> list[Found]:
        found = self.find(line, 0, len(line), self._line_start)
        self._line_start += len(line)
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
