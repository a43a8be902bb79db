"""Several line filters as one."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter


class FilterChain(LineFilter):
    """Applies filters one after another. Given to Textual one by one, each of them would leave a
    strip with caches of its own for every line that is drawn.
    """

    def __init__(self, filters: Sequence[LineFilter]) -> None:
        super().__init__()
        self.filters = filters

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        for each in self.filters:
            segments = each.apply(segments, background)
        return segments
