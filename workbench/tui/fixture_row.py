"""One fixture as one line: file, findings, last hit, rot, what it answers, description."""

from __future__ import annotations

from datetime import datetime

from textual.content import Content

from workbench.core.digest import short
from workbench.session.fixtures.index import FixtureEntry
from workbench.session.misses.miss_index import Hits
from workbench.session.wording import brief_count, brief_time, counted
from workbench.tui.columns import column
from workbench.tui.inert import one_line
from workbench.tui.styles import ERROR, MUTED, SUCCESS, WARNING

NAME_WIDTH = 14
FINDINGS_WIDTH = 13
HIT_WIDTH = 10
ROT_WIDTH = 14
# Below this, hits and rot leave their room to what the fixture answers.
WIDE = 100


def fixture_row(entry: FixtureEntry, width: int, hit: str, *, selected: bool) -> Content:
    """The row of ``entry``, ``width`` cells wide.

    Args:
        hit: how long ago it was served last, and how often, in a few characters.
    """
    text, style = _verdict(entry)
    line = Content("> " if selected else "  ")
    line += column(one_line(short(entry.digest) if entry.digest else entry.name), NAME_WIDTH)
    line += column(Content.styled(text, style), FINDINGS_WIDTH)
    if width >= WIDE:
        line += column(Content.styled(hit, MUTED), HIT_WIDTH)
        rot = f"~ {entry.rot.message}" if entry.rot else "-" if entry.is_read else ""
        line += column(one_line(rot, WARNING if entry.rot else MUTED), ROT_WIDTH)
    room = max(width - line.cell_length - 1, 0)
    share = _share(width - line.cell_length)
    line += column(_answers(entry), share)
    return line + column(one_line(entry.description, MUTED), room - share)


def _share(room: int) -> int:
    """How much of the rest of a row is for what the fixture answers."""
    return max(room - 1, 0) * 2 // 3


def fixture_head(width: int) -> Content:
    """The names of the columns."""
    names = [("file", NAME_WIDTH), ("findings", FINDINGS_WIDTH)]
    if width >= WIDE:
        names += [("last hit", HIT_WIDTH), ("rot", ROT_WIDTH)]
    line = Content("  ")
    for name, cells in names:
        line += column(Content(name), cells)
    share = _share(width - line.cell_length)
    return line + column(Content("answers"), share) + Content("description")


def last_hit(hits: Hits, now: datetime) -> str:
    """How long ago a fixture was served last, and how often it was: ``2m  ×12``."""
    ago = "?"
    if hits.last is not None:
        ago = brief_time(max((now - datetime.fromisoformat(hits.last)).total_seconds(), 0))
    return f"{ago:<3} ×{brief_count(hits.count)}"


def _answers(entry: FixtureEntry) -> Content:
    if not entry.is_read:
        return Content("")
    if entry.digest is None:
        return Content.styled("not a fixture: the name is no digest", MUTED)
    if not entry.answers:
        return Content.styled("(request not stored)", MUTED)
    turn = f" (turn {entry.turn})" if entry.turn > 1 else ""
    return one_line(entry.answers + turn)


def _verdict(entry: FixtureEntry) -> tuple[str, str]:
    if not entry.is_read:
        return "…", MUTED
    match entry.kind:
        case "bad name":
            return "! bad name", WARNING
        case "broken":
            return "╳ broken", ERROR
        case "error":
            return f"× {counted(entry.count('error'), 'error')}", ERROR
        case "warning":
            return f"! {counted(entry.count('warning'), 'warning')}", WARNING
        case "fine":
            return "✓", SUCCESS
