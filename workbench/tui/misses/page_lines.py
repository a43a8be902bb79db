"""Parts of the text that stands in place of the misses."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from workbench.tui.widgets.styles import KEY

INDENT: Final = "  "


def keys(*pairs: tuple[str, str]) -> Content:
    """``r run again   q quit``, indented."""
    parts = [Content.styled(key, KEY) + Content(f" {what}") for key, what in pairs]
    return Content(INDENT) + Content("   ").join(parts)
