"""A live verification as lines: both replies, compared with the preview, and their times."""

from __future__ import annotations

from typing import Final

from textual.content import Content

from workbench.core.fixture.names import short_name
from workbench.core.replies.body_difference import BodyDifference
from workbench.session.preview.verify import Claim, Verification, VerifiedReply
from workbench.tui.preview.preview_lines import HEAD_STYLE, one_frame
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, SUCCESS, WARNING

BODY_LIMIT: Final = 1_000


def verifying_lines(claim: Claim, frames: int, expected: int) -> list[Content]:
    """The progress of a verification."""
    line = Content.styled("Verifying ", HEAD_STYLE) + Content(short_name(claim.name))
    line += Content(" against ") + one_line(claim.server_name)
    so_far = f"   {frames} of {expected} frames" if frames else ""
    return [line + Content.styled(f"{so_far}   esc stops", MUTED)]


def verification_lines(verification: Verification, width: int) -> list[Content]:
    """A verification laid out for ``width``."""
    whole, stream = verification.envelope.reply, verification.stream.reply
    times = f"first {stream.first_ms:.1f} ms   all {stream.all_ms:.1f} ms"
    return [
        _headline(verification, width),
        Content(""),
        *_reply_lines("envelope", verification.envelope, f"{whole.all_ms:.1f} ms", width),
        *_reply_lines("stream", verification.stream, times, width),
    ]


def verification_text(verification: Verification) -> str:
    """The text to copy: both sides of what differs; if nothing does, the replies."""
    if verification.holds:
        return (
            _decoded(verification.envelope.reply.body)
            + "\n"
            + _decoded(verification.stream.reply.body)
        )
    parts = []
    for name, checked in (("envelope", verification.envelope), ("stream", verification.stream)):
        if not checked.holds:
            for side, data in (("expected", checked.expected.body), ("actual", checked.reply.body)):
                parts.append(f"--- {name}, {side}\n{_decoded(data).rstrip()}\n")
    return "\n".join(parts)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")


def _headline(verification: Verification, width: int) -> Content:
    style, word = (SUCCESS, "Verified") if verification.holds else (WARNING, "Differs")
    line = Content.styled(word, f"bold {style}") + Content(f" {verification.at:%H:%M:%S} against ")
    line += one_line(verification.claim.server_name)
    return _spread(line, Content.styled("v again · y copies", MUTED), width) or line


def _spread(left: Content, right: Content, width: int) -> Content | None:
    """Both at the ends of one line; None if they do not fit."""
    gap = width - left.cell_length - right.cell_length
    return left + Content(" " * gap) + right if gap >= 2 else None


# The replies


def _reply_lines(name: str, checked: VerifiedReply, times: str, width: int) -> list[Content]:
    """One line about a reply, cut to the width; below it the difference, or the reply that was
    received instead.
    """
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
    if checked.difference is not None:
        lines = _fitting(line, [kind + Content("differs"), Content("differs")], times, width)
        return lines + _difference_lines(checked.difference, line.cell_length, width)
    equal = Content("as previewed")
    if checked.expected.is_cut:
        end = checked.expected.end
        equal = Content(f"as previewed, {end}" if checked.expected.status else end)
    apart = Content(" apart from created")
    return _fitting(line, [kind + equal + apart, kind + equal, equal], times, width)


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
