"""Puts the screen together at the cost of the lines that changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from textual._compositor import Compositor, CompositorUpdate, LayoutUpdate
from textual.geometry import Region, Size
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
    """Paints from front to back, and asks a widget only for lines of which something is seen. A
    line is cut only where another widget is before it: most go out as the widgets keep them.

    Textual's asks every widget for all its lines, those of the containers behind as well, and cuts
    each line wherever any widget begins or ends.
    """

    # The visible widgets, and of each what is seen of it where nothing is before it.
    _laid_out: Mapping[Widget, tuple[Region, Region]] | None = None
    _shown: list[tuple[Widget, Region, Region]]

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        self._dirty_regions.clear()
        lines = self._lines(self.size)
        if simplify:
            lines = [[Strip.join(line).simplify().discard_meta()] for line in lines]
        return LayoutUpdate([*lines], self.size.region)

    # Who calls it takes any update.
    def render_partial_update(self) -> LinesUpdate | None:  # type: ignore[override]
        parts = _joined(part.intersection(self.size.region) for part in self._dirty_regions)
        self._dirty_regions.clear()
        lines = [piece for part in parts for piece in self.paint(part)]
        return LinesUpdate(lines) if lines else None

    def render_strips(self, size: Size | None = None) -> list[Strip]:
        return [Strip.join(line) for line in self._lines(size or self.size)]

    def _lines(self, size: Size) -> list[list[Strip]]:
        """What is seen of each line, from left to right."""
        lines: list[list[Strip]] = [[] for _ in range(size.height)]
        for _, y, strip in self.paint(size.region):
            lines[y].append(strip)
        return lines

    def paint(self, part: Region) -> list[tuple[int, int, Strip]]:
        """What is seen of a part of the screen: column, line and strip, in the order of reading."""
        painted: list[tuple[int, int, Strip]] = []
        # What nothing is painted on yet: stretches of columns by line.
        bare = {y: [part.column_span] for y in part.line_range}
        for widget, region, shown in self._from_front():
            seen = shown.intersection(part)
            taken: dict[int, list[tuple[int, int]]] = {}
            for y in seen.line_range:
                inside, outside = _parted(bare.get(y, ()), seen)
                if inside:
                    taken[y], bare[y] = inside, outside
            if not taken:
                continue
            top, bottom = min(taken), max(taken) + 1
            # Whole lines: what a widget draws is cut where widgets meet, not where ``part`` ends.
            wanted = Region(shown.x, top, shown.width, bottom - top)
            strips = widget.render_lines(wanted.translate(-region.offset))
            for y, stretches in taken.items():
                for left, right in stretches:
                    strip = strips[y - top]
                    if (left, right) != shown.column_span:
                        strip = strip.crop(left - shown.x, right - shown.x)
                    painted.append((left, y, strip))
            if not any(bare.values()):
                break
        painted.sort(key=lambda piece: (piece[1], piece[0]))
        return painted

    def _from_front(self) -> list[tuple[Widget, Region, Region]]:
        """The visible widgets, where they are, and what is seen where nothing is before them."""
        if self._laid_out is not self.visible_widgets:
            self._laid_out = self.visible_widgets
            self._shown = [
                (widget, region, clip.intersection(region))
                for widget, (region, clip) in self._laid_out.items()
            ]
        return self._shown


def _parted(
    stretches: Iterable[tuple[int, int]], region: Region
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Stretches of columns, parted where a region begins and ends: what is inside, what outside."""
    inside, outside = [], []
    for begin, end in stretches:
        left, right = max(begin, region.x), min(end, region.right)
        if left >= right:
            outside.append((begin, end))
            continue
        inside.append((left, right))
        outside += [(a, b) for a, b in ((begin, left), (right, end)) if a < b]
    return inside, outside


def _joined(parts: Iterable[Region]) -> list[Region]:
    """Regions with those made one that stand below one another."""
    joined: list[Region] = []
    for part in sorted(parts, key=lambda part: part.y):
        if joined and joined[-1].bottom >= part.y and joined[-1].column_span == part.column_span:
            joined[-1] = joined[-1].union(part)
        elif part:
            joined.append(part)
    return joined
