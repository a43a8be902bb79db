"""Drawing a few lines of one widget without composing the screen.

Textual draws by asking every widget in view for all its lines, cached ones mostly, and keeps of
them what changed: for two rows of a list that takes several times as long as the rows themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console, ConsoleOptions, RenderResult
from rich.control import Control
from textual._compositor import CompositorUpdate
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


class LineDrawing:
    """Draws what is to be drawn again of one widget."""

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        # As the screen is laid out: new ones come with a new layout.
        self._layout: Mapping[Widget, tuple[Region, Region]] = {}
        self._region = Region()
        self._before: list[Region] = []

    def draw(self) -> bool:
        """Draw now. False, and nothing is done, where it takes the whole screen: that is to be laid
        out, or something stands before these lines.
        """
        widget = self._widget
        screen, app = widget.screen, widget.app
        if not screen.is_current or screen._layout_required or app._batch_count or app.is_inline:
            return False
        self._look_at_layout(screen._compositor.visible_widgets)
        parts = [part.translate(self._region.offset) for part in widget._repaint_regions]
        if not all(self._is_plain(part) for part in parts):
            return False
        widget._exchange_repaint_regions()
        lines = []
        for part in _joined(parts):
            strips = widget.render_lines(part.translate(-self._region.offset))
            lines += [(part.x, y, strip) for y, strip in enumerate(strips, start=part.y)]
        if lines:
            app._display(screen, LinesUpdate(lines))
        return True

    def _look_at_layout(self, layout: Mapping[Widget, tuple[Region, Region]]) -> None:
        """Find where the widget is and what stands before it: its scroll bars too."""
        if layout is self._layout:
            return
        self._layout = layout
        self._region, self._before = Region(), []
        before: list[Region] = []
        for widget, (region, clip) in layout.items():  # from front to back
            shown = region.intersection(clip)
            if widget is self._widget:
                if shown == region:
                    self._region = region
                    self._before = [part for part in before if part.overlaps(region)]
                break
            before.append(shown)

    def _is_plain(self, part: Region) -> bool:
        """Whether a part of the screen shows the widget alone."""
        return self._region.contains_region(part) and not any(map(part.overlaps, self._before))


def _joined(parts: list[Region]) -> list[Region]:
    """Regions with those made one that stand below one another."""
    joined: list[Region] = []
    for part in sorted(parts, key=lambda part: part.y):
        if joined and joined[-1].bottom >= part.y and joined[-1].column_span == part.column_span:
            joined[-1] = joined[-1].union(part)
        elif part:
            joined.append(part)
    return joined
