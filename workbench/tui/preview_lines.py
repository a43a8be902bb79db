"""Envelope, frames and proof as lines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from textual.content import Content

from workbench.core.wire import ENVELOPE_TYPE, Frame
from workbench.session.preview import Assessment, Preview
from workbench.tui.inert import inert, one_line
from workbench.tui.styles import ACCENT, ERROR, LABEL, MUTED, SUCCESS, WARNING

FITTED_WIDTH = 60


def envelope_lines(preview: Preview) -> list[Content]:
    """The envelope, laid out; its clock is named, not shown."""
    value = json.loads(preview.envelope)
    head = Content.styled("envelope", "bold $text-secondary")
    head += Content.styled(f"  200 {ENVELOPE_TYPE}   {len(preview.envelope):,} bytes", MUTED)
    lines = [head, Content("")]
    shown = [line.replace('"created": 0,', '"created": <clock>,') for line in fitted(value)]
    return [*lines, *map(inert, shown)]


def fitted(
    value: object, width: int = FITTED_WIDTH, *, indent: int = 0, lead: str = "", end: str = ""
) -> list[str]:
    """``value`` as JSON with every object and list on one line that fits in ``width``."""
    whole = " " * indent + lead + json.dumps(value, ensure_ascii=False) + end
    if len(whole) <= width or not isinstance(value, dict | list) or not value:
        return [whole]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    pairs = (
        [(json.dumps(k, ensure_ascii=False) + ": ", v) for k, v in value.items()]
        if isinstance(value, dict)
        else [("", v) for v in value]
    )
    lines = [" " * indent + lead + opening]
    for number, (key, item) in enumerate(pairs, start=1):
        comma = "," if number < len(pairs) else ""
        lines += fitted(item, width, indent=indent + 2, lead=key, end=comma)
    return [*lines, " " * indent + closing + end]


def frame_lines(preview: Preview) -> list[Content]:
    """The frames of the stream, each with its borders, so that a trailing space is seen."""
    head = Content.styled("stream", "bold $text-secondary")
    head += Content.styled(
        f"  200 text/event-stream   {len(preview.frames)} frames, {len(preview.stream):,} bytes",
        MUTED,
    )
    return [head, Content(""), *map(_frame_line, range(len(preview.frames)), preview.frames)]


def _frame_line(number: int, frame: Frame) -> Content:
    line = Content.styled(f"{number:>2}  ", MUTED)
    if frame.kind == "done":
        return line + Content(" " * 9 + "[DONE]")
    line += Content.styled(f"{frame.kind:<8} ", LABEL)
    if frame.kind == "role":
        return line + Content('content=""')
    if frame.kind in ("content", "calls"):
        bar = Content.styled("▕", ACCENT)
        line += bar + one_frame(frame.piece) + Content.styled("▏", ACCENT)
    reason = _finish_reason(frame)
    if reason is not None:
        line += one_line(f" finish_reason={reason}", MUTED)
    return line


def one_frame(piece: object) -> Content:
    """A piece with line ends and tabs as escapes, so that a frame stays one line."""
    text = piece if isinstance(piece, str) else json.dumps(piece)
    return inert(text.replace("\n", "\\n").replace("\t", "\\t"))


def _finish_reason(frame: Frame) -> object:
    return json.loads(frame.data[6:])["choices"][0]["finish_reason"]


def proof_line(preview: Preview) -> Content:
    """One line: what was put together and whether it is the envelope."""
    proof = preview.proof
    if preview.unusable:
        return one_line(f"× the server would send the fallback: {preview.unusable}", ERROR)
    if not proof.holds:
        return one_line(f"≠ {'; '.join(proof.differences)}", WARNING)
    if proof.tool_calls:
        calls = len(proof.tool_calls)
        what = f"{calls} call{'s' * (calls != 1)} put together = message.tool_calls"
    else:
        pieces = len(proof.pieces)
        longest = max(map(len, proof.pieces), default=0)
        what = (
            f"{pieces} piece{'s' * (pieces != 1)} of at most {longest} put together = "
            f"message.content ({len(proof.content):,} characters)"
        )
    text = (
        f"{what} · finish {proof.finish_reason} = {proof.finish_reason} · id equal in every frame"
    )
    return Content.styled("✓ proof  ", SUCCESS) + one_line(text)


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
