"""A label whose words change often."""

from __future__ import annotations

from textual.content import Content
from textual.geometry import Size
from textual.visual import VisualType
from textual.widgets import Label

from workbench.tui.widgets.buttons import Buttons


class SteadyLabel(Buttons, Label):
    """Lays out the screen anew only where other words need other room: a layout costs more than
    everything else a key in a list does.
    """

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        if isinstance(content, Content) and _are_same(content, self.content):
            return
        before = self._room_needed()
        super().update(content, layout=False)
        if layout and self._room_needed() != before:
            self.refresh(layout=True)

    def _room_needed(self) -> Size:
        """What the words take, as far as that decides how large the label is."""
        container, viewport = self.container_size, self.app.size
        width, height = self.styles.width, self.styles.height
        return Size(
            self.get_content_width(container, viewport) if width and width.is_auto else 0,
            self.get_content_height(container, viewport, self.content_size.width)
            if height and height.is_auto
            else 0,
        )


def _are_same(content: Content, before: VisualType) -> bool:
    return isinstance(before, Content) and content.is_same(before)
