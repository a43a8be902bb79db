"""Puts the screen together at the cost of the lines that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from textual._compositor import ChopsUpdate, Compositor, CompositorUpdate
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget


class LinesUpdate(CompositorUpdate):
    """Strips, each from its place on the screen on: column, line, strip."""

    def __init__(self, lines: list[tuple[int, int, Strip]]) -> None:
        self.lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for x, y, strip in self.lines:
            yield Control.move_to(x, y).segment
            yield from strip

    def render_segments(self, console: Console) -> str:
        return "".join(
            f"{Control.move_to(x, y).segment.text}{strip.render(console)}"
            for x, y, strip in self.lines
        )


class LineCompositor(Compositor):
    """Asks widgets only for lines that are to be drawn, and none behind one that covers them all.
    Textual's asks all for all their lines, so that a row of a list costs as much as the containers
    round it are high.
    """

    # The visible widgets, and of each what is seen of it where nothing is before it.
    _laid_out: Mapping[Widget, tuple[Region, Region]] | None = None
    _shown: list[tuple[Widget, Region, Region]]

    # Who calls it takes any update.
    def render_partial_update(self) -> LinesUpdate | ChopsUpdate | None:  # type: ignore[override]
        """What changed. Where each part of it is in one widget alone, its lines go out as they are,
        and nothing is put together.
        """
        lines = []
        for part in _joined(self._dirty_regions):
            found = self._only_widget(part)
            if found is None:
                return super().render_partial_update()
            widget, region = found
            strips = widget.render_lines(part.translate(-region.offset))
            lines += [(part.x, y, strip) for y, strip in enumerate(strips, start=part.y)]
        self._dirty_regions.clear()
        return LinesUpdate(lines) if lines else None

    def _only_widget(self, part: Region) -> tuple[Widget, Region] | None:
        """The widget that alone is seen in a part of the screen, and where it is."""
        if self._laid_out is not self.visible_widgets:
            self._laid_out = self.visible_widgets
            self._shown = [
                (widget, region, clip.intersection(region))
                for widget, (region, clip) in self._laid_out.items()
            ]
        # From front to back.
        for widget, region, shown in self._shown:
            if shown.overlaps(part):
                return (widget, region) if shown.contains_region(part) else None
        return None

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


def _joined(parts: Iterable[Region]) -> list[Region]:
    """Regions with those made one that stand below one another."""
    joined: list[Region] = []
    for part in sorted(parts, key=lambda part: part.y):
        if joined and joined[-1].bottom >= part.y and joined[-1].column_span == part.column_span:
            joined[-1] = joined[-1].union(part)
        elif part:
            joined.append(part)
    return joined
