"""A preview as lines: the envelope, and the frames of the stream."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from textual.content import Content

from workbench.core.replies.http_reply import TEXT_KINDS, Frame, HTTPReply
from workbench.core.text.inert import unsafe
from workbench.core.text.wording import counted
from workbench.session.preview.preview import Preview
from workbench.tui.lines.json_lines import JsonLine, Named, cut
from workbench.tui.lines.json_lines import json_lines as all_json_lines
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.text_lines import byte_lines, safe
from workbench.tui.preview.playback import Playback
from workbench.tui.widgets.inert import inert, one_line
from workbench.tui.widgets.styles import ACCENT, LABEL, MUTED, WARNING

HEAD_STYLE: Final = f"bold {LABEL}"
CHOSEN_HEAD_STYLE: Final = "bold underline $text-primary"
LINE_LIMIT: Final = 1_000
# The keys of an envelope that have the time at which it is sent.
_TIMES: Final = ("created", "created_at", "completed_at")
PIECE_LIMIT: Final = 4_000
SO_FAR_LIMIT: Final = 1_000
# For text with escapes, which is slow to draw.
ESCAPED_LIMIT: Final = 1_000


def _head(name: str, sent: HTTPReply, facts: str, width: int, *, chosen: bool) -> Iterator[Content]:
    """A view's name, its status and facts: in one line, or the facts in a second one where there is
    no room; and an empty line.
    """
    style = CHOSEN_HEAD_STYLE if chosen else HEAD_STYLE
    head = Content.styled(name, style) + Content("  ")
    head += one_line(sent.head, MUTED if sent.status == 200 else WARNING)
    about = Content.styled(facts if sent.status else "", MUTED)
    if not about:
        yield head
    elif head.cell_length + 3 + about.cell_length <= width:
        yield head + Content("   ") + about
    else:
        yield from (head, Content(" " * (len(name) + 2)) + about)
    yield Content("")


def _end(sent: HTTPReply) -> Iterator[Line]:
    """How a reply is cut off, if it is."""
    if sent.is_cut:
        yield Content.styled(f"… {sent.end}", WARNING)


# The envelope


def envelope_lines(
    preview: Preview, width: int, *, as_bytes: bool = False, chosen: bool = False
) -> Iterator[Line]:
    """The envelope laid out for ``width``, with a name instead of its time; or its bytes."""
    facts = f"{len(preview.envelope):,} bytes{_late(preview)}"
    yield from _head("envelope", preview.whole, facts, width, chosen=chosen)
    if as_bytes or preview.whole.is_cut:
        yield from _body_lines(preview.whole, width)
        return
    shown = {k: Named("<clock>") if k in _TIMES else v for k, v in preview.value.items()}
    yield from json_lines(shown, width)


def _body_lines(sent: HTTPReply, width: int) -> Iterator[Line]:
    """The bytes of a body, and how it is cut off, if it is."""
    if sent.body:
        yield from byte_lines(sent.body, width, Content(""))
    yield from _end(sent)


def json_lines(value: object, width: int) -> Iterator[Line]:
    """The first lines of a value laid out for ``width``."""
    for number, line in enumerate(all_json_lines(value, width=width)):
        if number == LINE_LIMIT:
            yield Content.styled("… more lines are not shown; y copies all", MUTED)
            return
        yield safe(line if len(line) <= ESCAPED_LIMIT else _escapable(line), JsonLine)


def _escapable(line: str) -> str:
    """A long line; with characters to escape only its beginning, since they are slow to draw."""
    return cut(line, ESCAPED_LIMIT) if unsafe().search(line) else line


def _late(preview: Preview) -> str:
    delay_ms = preview.delivery.delay_ms
    return f"   after {delay_ms:,} ms" if delay_ms else ""


# The stream


def frame_lines(
    preview: Preview,
    playback: Playback,
    width: int,
    *,
    as_bytes: bool = False,
    chosen: bool = False,
) -> Iterator[Line]:
    """The frames of the stream, each between borders that make trailing blanks visible. Frames that
    have not arrived are only numbered. Without a stream, the reply that is sent instead.
    """
    yield from _head(
        "stream", preview.streamed, _stream_facts(preview, playback), width, chosen=chosen
    )
    if preview.frames:
        yield from _event_lines(preview, playback, width, as_bytes=as_bytes)
    elif as_bytes or preview.streamed.is_cut:
        yield from _body_lines(preview.streamed, width)
    else:
        yield from json_lines(preview.value, width)


def _event_lines(
    preview: Preview, playback: Playback, width: int, *, as_bytes: bool
) -> Iterator[Line]:
    shown = playback.shown
    for number, frame in enumerate(preview.frames):
        lead = Content.styled(f"{number:>2}  ", MUTED)
        if number >= shown:
            yield lead + Content.styled("·", MUTED)
        elif as_bytes:
            yield from byte_lines(frame.data, width, lead)
        else:
            yield lead + _frame_line(frame)
    if playback.is_whole:
        yield from _end(preview.streamed)
    else:
        yield from (Content(""), Content.styled("so far  ", LABEL) + _so_far(preview, shown))


def _stream_facts(preview: Preview, playback: Playback) -> str:
    count = len(preview.frames)
    size = f"{len(preview.stream):,} bytes"
    if not count:
        facts = size
    elif playback.is_whole:
        facts = f"{counted(count, 'frame')}, {size}"
    else:
        facts = f"{playback.shown} of {count} frames   {playback.elapsed:.1f} s"
    return facts + _late(preview)


def _frame_line(frame: Frame) -> Content:
    if frame.kind == "done":
        return Content(" " * 9 + "[DONE]")
    line = Content.styled(f"{frame.kind:<8} ", LABEL)
    has_piece = frame.kind in (*TEXT_KINDS, "calls")
    line += piece_content(frame.piece) if has_piece else one_line(cut(frame.note, PIECE_LIMIT))
    if frame.finish_reason is not None:
        gap = " " if has_piece or frame.note else ""
        reason = f"{gap}finish_reason={frame.finish_reason}"
        line += one_line(cut(reason, PIECE_LIMIT), MUTED)
    return line


def border(glyph: str) -> Content:
    """The border of a frame."""
    return Content.styled(glyph, ACCENT)


def piece_content(piece: object) -> Content:
    """A piece between the borders of its frame, cut if it is long."""
    text = piece_text(piece)
    limit = ESCAPED_LIMIT if unsafe().search(text[:PIECE_LIMIT]) else PIECE_LIMIT
    more = len(text) - limit
    cut_off = Content.styled(f" {more:,} more characters", MUTED) if more > 0 else Content("")
    return border("▕") + one_frame(text[:limit]) + border("▏") + cut_off


def piece_text(piece: object) -> str:
    """A piece as text; the content of a fixture may be a list, which is sent as it is."""
    return piece if isinstance(piece, str) else json.dumps(piece)


def one_frame(text: str) -> Content:
    """Text on one line, with line ends and tabs as escapes."""
    return inert(text.replace("\n", "\\n").replace("\t", "\\t"))


def _so_far(preview: Preview, shown: int) -> Content:
    """The end of what a client has put together so far."""
    text = "".join(piece_text(frame.piece) for frame in preview.frames[:shown])
    lead = "…" if len(text) > SO_FAR_LIMIT else ""
    return border("▕") + one_frame(lead + text[-SO_FAR_LIMIT:])
