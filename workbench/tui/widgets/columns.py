"""The columns of a list, declared as data, and the lines they make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Generic, Literal, NamedTuple, TypeVar

from textual.content import Content

Item = TypeVar("Item")

# More than any terminal is wide.
ANY_WIDTH: Final = 1 << 20


class Column(NamedTuple, Generic[Item]):
    """One column.

    Attributes:
        title: shown above it, in a list that has a head.
        cell: the text of an item with its style; None to give its room to the previous cell.
        width: in cells, including the gap; None for a share of the rest.
        gap: how many blanks separate it from the next column.
        from_width, below_width: the widths of the lists that have this column.
    """

    title: str
    cell: Callable[[Item], Content | None]
    width: int | None = None
    share: int = 1
    align: Literal["left", "right"] = "left"
    gap: int = 1
    from_width: int = 0
    below_width: int = ANY_WIDTH


def widths(columns: Sequence[Column[Item]], width: int) -> list[int]:
    """How wide each column is in a line of ``width`` cells."""
    left = max(width - sum(column.width or 0 for column in columns), 0)
    shares = sum(column.share for column in columns if column.width is None)
    cells = []
    for column in columns:
        if column.width is not None:
            cells.append(column.width)
        else:
            cells.append(left * column.share // shares)
            left, shares = left - cells[-1], shares - column.share
    return cells


def row_line(
    columns: Sequence[Column[Item]], cells: Sequence[Content | None], width: int
) -> Content:
    """The cells of a row in one line of at most ``width`` cells."""
    line = Content("")
    rest = list(zip(columns, cells, widths(columns, width), strict=True))
    while rest:
        column, cell, room = rest.pop(0)
        gap, align = column.gap, column.align
        while rest and rest[0][1] is None:
            after, _, more = rest.pop(0)
            room, gap, align = room + more, after.gap, "left"
        cut = (cell or Content("")).truncate(max(room - gap, 0), ellipsis=True)
        blank = max(room - gap - cut.cell_length, 0)
        padded = cut.pad_left(blank) if align == "right" else cut.pad_right(blank)
        line += padded.pad_right(gap)
    return line.truncate(width)
