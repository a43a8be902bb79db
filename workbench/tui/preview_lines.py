"""Envelope, frames and proof as lines."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from textual.content import Content, Span

from workbench.core.inert import UNSAFE
from workbench.core.proof import Proof
from workbench.core.wire import ENVELOPE_TYPE, Frame
from workbench.session.preview import Assessment, Preview
from workbench.tui.fitted import Named, cut, fitted
from workbench.tui.inert import ESCAPE_STYLE, inert, one_line
from workbench.tui.line_layout import Line
from workbench.tui.playback import Playback
from workbench.tui.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING
from workbench.tui.text_lines import safe

HEAD_STYLE: Final = f"bold {LABEL}"
CHOSEN_HEAD_STYLE: Final = "bold underline $text-primary"
LINE_LIMIT: Final = 1_000
PIECE_LIMIT: Final = 4_000
RAW_LIMIT: Final = 20_000
SO_FAR_LIMIT: Final = 1_000
# What has to be escaped takes longer to draw, character by character.
ESCAPED_LIMIT: Final = 1_000

_NOT_PRINTABLE: Final = re.compile(rb"[^\x20-\x7e]+")


def _head(name: str, facts: str, *, chosen: bool) -> Content:
    style = CHOSEN_HEAD_STYLE if chosen else HEAD_STYLE
    return Content.styled(name, style) + Content.styled(f"  200 {facts}", MUTED)


# The envelope


def envelope_lines(preview: Preview, width: int, *, chosen: bool = False) -> Iterator[Line]:
    """The envelope laid out for ``width``; its clock is named, not shown."""
    shown = {k: Named("<clock>") if k == "created" else v for k, v in preview.value.items()}
    yield from (_envelope_head(preview, chosen), Content(""))
    yield from json_lines(shown, width)


def raw_envelope_lines(preview: Preview, width: int, *, chosen: bool = False) -> Iterator[Line]:
    """The bytes of the envelope."""
    yield from (_envelope_head(preview, chosen), Content(""))
    yield from raw_lines(preview.envelope, width, Content(""))


def json_lines(value: object, width: int) -> Iterator[Line]:
    """A value laid out for ``width``, as far as anybody reads."""
    for number, line in enumerate(fitted(value, width)):
        if number == LINE_LIMIT:
            yield Content.styled("… more lines are not shown; y copies all", MUTED)
            return
        yield safe(line if len(line) <= ESCAPED_LIMIT else _escapable(line))


def _escapable(line: str) -> str:
    """A long line, cut where it is full of what has to be escaped: drawing that takes long."""
    return cut(line, ESCAPED_LIMIT) if UNSAFE.search(line) else line


def _envelope_head(preview: Preview, chosen: bool) -> Content:
    facts = f"{ENVELOPE_TYPE}   {len(preview.envelope):,} bytes"
    return _head("envelope", facts, chosen=chosen)


# The stream


def frame_lines(
    preview: Preview,
    playback: Playback,
    width: int,
    *,
    as_bytes: bool = False,
    chosen: bool = False,
) -> Iterator[Line]:
    """The frames of the stream, each with its borders, so that a trailing space is seen; of those
    that have not arrived only the number.
    """
    yield from (_stream_head(preview, playback, chosen), Content(""))
    shown, is_whole = playback.shown, playback.is_whole
    last = max((i for i, f in enumerate(preview.frames) if f.kind != "done"), default=-1)
    for number, frame in enumerate(preview.frames):
        lead = Content.styled(f"{number:>2}  ", MUTED)
        if number >= shown:
            yield lead + Content.styled("·", MUTED)
        elif as_bytes:
            yield from raw_lines(frame.data, width, lead)
        else:
            reason = preview.proof.finish_reason if number == last else None
            yield lead + _frame_line(frame, reason)
    if not is_whole:
        yield from (Content(""), Content.styled("so far  ", LABEL) + _so_far(preview, shown))


def _stream_head(preview: Preview, playback: Playback, chosen: bool) -> Content:
    count = len(preview.frames)
    if playback.is_whole:
        size = sum(len(frame.data) for frame in preview.frames)
        facts = f"text/event-stream   {count} frames, {size:,} bytes"
    else:
        facts = f"text/event-stream   {playback.shown} of {count} frames   {playback.elapsed:.1f} s"
    return _head("stream", facts, chosen=chosen)


def _frame_line(frame: Frame, reason: object) -> Content:
    if frame.kind == "done":
        return Content(" " * 9 + "[DONE]")
    line = Content.styled(f"{frame.kind:<8} ", LABEL)
    if frame.kind == "role":
        return line + Content('content=""')
    if frame.kind in ("content", "calls"):
        line += piece_content(frame.piece)
    if reason is not None:
        line += one_line(cut(f" finish_reason={reason}", PIECE_LIMIT), MUTED)
    return line


def border(glyph: str) -> Content:
    """A border of a frame."""
    return Content.styled(glyph, ACCENT)


def piece_content(piece: object, limit: int = PIECE_LIMIT) -> Content:
    """A piece between the borders of its frame; what is too long is cut behind them."""
    text = piece_text(piece)
    limit = min(limit, ESCAPED_LIMIT if UNSAFE.search(text[:limit]) else limit)
    more = len(text) - limit
    cut_off = Content.styled(f" {more:,} more characters", MUTED) if more > 0 else Content("")
    return border("▕") + one_frame(text[:limit]) + border("▏") + cut_off


def piece_text(piece: object) -> str:
    """A piece as text: a fixture's content may be a list, which the server passes on."""
    return piece if isinstance(piece, str) else json.dumps(piece)


def one_frame(text: str) -> Content:
    """Text with line ends and tabs as escapes, so that it stays on one line."""
    return inert(text.replace("\n", "\\n").replace("\t", "\\t"))


def _so_far(preview: Preview, shown: int) -> Content:
    """What a client has put together by now: the end of it, where things happen."""
    text = "".join(piece_text(frame.piece) for frame in preview.frames[:shown])
    lead = "…" if len(text) > SO_FAR_LIMIT else ""
    return border("▕") + one_frame(lead + text[-SO_FAR_LIMIT:])


def raw_lines(data: bytes, width: int, lead: Content) -> Iterator[Content]:
    """Bytes as they are sent, in rows of ``width`` behind ``lead``: what is not printable ASCII as
    escapes, dimmed. No blank gets lost at the end of a row.
    """
    indent = lead.cell_length
    room = max(width - indent, 1)
    text, spans = _escaped(data[:RAW_LIMIT])
    for start in range(0, max(len(text), 1), room):
        row = Content(text[start : start + room], list(_within(spans, start, start + room)))
        yield lead + row if start == 0 else row.pad_left(indent)
    if len(data) > RAW_LIMIT:
        more = f"… {len(data) - RAW_LIMIT:,} more bytes; y copies all"
        yield Content.styled(" " * indent + more, MUTED)


def _escaped(data: bytes) -> tuple[str, list[Span]]:
    """Bytes as text, and where in it escapes stand."""
    parts: list[str] = []
    spans: list[Span] = []
    at = done = 0
    for match in _NOT_PRINTABLE.finditer(data):
        plain = data[done : match.start()].decode("ascii")
        escape = repr(match[0])[2:-1]
        parts += [plain, escape]
        at += len(plain)
        spans.append(Span(at, at + len(escape), ESCAPE_STYLE))
        at += len(escape)
        done = match.end()
    parts.append(data[done:].decode("ascii"))
    return "".join(parts), spans


def _within(spans: list[Span], start: int, end: int) -> Iterator[Span]:
    """Those of ``spans``, which are in order, that lie in a part of their text, seen from there."""
    for span in spans[bisect_right(spans, start, key=lambda span: span.end) :]:
        if span.start >= end:
            return
        yield Span(max(span.start, start) - start, min(span.end, end) - start, span.style)


# The proof


def proof_line(preview: Preview) -> Content:
    """One line: what was put together and whether it is the envelope."""
    proof = preview.proof
    if preview.unusable:
        return one_line(f"× the server would send the fallback: {preview.unusable}", ERROR)
    if not proof.holds:
        return one_line(f"≠ {'; '.join(proof.differences)}", WARNING)
    reason = cut(str(proof.finish_reason), 40)
    text = f"{_put_together(proof)} · finish {reason} = {reason} · id equal in every frame"
    return Content.styled("✓ proof  ", SUCCESS) + one_line(text)


def _put_together(proof: Proof) -> str:
    if proof.tool_calls:
        calls = len(proof.tool_calls)
        return f"{calls} call{'s' * (calls != 1)} put together = message.tool_calls"
    pieces = len(proof.pieces)
    longest = max(map(len, proof.pieces), default=0)
    return (
        f"{pieces} piece{'s' * (pieces != 1)} of at most {longest:,} put together = "
        f"message.content ({len(proof.content):,} characters)"
    )


def proof_report(preview: Preview, width: int) -> Iterator[Line]:
    """The proof in full: each thing that was compared, and what a client puts together."""
    proof = preview.proof
    head = Content.styled("proof", CHOSEN_HEAD_STYLE)
    head += Content.styled("  the frames, read as a client reads them, against the envelope", MUTED)
    yield from (head, Content(""))
    if preview.unusable:
        yield proof_line(preview)
    yield from (one_line(f"≠ {difference}", WARNING) for difference in proof.differences)
    if proof.holds:
        reason = cut(str(proof.finish_reason), 40)
        agree = (_put_together(proof), f"finish {reason} = {reason}", "id equal in every frame")
        for text in (*agree, "the stream ends with [DONE]"):
            yield Content.styled("✓ ", SUCCESS) + one_line(text)
    yield from (Content(""), Content.styled("What a client has in the end", HEAD_STYLE))
    message = {"content": proof.content, "tool_calls": proof.tool_calls}
    shown = {"finish_reason": proof.finish_reason, **{k: v for k, v in message.items() if v}}
    yield from json_lines(shown, width)


def proof_lines(assessment: Assessment) -> list[Content]:
    """Frames and proof in two lines, for the foot of the editor."""
    label = LABEL
    frames = Content.styled("frames  ", label) + one_line(" | ".join(_parts(assessment.preview)))
    if assessment.errors:
        proof = Content.styled("proof   ", label) + Content.styled(
            "waits for the errors above", MUTED
        )
    elif assessment.preview.proof.holds:
        proof = Content.styled("proof   ", label)
        proof += Content.styled("✓ ", SUCCESS) + Content("frames put together = envelope")
    else:
        proof = Content.styled("proof   ", label) + proof_line(assessment.preview)
    return [frames, proof]


def _parts(preview: Preview) -> Iterator[str]:
    names = {"role": "role", "finish": "finish", "done": "[DONE]"}
    sizes = []
    for frame in preview.frames:
        if frame.kind == "content":
            sizes.append(str(len(frame.piece)))
            continue
        if sizes:
            yield " | ".join(sizes) + " chars"
            sizes = []
        calls = len(preview.proof.tool_calls)
        yield f"calls ({calls})" if frame.kind == "calls" else names[frame.kind]
