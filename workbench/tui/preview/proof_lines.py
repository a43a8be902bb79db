"""The proof as lines: the frames, put together as a client does, are the envelope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from textual.content import Content

from workbench.core.replies.proof import Proof
from workbench.core.text.wording import counted
from workbench.session.preview.preview import Preview
from workbench.tui.lines.json_lines import cut
from workbench.tui.lines.line_layout import Line
from workbench.tui.preview.preview_lines import CHOSEN_HEAD_STYLE, HEAD_STYLE, json_lines
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, MUTED, SUCCESS, WARNING


def proof_line(preview: Preview, width: int) -> Content:
    """The proof in one line, with fewer details where ``width`` has no room for all."""
    proof = preview.proof
    if preview.to_fill:
        return one_line(f"○ {preview.to_fill}", MUTED)
    if preview.unusable:
        return one_line(f"× cannot be used, so the request is a miss: {preview.unusable}", ERROR)
    if proof is None:
        return Content.styled("no completion  ", WARNING) + one_line(_instead(preview))
    if not proof.holds:
        return one_line(f"≠ {'; '.join(proof.differences)}", WARNING)
    head = Content.styled("✓ client  ", SUCCESS)
    line = head + one_line(" · ".join(_compared(preview, proof)))
    if line.cell_length <= width:
        return line
    return head + one_line(f"{_in_brief(preview, proof)} · finish {_finish(proof)}")


def _instead(preview: Preview) -> str:
    """The reply that is sent if there is no complete one."""
    if preview.streamed.is_cut:
        return preview.streamed.end.removeprefix("then ")
    return f"error {preview.streamed.status}, streamed or not"


def _compared(preview: Preview, proof: Proof) -> tuple[str, str]:
    """The values that stream and envelope have in common."""
    finish = _finish(proof)
    return _put_together(preview, proof), f"finish {finish} = {finish}"


def _finish(proof: Proof) -> str:
    return cut(str(proof.received["finish_reason"]), 40)


def _put_together(preview: Preview, proof: Proof) -> str:
    if calls := proof.received.get("tool_calls"):
        return f"{counted(len(calls), 'call')} put together = message.tool_calls"
    if not proof.received["content"]:
        return "no text = message.content"
    pieces = _pieces(preview)
    return (
        f"{counted(len(pieces), 'piece')} of at most {max(map(len, pieces)):,} put together = "
        f"message.content ({len(proof.received['content']):,} characters)"
    )


def _in_brief(preview: Preview, proof: Proof) -> str:
    if calls := proof.received.get("tool_calls"):
        return f"{counted(len(calls), 'call')} put together"
    if not proof.received["content"]:
        return "no text"
    return f"{counted(len(_pieces(preview)), 'piece')} put together"


def _pieces(preview: Preview) -> list[Any]:
    """Of text; the content of a fixture may be a list, which is one piece."""
    return [frame.piece for frame in preview.frames if frame.kind == "content"]


def proof_report(preview: Preview, width: int) -> Iterator[Line]:
    """The whole proof: what was compared, and what a client puts together."""
    proof = preview.proof
    head = Content.styled("client", CHOSEN_HEAD_STYLE)
    head += Content.styled("  what it reads from the stream, against the envelope", MUTED)
    yield from (head, Content(""))
    if preview.to_fill or preview.unusable or proof is None:
        yield proof_line(preview, width)
    if preview.to_fill or proof is None:
        return
    yield from (one_line(f"≠ {difference}", WARNING) for difference in proof.differences)
    if proof.holds:
        for text in _compared(preview, proof):
            yield Content.styled("✓ ", SUCCESS) + one_line(text)
    yield from (Content(""), Content.styled("What a client receives in the end", HEAD_STYLE))
    yield from json_lines({key: value for key, value in proof.received.items() if value}, width)


def short_proof(preview: Preview, width: int) -> Content | None:
    """The proof in a few words, for below the editor; None for an empty answer."""
    if preview.is_empty:
        return None
    if preview.proof is None and not (preview.to_fill or preview.unusable):
        return one_line(_instead(preview), MUTED)
    if preview.proof is None or not preview.proof.holds or preview.unusable:
        return proof_line(preview, width)
    return Content.styled("streamed or not", MUTED)
