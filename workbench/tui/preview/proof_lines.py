"""The proof as lines: the frames, put together as a client does, are the envelope."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from textual.content import Content

from workbench.core.replies.http_reply import TEXT_KINDS, Frame
from workbench.core.replies.proof import Proof
from workbench.core.text.wording import counted
from workbench.session.preview.preview import Assessment, Preview
from workbench.tui.lines.json_lines import cut
from workbench.tui.lines.line_layout import Line
from workbench.tui.preview.preview_lines import CHOSEN_HEAD_STYLE, HEAD_STYLE, json_lines
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, SUCCESS, WARNING


def proof_line(preview: Preview) -> Content:
    proof = preview.proof
    if preview.to_fill:
        return one_line(f"○ {preview.to_fill}", MUTED)
    if preview.unusable:
        return one_line(f"× cannot be used, so the request is a miss: {preview.unusable}", ERROR)
    if proof is None:
        return Content.styled("no completion  ", WARNING) + one_line(_instead(preview))
    if not proof.holds:
        return one_line(f"≠ {'; '.join(proof.differences)}", WARNING)
    return Content.styled("✓ client  ", SUCCESS) + one_line(" · ".join(_compared(preview, proof)))


def _instead(preview: Preview) -> str:
    """What is sent if there is no complete reply."""
    if preview.streamed.is_cut:
        return preview.streamed.end.removeprefix("then ")
    return f"error {preview.streamed.status}, streamed or not"


def _compared(preview: Preview, proof: Proof) -> tuple[str, str]:
    """What is the same in the stream and in the envelope."""
    reason = cut(str(proof.received["finish_reason"]), 40)
    return _put_together(preview, proof), f"finish {reason} = {reason}"


def _put_together(preview: Preview, proof: Proof) -> str:
    if calls := proof.received.get("tool_calls"):
        return f"{counted(len(calls), 'call')} put together = message.tool_calls"
    if not proof.received["content"]:
        return "no text = message.content"
    pieces = [frame.piece for frame in preview.frames if frame.kind == "content"]
    return (
        f"{counted(len(pieces), 'piece')} of at most {max(map(len, pieces)):,} put together = "
        f"message.content ({len(proof.received['content']):,} characters)"
    )


def proof_report(preview: Preview, width: int) -> Iterator[Line]:
    """The whole proof: what was compared, and what a client puts together."""
    proof = preview.proof
    head = Content.styled("client", CHOSEN_HEAD_STYLE)
    head += Content.styled("  what it reads from the stream, against the envelope", MUTED)
    yield from (head, Content(""))
    if preview.to_fill or preview.unusable or proof is None:
        yield proof_line(preview)
    if preview.to_fill or proof is None:
        return
    yield from (one_line(f"≠ {difference}", WARNING) for difference in proof.differences)
    if proof.holds:
        for text in _compared(preview, proof):
            yield Content.styled("✓ ", SUCCESS) + one_line(text)
    yield from (Content(""), Content.styled("What a client receives in the end", HEAD_STYLE))
    yield from json_lines({key: value for key, value in proof.received.items() if value}, width)


def proof_lines(assessment: Assessment) -> list[Content]:
    """How the answer is streamed, and the proof, in two lines below the editor."""
    preview, proof = assessment.preview, Content.styled("client  ", LABEL)
    if preview.to_fill:
        waits = Content.styled("stream  ", LABEL) + Content.styled("once it is filled in", MUTED)
        return [waits, Content("")]
    frames = Content.styled("stream  ", LABEL) + one_line(", ".join(_parts(preview)))
    if assessment.errors:
        proof += Content.styled("waits for the errors above", MUTED)
    elif preview.proof is not None and preview.proof.holds:
        proof += Content.styled("✓ ", SUCCESS) + Content("gets the same answer, streamed or not")
    else:
        proof += proof_line(preview)
    return [frames, proof]


def _parts(preview: Preview) -> Iterator[str]:
    """The frames in a few words each; successive pieces together, and those that hold nothing of
    the answer at the end.
    """
    telling = [frame for frame in preview.frames if frame.kind != "event"]
    for kind, group in groupby(telling, key=lambda frame: frame.kind):
        frames = list(group)
        if kind in TEXT_KINDS:
            yield counted(len(frames), "piece")
        else:
            yield from (_part(frame, preview.proof) for frame in frames)
    if others := len(preview.frames) - len(telling):
        yield counted(others, "other event")
    if preview.streamed.is_cut:
        yield "closed"
    elif not preview.frames:
        yield "none"


def _part(frame: Frame, proof: Proof | None) -> str:
    if frame.kind == "calls" and proof is not None:
        return counted(len(proof.received.get("tool_calls", [])), "call")
    return "[DONE]" if frame.kind == "done" else frame.kind
