"""Parts of the text that is shown in place of the misses."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from workbench.tui.widgets.labels import named_key

INDENT: Final = "  "
BETWEEN: Final = "   "


def keys(*pairs: tuple[str, str], width: int | None = None) -> Content:
    """``r run again   q quit``, indented; as many as there is room for in ``width`` cells."""
    line = Content(INDENT) + Content(BETWEEN).join(named_key(*pair) for pair in pairs)
    if width is not None and len(pairs) > 1 and line.cell_length > width:
        return keys(*pairs[:-1], width=width)
    return line
