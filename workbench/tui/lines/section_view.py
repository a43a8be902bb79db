"""A view of sections that can be folded and searched; one is the current section."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Final, NamedTuple

from textual import events

from workbench.tui.lines.line_layout import Line, hidden_after
from workbench.tui.lines.line_view import LineView, Match
from workbench.tui.lines.sections import Section, SectionIndex

# Of a searched text, so that there is room for its matches.
_LONGEST_SOUGHT: Final = 20


class SearchResult(NamedTuple):
    """The result of a search.

    Attributes:
        sought: the searched text; "" for no search.
        at: the number of the current match, from 0; -1 before the first.
        shown: how many matches there are.
        hidden: how many more in text that is shown in part.
    """

    sought: str
    at: int
    shown: int
    hidden: int

    @property
    def _brief(self) -> str:
        is_long = len(self.sought) > _LONGEST_SOUGHT
        return f"{self.sought[:_LONGEST_SOUGHT]}…" if is_long else self.sought

    @property
    def _count(self) -> str:
        count = f"{self.shown:,} found"
        return count if self.at < 0 else f"{self.at + 1:,} of {self.shown:,}"

    def facts(self) -> str:
        """For a frame: ``/ london  2 of 5``; "" without a search."""
        if not self.sought:
            return ""
        if not self.shown:
            count = f"{self.hidden:,} found, not shown" if self.hidden else "not found"
        else:
            count = self._count + (f", {self.hidden:,} more not shown" if self.hidden else "")
        return f"/ {self._brief}  {count}"

    def sentence(self, where: str) -> str:
        """For the status line; "" without a search.

        Args:
            where: what was looked through: ``in this view of the request``.
        """
        if not self.sought:
            return ""
        more = f"{self.hidden:,} {'more ' if self.shown else ''}in texts that are not shown"
        if self.shown:
            sentence = f'"{self._brief}": {self._count} {where}.'
            return f"{sentence} {more[0].upper()}{more[1:]}." if self.hidden else sentence
        if self.hidden:
            return f'"{self._brief}": {more} {where}; y copies them whole.'
        return f'"{self._brief}" is not {where}.'


class SectionView(LineView):
    """Shows sections. The current one is the first in view, unless another was chosen that still
    is in view.

    Attributes:
        start: the key of the section that is shown first, also in another size, until you
            scroll; "" for none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sought = ""  # the text that is searched; "" for none
        self._notice: Sequence[Line] = ()
        self._make: Callable[[], Iterable[Section]] = tuple
        self._toggled: set[str] = set()
        self._index = SectionIndex((), set())
        self._current = 0
        self.start = ""
        self._start_top = 0  # the row at the top then
        self._is_marked = False
        self._search_matches: list[Match] = []
        self._chosen_match = -1  # the match gone to; -1 before the first
        self._hidden_matches = 0  # how many more in text that is shown in part

    def show_sections(
        self,
        notice: Sequence[Line],
        make: Callable[[], Iterable[Section]],
        *,
        start: str = "",
        keep_place: bool = False,
        is_same: bool = False,
    ) -> None:
        """Show sections, after a notice: ``make`` makes them, now and again after folding. If they
        are the same as before, folded sections stay folded, and the current section and match are
        kept.

        Args:
            start: the key of the section to begin with, also in another size, until you scroll; ""
                for the top.
        """
        self._notice, self._make = notice, make
        if is_same:
            self._rebuild_around_current()
            return
        self._toggled, self._chosen_match, self.start = set(), -1, start
        self._rebuild(keep_place=keep_place)
        if start:
            self._go_to_start()
        else:
            self._make_current(self._index.at(self.top_line))

    def _go_to_start(self) -> None:
        number = self._number_of(self.start)
        if number is not None:
            self.scroll_to_line(self._index.heads[number])
            self._make_current(number)
        self._start_top = self.top

    def on_resize(self) -> None:
        """Keep what is shown first in view, unless you scrolled."""
        if self.start and self.top == min(self._start_top, self.max_scroll_y):
            self._go_to_start()

    def _rebuild(self, *, keep_place: bool) -> None:
        """Make the sections again, since others are folded or others are shown."""
        pattern = self._pattern
        self._index = SectionIndex(self._make(), self._toggled, pattern)
        self.show(chain(self._notice, self._index.lines(len(self._notice))), keep_place=keep_place)
        self._search_matches, self._hidden_matches = [], 0
        if pattern is not None:
            lines = self.complete()
            self._search_matches = [
                Match(number, *place.span())
                for number, line in enumerate(lines)
                for place in pattern.finditer(line.plain)
            ]
            self._hidden_matches = sum(
                self._count_hidden(pattern, lines[number - 1].plain, hidden)
                for number, line in enumerate(lines)
                if (hidden := hidden_after(line))
            )
        if self._chosen_match >= len(self._search_matches):
            self._chosen_match = -1
        self._mark_matches()

    def _rebuild_around_current(self) -> None:
        """Make the sections again; the current one stays the same, and in view if it was."""
        sections, current = self._index.sections, self._current
        key = sections[current].key if current < len(sections) else None
        was_in_view = key is not None and self._reaches_view(current)
        self._rebuild(keep_place=True)
        number = self._number_of(key) if key is not None else None
        if number is None:
            self._make_current(self._index.at(self.top_line))
            return
        if was_in_view and not self._reaches_view(number):
            self.scroll_to_line(self._index.heads[number])
        self._make_current(number)

    def _number_of(self, key: str) -> int | None:
        """The number of a section, which is laid out now; None if it is not there."""
        while key not in (keys := [section.key for section in self._index.sections]):
            if not self.make_more():
                return None
        return keys.index(key)

    def _reaches_view(self, number: int) -> bool:
        """True if any line of a section is in view."""
        head = self._index.heads[number]
        return self.is_in_view(head) or self._index.at(self.top_line) == number

    # The current section

    def set_marked(self, is_marked: bool) -> None:
        """Highlight the current section, or not."""
        self._is_marked = is_marked
        self._make_current(self._current)

    def _make_current(self, number: int) -> None:
        while len(self._index.heads) <= number and self.make_more():
            pass
        self._current = max(min(number, len(self._index.heads) - 1), 0)
        heads = self._index.heads
        self.set_cursor(heads[self._current] if self._is_marked and heads else None)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        heads = self._index.heads
        if self._current < len(heads) and not self.is_in_view(heads[self._current]):
            self._make_current(self._index.at(self.top_line))

    def go(self, by: int) -> None:
        """Scroll to a section before or after the current one."""
        self._make_current(self._current + by)
        current = self._current
        if self._index.heads:
            self.scroll_to_line(self._index.heads[current])
            self._make_current(current)  # even if it could not be scrolled to the top

    def fold(self) -> None:
        """Fold or unfold the current section."""
        if self._current < len(self._index.sections):
            self._toggled ^= {self._index.sections[self._current].key}
            self._rebuild_around_current()

    def copied(self) -> str:
        """The text of the current section to copy; "" if there is none."""
        sections = self._index.sections
        return sections[self._current].copied() if self._current < len(sections) else ""

    def on_click(self, event: events.Click) -> None:
        """A click chooses a section; a click on its head also folds it. Where the mouse marked
        text, it was let go and not clicked.
        """
        offset = event.get_content_offset(self)
        line = self.line_at(offset.y) if offset is not None else None
        if line is None or self.text_selection is not None or not self._index.heads:
            return
        self._make_current(self._index.at(line))
        if self._index.heads[self._current] == line:
            self.fold()

    # Finding

    @property
    def _pattern(self) -> re.Pattern[str] | None:
        return re.compile(re.escape(self.sought), re.IGNORECASE) if self.sought else None

    def _count_hidden(self, pattern: re.Pattern[str], shown: str, hidden: str) -> int:
        """How often the text is found from the end of a line on, in what follows unseen."""
        overlap = shown[max(len(shown) - len(self.sought) + 1, 0) :]
        return sum(1 for _ in pattern.finditer(overlap + hidden))

    def find(self, text: str) -> None:
        """Mark where ``text`` is found, unfolding sections, and go to the next place."""
        if text == self.sought:
            return
        self.sought = text
        self._rebuild_around_current()
        after = (n for n, match in enumerate(self._search_matches) if match.line >= self.top_line)
        self._go_to_match(next(after, 0))

    def next_match(self, by: int) -> None:
        """Go to the next or previous match, around the end."""
        self._go_to_match(self._chosen_match + by if self._chosen_match >= 0 else min(by, 0))

    def _go_to_match(self, number: int) -> None:
        if not self._search_matches:
            return
        self._chosen_match = number % len(self._search_matches)
        self._mark_matches()
        match = self._search_matches[self._chosen_match]
        self.scroll_to_match(match)
        self._make_current(self._index.at(match.line))

    def _mark_matches(self) -> None:
        chosen = self._search_matches[self._chosen_match] if self._chosen_match >= 0 else None
        self.set_matches(self._search_matches, chosen)

    @property
    def search(self) -> SearchResult:
        """The result for the searched text."""
        return SearchResult(
            self.sought, self._chosen_match, len(self._search_matches), self._hidden_matches
        )
