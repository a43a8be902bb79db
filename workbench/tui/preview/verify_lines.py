"""A live verification as lines: both replies, each frame with its time, and a small plot."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from textual.content import Content

from workbench.core.digest import short
from workbench.core.replies.body_difference import BodyDifference
from workbench.core.replies.http_reply import TEXT_KINDS, Frame
from workbench.session.verification import CheckedFrame, CheckedReply, Claim, Verification
from workbench.tui.lines.text_lines import byte_lines
from workbench.tui.preview.lines import HEAD_STYLE, border, one_frame, piece_text
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

TICK_COLUMNS: Final = 10
PLOT_COLUMNS: Final = (12, 61)
FRAME_COLUMNS: Final = (12, 44)
BODY_LIMIT: Final = 1_000

_BEFORE_FRAME: Final = 7
_NUMBERS: Final = 18
_BEFORE_PLOT: Final = 3
_NICE: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


def verifying_lines(claim: Claim, frames: int, expected: int) -> list[Content]:
    """The progress of a verification."""
    line = Content.styled("Verifying ", HEAD_STYLE) + Content(short(claim.digest))
    line += Content(" against ") + one_line(claim.server_name)
    so_far = f"   {frames} of {expected} frames" if frames else ""
    return [line + Content.styled(f"{so_far}   esc stops", MUTED)]


def verification_lines(found: Verification, width: int, *, as_bytes: bool = False) -> list[Content]:
    """A verification laid out for ``width``, with a plot of the times or the bytes received."""
    count = len(found.frames)
    whole, stream = found.envelope, found.stream
    lines = [_headline(found, width), Content("")]
    lines += _reply_lines("envelope", whole, "bytes equal", f"{whole.all_ms:.1f} ms", width)
    if as_bytes:
        lines += byte_lines(whole.reply.body, width, Content(" " * 13))
    times = f"first {stream.first_ms:.1f} ms   all {stream.all_ms:.1f} ms"
    equal = f"{found.equal_frames} of {count} frames equal"
    lines += _reply_lines("stream", stream, equal, times, width)
    if count:
        lines.append(Content(""))
        lines += _byte_rows(found, width) if as_bytes else _table(found, width)
    return [*lines, Content(""), _proof_line(found)]


def verification_text(found: Verification) -> str:
    """The text to copy: both sides of what differs; if nothing does, the replies."""
    if found.holds:
        return _decoded(found.envelope.reply.body) + "\n" + _decoded(found.stream.reply.body)
    parts = []
    for name, checked in (("envelope", found.envelope), ("stream", found.stream)):
        if not checked.holds:
            for side, data in (("expected", checked.wanted.body), ("actual", checked.reply.body)):
                parts.append(f"--- {name}, {side}\n{_decoded(data).rstrip()}\n")
    return "\n".join(parts)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _headline(found: Verification, width: int) -> Content:
    style, word = (SUCCESS, "Verified") if found.holds else (WARNING, "Differs")
    line = Content.styled(word, f"bold {style}") + Content(f" {found.at:%H:%M:%S} against ")
    line += one_line(found.claim.server_name)
    return _spread(line, Content.styled("v again · b bytes · y copies", MUTED), width) or line


def _spread(left: Content, right: Content, width: int) -> Content | None:
    """Both at the ends of one line; None if they do not fit."""
    gap = width - left.cell_length - right.cell_length
    return left + Content(" " * gap) + right if gap >= 2 else None


# The replies


def _reply_lines(
    name: str, checked: CheckedReply, equal: str, times: str, width: int
) -> list[Content]:
    """One line about a reply, as much as fits; below it the difference, or what came instead."""
    style = SUCCESS if checked.holds else WARNING
    line = Content.styled("✓ " if checked.holds else "≠ ", style)
    line += Content.styled(f"{name:<11}", LABEL)
    reply = checked.reply
    kind = one_line(f"{reply.status or '-'} {reply.content_type.split(';')[0]}".ljust(24), MUTED)
    if checked.problem:
        lines = [line + kind + one_line(checked.problem, ERROR)]
        if reply.body:
            text = _decoded(reply.body[:BODY_LIMIT]).replace("\n", "\\n")
            lines.append(Content(" " * line.cell_length) + inert(text, MUTED))
        return lines
    difference = None if checked.wanted.is_stream else checked.difference
    if checked.wanted.is_cut:
        equal = f"{equal}, {checked.wanted.end}" if checked.wanted.status else checked.wanted.end
    said = Content(equal if difference is None else "bytes differ")
    apart = Content(" apart from created" if difference is None else "")
    lines = _fitting(line, [kind + said + apart, kind + said, said], times, width)
    if difference is not None:
        lines += _difference_lines(difference, line.cell_length, width)
    return lines


def _fitting(line: Content, wordings: list[Content], times: str, width: int) -> list[Content]:
    """The longest wording that fits beside the times; else the shortest one, above them."""
    right = Content.styled(times, MUTED)
    for words in wordings:
        spread = _spread(line + words, right, width)
        if spread is not None:
            return [spread]
    return [line + wordings[-1], Content(" " * line.cell_length) + right]


def _difference_lines(difference: BodyDifference, indent: int, width: int) -> list[Content]:
    """The place of a difference, and as much of its two sides as fits."""
    lead = f"byte {difference.byte:,}  "
    before = (" " * indent + lead, " " * (indent + len(lead)))
    sides = (("expected  ", difference.expected), ("actual    ", difference.actual))
    room = max(width - len(before[0]) - len(sides[0][0]), 1)
    return [
        Content.styled(start, MUTED)
        + Content.styled(side, LABEL)
        + (
            one_frame(text).truncate(room, ellipsis=True)
            if text
            else Content.styled("nothing more", MUTED)
        )
        for start, (side, text) in zip(before, sides, strict=True)
    ]


# The frames


def _byte_rows(found: Verification, width: int) -> Iterator[Content]:
    """The bytes of each frame; of one that differs also those expected."""
    for number, frame in enumerate(found.frames):
        lead = _mark(number, frame)
        if frame.difference is not None and frame.expected is not None:
            before = lead + Content.styled("expected  ", LABEL)
            yield from byte_lines(frame.expected.data, width, before)
            lead = Content.styled("actual  ".rjust(before.cell_length), LABEL)
        yield from byte_lines(frame.actual or b"", width, lead)


def _mark(number: int, frame: CheckedFrame) -> Content:
    equal = frame.difference is None
    line = Content.styled(f"{number:>2}  ", MUTED)
    return line + Content.styled("=  " if equal else "≠  ", SUCCESS if equal else WARNING)


def _table(found: Verification, width: int) -> list[Content]:
    """Number, mark, frame, time, time since the last one, and a plot of the times."""
    least, most = FRAME_COLUMNS
    longest = max(len(piece_text(f.expected.piece)) + 2 for f in found.frames if f.expected)
    room = width - _BEFORE_FRAME - _NUMBERS - _BEFORE_PLOT - PLOT_COLUMNS[0]
    frame_width = max(min(longest, room, most), least)
    plot = _Plot(found, width - _BEFORE_FRAME - frame_width - _NUMBERS - _BEFORE_PLOT)
    title = "expected = actual" if frame_width > len("expected = actual") else "expected"
    head = f" #  =  {title:<{frame_width}}"
    head += f"{'at ms':>10}{'gap':>8}   {plot.head}"
    lines = [Content.styled(head, MUTED)]
    before = 0.0
    for number, frame in enumerate(found.frames):
        shown = _drawn(frame.expected, frame_width)
        line = _mark(number, frame) + shown.pad_right(max(frame_width - shown.cell_length, 0))
        if frame.actual is None:
            line += Content.styled("did not come".rjust(_NUMBERS), MUTED)
        else:
            line += Content(f"{frame.at_ms:>10.1f}{frame.at_ms - before:>8.1f}   ")
            line += plot.row(frame.at_ms)
            before = frame.at_ms
        lines.append(line)
        if frame.difference is not None:
            lines += _difference_lines(frame.difference, _BEFORE_FRAME, width)
    return lines


def _drawn(frame: Frame | None, width: int) -> Content:
    """The expected frame in at most ``width`` cells."""
    if frame is None:
        return Content.styled("one too many", WARNING)
    if frame.kind not in (*TEXT_KINDS, "calls"):
        names = {"done": "[DONE]", "event": frame.note}
        return one_line(names.get(frame.kind, frame.kind)).truncate(width, ellipsis=True)
    text = one_frame(piece_text(frame.piece)[:width]).truncate(width - 2, ellipsis=True)
    return border("▕") + text + border("▏")


class _Plot:
    """Plots when each frame arrived, in milliseconds since the request."""

    def __init__(self, found: Verification, room: int) -> None:
        self._columns = min(room, PLOT_COLUMNS[1]) if room >= PLOT_COLUMNS[0] else 0
        self._together = found.is_together
        last = max((frame.at_ms for frame in found.frames), default=0.0)
        self._per_column = nice(last / max(self._columns - 1, 1))

    @property
    def head(self) -> str:
        if self._together or not self._columns:
            return "sent together" if self._together else ""
        ticks = ""
        for column in range(0, self._columns, TICK_COLUMNS):
            label = f"{column * self._per_column:g}"
            if column + len(label) <= self._columns:
                ticks = ticks.ljust(column) + label
        return ticks

    def row(self, at_ms: float) -> Content:
        if self._together:
            return Content.styled("█", ACCENT)
        if not self._columns:
            return Content("")
        column = int(at_ms / self._per_column)
        return Content.styled("·" * column, MUTED) + Content.styled("█", ACCENT)


def nice(least: float) -> float:
    """The smallest 1, 2, 2.5 or 5 times a power of ten that is at least ``least``."""
    if least <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in _NICE if step * power >= least)


def _proof_line(found: Verification) -> Content:
    if found.envelope.problem or found.stream.problem:
        return Content.styled("client  waits for both replies", MUTED)
    if found.proof is None:
        return Content.styled("client  no reply arrives in full, as intended", MUTED)
    if found.proof:
        return one_line(f"≠ client  {'; '.join(found.proof)}", WARNING)
    live = "live stream put together = live envelope"
    if found.holds:
        return Content.styled("✓ client  ", SUCCESS) + Content(f"{live} = preview")
    return Content.styled("≠ client  ", WARNING) + Content(f"{live}, not the preview")
