"""Places in JSON text, and edits of it."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from workbench.core.text.wording import cut

Path: TypeAlias = tuple[str | int, ...]

STRING: Final = r'"(?s:[^"\\]*+(?:\\.[^"\\]*+)*+)(?:"|\\?\Z)'
"""The pattern of a JSON string. A string without an end goes to the end of the text: a search would
otherwise begin again at each quote in it, and take minutes for a long one.
"""


class Edit(NamedTuple):
    """Replace ``text[start:end]`` by ``new``."""

    start: int
    end: int
    new: str


def line_column(text: str, offset: int) -> tuple[int, int]:
    """Line and column of ``offset``, both from 1; only ``\\n`` ends a line."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1


def dotted(path: Path) -> str:
    """``a.b[0].c``."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{cut(step)}" for step in path)
    return text.removeprefix(".")
