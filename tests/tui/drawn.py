"""What stands on a screen, put together from what its widgets draw."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from textual.errors import NoWidget
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from workbench.tui.widgets.frame import Framed


def drawn_rows(screen: Screen[Any]) -> list[Strip]:
    """The rows of a screen from top to bottom."""
    rows = list(screen.render_lines(screen.region))
    # The topmost widget comes last.
    for _, widget, region, seen in sorted(_shown(screen), key=lambda found: found[0]):
        parts = widget.render_lines(seen.translate(-region.offset))
        for y, part in zip(seen.line_range, parts, strict=True):
            if seen.width == screen.size.width:
                rows[y] = part
            else:
                left, right = rows[y].crop(0, seen.x), rows[y].crop(seen.right)
                rows[y] = Strip.join([left, part, right])
    return rows


def drawn_text(screen: Screen[Any]) -> str:
    """The text of a screen, line by line."""
    return "\n".join(row.text for row in drawn_rows(screen))


def facts_of(pane: Framed) -> str:
    """What the frame of a pane says, if there is room."""
    return " · ".join(fact.plain for fact in pane.facts() if fact)


def _shown(screen: Screen[Any]) -> Iterator[tuple[tuple[object, ...], Widget, Region, Region]]:
    """The widgets with a place on the screen and their scroll bars: for each its order, its region,
    and the part of that which can be seen.
    """
    for widget in screen.walk_children(Widget):
        vertical, horizontal = widget.scrollbars_enabled
        bars = [widget.vertical_scrollbar] * vertical + [widget.horizontal_scrollbar] * horizontal
        for part in (widget, *bars):
            with suppress(NoWidget):
                place = screen.find_widget(part)
                seen = place.region.intersection(place.clip).intersection(screen.region)
                if seen and part.visible:
                    yield place.order, part, place.region, seen
