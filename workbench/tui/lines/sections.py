"""Lines in sections that can be folded and copied: messages, tools, values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from workbench.tui.lines.line_layout import Line, hidden_after


class Section(NamedTuple):
    """Lines that belong together.

    Attributes:
        key: unique in its view; "" for lines that cannot become the current section.
        folded: makes the line that replaces the section while it is folded; None if it cannot be
            folded.
        beginning: makes the lines below that one: the beginning of a long text.
        copied: makes the text to copy.
        inside: makes the sections that are hidden while it is folded, and follow it otherwise.
    """

    key: str
    head: Line
    folded: Callable[[], Line] | None = None
    beginning: Callable[[], Iterable[Line]] = tuple
    body: Callable[[], Iterable[Line]] = tuple
    copied: Callable[[], str] = str
    is_large: bool = False
    inside: Callable[[], Iterable[Section]] = tuple


class SectionIndex:
    """The sections of a view whose lines were made so far, and the numbers of their first lines.

    Args:
        toggled: keys of the sections that are not as they start: folded or unfolded.
        sought: sections in which this is found are not folded.
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
        """All lines, numbered from ``first``."""
        number = first
        for section, is_folded in self._shown():
            if section.key:
                self.sections.append(section)
                self.heads.append(number)
            yield section.folded() if is_folded and section.folded else section.head
            number += 1
            for line in section.beginning() if is_folded else section.body():
                yield line
                number += 1

    def _shown(self) -> Iterator[tuple[Section, bool]]:
        """The sections that are not inside a folded one, each with True if it is folded."""
        for section in self._source:
            is_folded = self._is_folded(section)
            yield section, is_folded
            if not is_folded:
                yield from ((below, self._is_folded(below)) for below in section.inside())

    def _is_folded(self, section: Section) -> bool:
        if section.folded is None or section.is_large == (section.key in self._toggled):
            return False
        sought = self._sought
        if sought is None:
            return True
        hidden = chain((section,), section.inside())
        return not any(_is_found(sought, (each.head, *each.body())) for each in hidden)

    def at(self, line: int) -> int:
        """The number of the section that contains a line; -1 before the first."""
        return bisect_right(self.heads, line) - 1


def _is_found(sought: re.Pattern[str], lines: Iterable[Line]) -> bool:
    """True if the text is found in lines or in the hidden rest of a line that was cut."""
    before = ""
    for line in lines:
        hidden = hidden_after(line)
        if sought.search(line.plain) or (
            hidden and sought.search(before[-len(sought.pattern) :] + hidden)
        ):
            return True
        before = line.plain
    return False
