"""Envelope, frames and proof as lines."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from textual.content import Content

from workbench.core.proof import Proof
from workbench.core.wire import ENVELOPE_TYPE, Frame
from workbench.session.preview import Assessment, Preview
from workbench.tui.fitted import Named, cut, fitted
from workbench.tui.inert import ESCAPE_STYLE, inert, one_line
from workbench.tui.playback import Playback
from workbench.tui.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

HEAD_STYLE: Final = f"bold {LABEL}"
CHOSEN_HEAD_STYLE: Final = "bold underline $text-primary"
LINE_LIMIT: Final = 1_000
PIECE_LIMIT: Final = 1_000
RAW_LIMIT: Final = 4_000

_NOT_PRINTABLE: Final = re.compile(rb"[^\x20-\x7e]+")


def _head(name: str, facts: str, *, chosen: bool) -> Content:
    style = CHOSEN_HEAD_STYLE if chosen else HEAD_STYLE
    return Content.styled(name, style) + Content.styled(f"  200 {facts}", MUTED)


# The envelope


def envelope_lines(preview: Preview, width: int, *, chosen: bool = False) -> list[Content]:
    """The envelope laid out for ``width``; its clock is named, not shown."""
    shown = {k: Named("<clock>") if k == "created" else v for k, v in preview.value.items()}
    lines = [inert(line) for line in islice(fitted(shown, width), LINE_LIMIT)]
    if len(lines) == LINE_LIMIT:
        lines.append(Content.styled("… more lines are not shown; y copies all", MUTED))
    return [_envelope_head(preview, chosen), Content(""), *lines]


def raw_envelope_lines(preview: Preview, *, chosen: bool = False) -> list[Content]:
    """The bytes of the envelope."""
    return [_envelope_head(preview, chosen), Content(""), raw(preview.envelope)]


def _envelope_head(preview: Preview, chosen: bool) -> Content:
    facts = f"{ENVELOPE_TYPE}   {len(preview.envelope):,} bytes"
    return _head("envelope", facts, chosen=chosen)


# The stream


def frame_lines(
    preview: Preview, playback: Playback, *, as_bytes: bool = False, chosen: bool = False
) -> list[Content]:
    """The frames of the stream, each with its borders, so that a trailing space is seen; of those
    that have not arrived only the number.
    """
    last = max((i for i, f in enumerate(preview.frames) if f.kind != "done"), default=-1)
    lines = []
    for number, frame in enumerate(preview.frames):
        if number >= playback.shown:
            line = Content.styled("·", MUTED)
        elif as_bytes:
            line = raw(frame.data)
        else:
            reason = preview.proof.finish_reason if number == last else None
            line = _frame_line(frame, reason)
        lines.append(Content.styled(f"{number:>2}  ", MUTED) + line)
    lines = [_stream_head(preview, playback, chosen), Content(""), *lines]
    if not playback.is_whole:
        lines += [Content(""), Content.styled("so far  ", LABEL) + _so_far(preview, playback.shown)]
    return lines


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
    lead = "…" if len(text) > PIECE_LIMIT else ""
    return border("▕") + one_frame(lead + text[-PIECE_LIMIT:])


def raw(data: bytes) -> Content:
    """Bytes as they are sent: what is not printable ASCII as escapes, dimmed."""
    shown, at = data[:RAW_LIMIT], 0
    parts = []
    for match in _NOT_PRINTABLE.finditer(shown):
        parts.append(Content(shown[at : match.start()].decode("ascii")))
        parts.append(Content(_escaped(match[0])).stylize(ESCAPE_STYLE))
        at = match.end()
    parts.append(Content(shown[at:].decode("ascii")))
    if len(data) > RAW_LIMIT:
        more = f"… {len(data) - RAW_LIMIT:,} more bytes; y copies all"
        parts.append(Content.styled(more, MUTED))
    return Content("").join(parts)


def _escaped(data: bytes) -> str:
    return repr(data)[2:-1]


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


def proof_report(preview: Preview, width: int) -> list[Content]:
    """The proof in full: each thing that was compared, and what a client puts together."""
    proof = preview.proof
    head = Content.styled("proof", CHOSEN_HEAD_STYLE)
    head += Content.styled("  the frames, read as a client reads them, against the envelope", MUTED)
    lines = [head, Content("")]
    if preview.unusable:
        lines.append(proof_line(preview))
    lines += [one_line(f"≠ {difference}", WARNING) for difference in proof.differences]
    if proof.holds:
        reason = cut(str(proof.finish_reason), 40)
        agree = (_put_together(proof), f"finish {reason} = {reason}", "id equal in every frame")
        mark = Content.styled("✓ ", SUCCESS)
        lines += [mark + one_line(text) for text in (*agree, "the stream ends with [DONE]")]
    lines += [Content(""), Content.styled("What a client has in the end", HEAD_STYLE)]
    message = {"content": proof.content, "tool_calls": proof.tool_calls}
    shown = {"finish_reason": proof.finish_reason, **{k: v for k, v in message.items() if v}}
    return [*lines, *map(inert, islice(fitted(shown, width), LINE_LIMIT))]


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
