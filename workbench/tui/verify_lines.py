"""A live verification as lines: both shapes, each frame with its time and place in a small plot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from textual.content import Content

from workbench.core.bytediff import Difference
from workbench.core.digest import short
from workbench.session.verify import (
    CheckedFrame,
    CheckedReply,
    Claim,
    Verification,
    server_name,
)
from workbench.tui.fitted import cut
from workbench.tui.inert import inert, one_line
from workbench.tui.preview_lines import HEAD_STYLE, one_frame, piece_content
from workbench.tui.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

TICK_COLUMNS: Final = 10
SMALLEST_PLOT: Final = 12
BODY_LIMIT: Final = 1_000
# Where the first wave of a preview's frame stands: number, mark, borders of the piece.
_FRAME_WIDTHS: Final = (14, 34)
_AT_WIDTH: Final = 11
_GAP_WIDTH: Final = 9
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


def verifying_lines(claim: Claim, frames: int, expected: int) -> list[Content]:
    """What stands there while a verification runs."""
    line = Content.styled("Verifying ", HEAD_STYLE) + Content(short(claim.digest))
    line += Content(" against ") + one_line(server_name(claim))
    so_far = f"   {frames} of {expected} frames" if frames else ""
    return [line + Content.styled(f"{so_far}   esc stops", MUTED)]


def verification_lines(found: Verification, width: int, *, as_bytes: bool = False) -> list[Content]:
    """A verification, laid out for ``width``."""
    lines = [_headline(found, width), Content("")]
    lines += _reply_lines("envelope", found.envelope, "bytes equal apart from created", width)
    equal = f"{found.equal_frames} of {len(found.frames)} frames equal apart from created"
    lines += _reply_lines("stream", found.stream, equal, width)
    if found.frames:
        lines += [Content(""), *_table(found, width, as_bytes=as_bytes)]
    return [*lines, Content(""), _proof_line(found)]


def verification_text(found: Verification) -> str:
    """What is copied: both sides of what differs; where nothing does, the replies as they came."""
    if found.holds:
        body = found.envelope.reply.body + b"\n" + found.stream.reply.body
        return body.decode("utf-8", "backslashreplace")
    parts = []
    for name, checked in (("envelope", found.envelope), ("stream", found.stream)):
        if checked.holds and (name == "envelope" or found.equal_frames == len(found.frames)):
            continue
        for side, data in (("expected", checked.expected), ("actual", checked.reply.body)):
            text = data.decode("utf-8", "backslashreplace")
            parts.append(f"--- {name}, {side}\n{text.rstrip()}\n")
    return "\n".join(parts)


def _headline(found: Verification, width: int) -> Content:
    style, word = (SUCCESS, "Verified") if found.holds else (WARNING, "Differs")
    line = Content.styled(word, f"bold {style}") + Content(f" {found.at:%H:%M:%S} against ")
    line += one_line(server_name(found.claim))
    hint = Content.styled("v again · b bytes · y copies", MUTED)
    gap = width - line.cell_length - hint.cell_length
    return line if gap < 2 else line + Content(" " * gap) + hint


def _reply_lines(name: str, checked: CheckedReply, equal: str, width: int) -> list[Content]:
    """One line of a reply and, where it differs, what it says instead."""
    frames_differ = name == "stream" and not equal.startswith(_all_of(equal))
    good = checked.holds and not frames_differ
    line = Content.styled("✓ " if good else "≠ ", SUCCESS if good else WARNING)
    line += Content.styled(f"{name:<9}", LABEL)
    line += one_line(f"{checked.reply.status or '-'} {_kind(checked.reply.content_type)}  ")
    if checked.problem:
        line += one_line(checked.problem, ERROR)
    elif checked.difference is not None:
        line += Content.styled("bytes differ", WARNING)
    else:
        line += Content(equal)
    times = _times(name, checked)
    gap = width - line.cell_length - times.cell_length
    lines = [line + Content(" " * max(gap, 2)) + times] if gap >= 2 else [line, _right(times, width)]
    if checked.difference is not None:
        lines += _difference_lines(checked.difference)
    if checked.problem and checked.reply.body:
        body = checked.reply.body[:BODY_LIMIT].decode("utf-8", "backslashreplace")
        lines.append(Content("            ") + inert(body.replace("\n", "\\n"), MUTED))
    return lines
