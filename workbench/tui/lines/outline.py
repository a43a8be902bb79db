"""Lines in sections that can be folded, gone to and copied: messages, tools, values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from workbench.tui.lines.line_layout import Line


def no_lines() -> Iterable[Line]:
    return ()


@dataclass(frozen=True, slots=True)
class Section:
    """Lines that belong together.

    Attributes:
        key: tells it from the others of its view; "" for lines that cannot be gone to.
        head: its first line.
        folded: what stands there while it is folded; None where it cannot be.
        body: its other lines, made when they are wanted.
        copied: what copying it gives.
        is_large: it starts folded.
        covers: so many of the sections that follow are hidden too while it is folded.
    """

    key: str
    head: Line
    folded: Callable[[], Line] | None = None
    body: Callable[[], Iterable[Line]] = no_lines
    copied: Callable[[], str] = str
    is_large: bool = False
    covers: int = 0


class Outline:
    """The sections of a view, as far as their lines were made.

    Args:
        toggled: keys of sections that somebody folded, or unfolded those that start so.
        sought: what is looked for: sections it occurs in are not folded.
    """

    def __init__(
        self, sections: Iterable[Section], toggled: set[str], sought: re.Pattern[str] | None = None
    ) -> None:
        self.sections: list[Section] = []
        self.heads: list[int] = []
        self._source = iter(sections)
        self._toggled = toggled
        self._sought = sought

    def lines(self, first: int) -> Iterator[Line]:
        """All lines.

        Args:
            first: the number of the first.
        """
        number = first
        for section, is_folded in self._shown():
            if section.key:
                self.sections.append(section)
                self.heads.append(number)
            yield section.folded() if is_folded and section.folded else section.head
            number += 1
            if not is_folded:
                for line in section.body():
                    yield line
                    number += 1

    def _shown(self) -> Iterator[tuple[Section, bool]]:
        """The sections that are not hidden, and whether each is folded."""
        for section in self._source:
            covered = list(islice(self._source, section.covers))
            is_folded = self._is_folded(section, covered)
            yield section, is_folded
            if not is_folded:
                yield from ((one, self._is_folded(one, ())) for one in covered)

    def _is_folded(self, section: Section, covered: Iterable[Section]) -> bool:
        if section.folded is None or section.is_large == (section.key in self._toggled):
            return False
        sought = self._sought
        if sought is None:
            return True
        hidden = [section, *covered]
        return not any(
            sought.search(line.plain) for one in hidden for line in (one.head, *one.body())
        )

    def at(self, line: int) -> int:
        """The number of the section a line belongs to; -1 before the first."""
        return bisect_right(self.heads, line) - 1
