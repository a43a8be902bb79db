"""The result of a search in a pane, in words."""

from __future__ import annotations

from typing import Final, NamedTuple

# Of a searched text, so that there is room for what was found.
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
