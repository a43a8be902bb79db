"""The columns of a row."""

from __future__ import annotations

from textual.content import Content


def column(content: Content, width: int) -> Content:
    """``content`` in exactly ``width`` cells, the last of them blank; what has no room is cut."""
    cut = content.truncate(max(width - 1, 0), ellipsis=True)
    return cut.pad_right(max(width - cut.cell_length, 0))
