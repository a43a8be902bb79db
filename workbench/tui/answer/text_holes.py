"""Where the holes of a text in an editor are, and which of them are still to be filled in."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Any, NamedTuple

from textual.widgets.text_area import Location, Selection

from workbench.core.fixture.holes import Hole, holes
from workbench.core.json.spans import Path
from workbench.core.text.common_prefix import prefix_length


class TextHole(NamedTuple):
    """A hole in an editor.

    Attributes:
        place: what typing replaces: of a text, a list or an object only what is inside.
        is_open: whether it still has the value of the skeleton, not typed or chosen.
    """

    hole: Hole
    place: Selection
    is_open: bool


class TextHoles:
    """The holes of an editor's text, searched for again only when the text changed.

    Attributes:
        schema: describes the text, which is JSON; None: it has no holes.
        decided: the values that were typed or chosen, even if a skeleton has the same. None if the
            text is not from a skeleton: its open holes are not marked.
    """

    def __init__(self) -> None:
        self.schema: Mapping[str, Any] | None = None
        self.decided: set[Path] | None = None
        self._text: str | None = None
        self._found: list[tuple[Hole, Selection]] = []
        # The last text that was JSON, with its holes.
        self._json: tuple[str, list[Hole]] = ("", [])

    def set_schema(self, schema: Mapping[str, Any] | None, decided: set[Path] | None) -> bool:
        """Set what describes the text; returns whether it changed."""
        is_other = schema != self.schema or decided is not self.decided
        if is_other:
            self.schema, self.decided, self._text = schema, decided, None
            self._json = ("", [])
        return is_other

    def of(self, text: str) -> list[TextHole]:
        """The holes of ``text``, in their order. Of a text that is not JSON, those after the edit
        that made it so.
        """
        if text != self._text:
            self._text, self._found = text, self._find(text)
        decided = self.decided or ()
        return [
            TextHole(hole, place, hole.is_open and hole.path not in decided)
            for hole, place in self._found
        ]

    def decide(self, text: str, at: Location) -> None:
        """Remember as decided the value in which an edit of ``text`` ended."""
        if self.decided is not None:
            self.decided.update(
                hole.path
                for hole, (start, end), _ in self.of(text)
                if start < end and start <= at <= end
            )

    def _find(self, text: str) -> list[tuple[Hole, Selection]]:
        if self.schema is None:
            return []
        found = holes(text, self.schema)
        if found:
            self._json = text, found
        else:
            found = _after_edit(*self._json, text)
        location = locations(text)
        return [(hole, Selection(location(hole.start), location(hole.end))) for hole in found]


def _after_edit(before: str, found: list[Hole], after: str) -> list[Hole]:
    """Of the holes ``found`` in ``before`` those in the end that it shares with ``after``."""
    shared = prefix_length(before[::-1], after[::-1])
    by = len(after) - len(before)
    return [
        hole._replace(start=hole.start + by, end=hole.end + by)
        for hole in found
        if hole.start > len(before) - shared
    ]


def locations(text: str) -> Callable[[int], Location]:
    """A function from an index of ``text`` to its line and column."""
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]

    def location(index: int) -> Location:
        line = bisect_right(starts, index) - 1
        return line, index - starts[line]

    return location
