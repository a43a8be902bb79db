"""Whether the screen is seen as it is."""

from __future__ import annotations

from textual.widget import Widget


def is_covered(widget: Widget) -> bool:
    """Whether another window covers the terminal of a widget, or it is too small: what has no focus
    then gets it back.
    """
    return not widget.app.app_focus or widget.screen.has_class("-too-small")
