"""The rows of a list as they were drawn last: scrolling by a line draws one new row."""

from __future__ import annotations

from collections.abc import Callable, Collection

from textual.content import Content


class DrawnRows:
    """Keeps the rows in view. Changes are reported for rows in view only, so others are dropped."""

    def __init__(self) -> None:
        self._rows: dict[str, Content] = {}
        self._width = 0

    def get(self, key: str, width: int, draw: Callable[[str, int], Content]) -> Content:
        """The row of a key in ``width`` cells, which is drawn if it is not kept."""
        if width != self._width:
            self._rows, self._width = {}, width
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = draw(key, width)
        return row

    def forget(self, keys: Collection[str]) -> None:
        """Drop rows, because they changed."""
        for key in keys:
            self._rows.pop(key, None)

    def keep(self, keys: Collection[str]) -> None:
        """Drop all other rows, because they left the view."""
        self.forget(self._rows.keys() - keys)

    def clear(self) -> None:
        self._rows.clear()
