"""Puts the screen together at the cost of the lines that changed."""

from __future__ import annotations

from collections.abc import Iterable

from textual._compositor import Compositor
from textual.geometry import Region
from textual.strip import Strip


class LineCompositor(Compositor):
    """Asks widgets only for lines that are to be drawn, and none behind one that covers them all.
    Textual's asks all for all their lines, so that a row of a list costs as much as the containers
    round it are high.
    """

    def _get_renders(
        self, crop: Region | None = None
    ) -> Iterable[tuple[Region, Region, list[Strip]]]:
        crop = crop or self.size.region
        # Whole lines: what a widget draws is cut where widgets meet, not where ``crop`` ends.
        lines = Region(0, crop.y, self.size.width, crop.height)
        # From front to back.
        for widget, (region, clip) in self.visible_widgets.items():
            shown = clip.intersection(region)
            if crop.overlaps(shown):
                seen = clip.intersection(lines)
                part = region.intersection(seen).translate(-region.offset)
                yield region, seen, widget.render_lines(part)
                if shown.contains_region(crop):
                    return
