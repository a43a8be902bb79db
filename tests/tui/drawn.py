"""What stands on a screen, put together from what its widgets draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual.errors import NoWidget
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget


def drawn_rows(screen: Screen[Any]) -> list[Strip]:
    """The rows of a screen from top to bottom."""
    rows = list(screen.render_lines(screen.region))
    found = [(widget, screen.find_widget(widget)) for widget in _shown(screen)]
    for widget, place in sorted(found, key=lambda item: item[1].order):  # the topmost one last
        seen = place.region.intersection(place.clip).intersection(screen.region)
        parts = widget.render_lines(seen.translate(-place.region.offset))
        for y, part in zip(seen.line_range, parts, strict=True):
            left, right = rows[y].crop(0, seen.x), rows[y].crop(seen.right)
            rows[y] = Strip.join([left, part, right])
    return rows


def drawn_text(screen: Screen[Any]) -> str:
    """The text of a screen, line by line."""
    return "\n".join(row.text for row in drawn_rows(screen))


def _shown(screen: Screen[Any]) -> Iterator[Widget]:
    """The widgets with a place on the screen, and their scroll bars."""
    for widget in screen.walk_children(Widget):
        vertical, horizontal = widget.scrollbars_enabled
        bars = [widget.vertical_scrollbar] * vertical + [widget.horizontal_scrollbar] * horizontal
        for part in (widget, *bars):
            if part.visible and _has_place(screen, part):
                yield part


def _has_place(screen: Screen[Any], widget: Widget) -> bool:
    try:
        place = screen.find_widget(widget)
    except NoWidget:
        return False
    return bool(place.region.intersection(place.clip))
