"""Texts about recordings and exchanges for the panes of the Recordings tab."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from workbench.core.recordings.branches import ExchangeDifference
from workbench.core.recordings.exchanges import Exchange
from workbench.session.recordings.exchange_rows import ExchangeFacts
from workbench.session.recordings.index import MOST_DIFFERENCES, RecordingIndex
from workbench.session.recordings.recording_query import RecordingFacts
from workbench.tui.lines.json_lines import JsonLine, json_lines
from workbench.tui.lines.line_layout import Line
from workbench.tui.lines.text_lines import safe
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED, SUCCESS, WARNING

ARGUMENT_LINES = 1_000


def unreadable(index: RecordingIndex, recording: str) -> list[Content]:
    """Why a recording cannot be opened."""
    return [
        Content(""),
        one_line(f"  {index.unreadable[recording]}", ERROR),
        one_line(f"  {index.folder / recording}.jsonl", MUTED),
    ]


def no_exchanges(facts: RecordingFacts) -> list[Content]:
    return [Content(""), one_line(f"  No exchanges: {facts.ended}.", MUTED)]


def brief(position: int, facts: ExchangeFacts) -> Content:
    """An exchange in a line: ``2 get_weather   {"city": "London"}  →  "12C rain"``."""
    line = Content.styled(f"{position} ", "bold") + one_line(facts.node or "no node", "bold")
    if facts.problem:
        return line + one_line(f"   {facts.problem}", ERROR)
    return (
        line
        + one_line(f"   {facts.request}")
        + Content.styled("  →  ", MUTED)
        + one_line(facts.reply)
    )


def ending(facts: RecordingFacts) -> Content:
    """Which lines of a recording could not be read, and how it ended if it is not complete."""
    ended = "" if facts.state == "complete" else f"{facts.ended[:1].upper()}{facts.ended[1:]}."
    line = one_line(ended, MUTED)
    if facts.problems:
        more = f" (and {len(facts.problems) - 1:,} more)" if len(facts.problems) > 1 else ""
        message = f"{len(facts.problems):,} of its lines cannot be read: {facts.problems[0]}{more}"
        line = one_line(f"! {message}  ", WARNING) + line
    return line


def call_lines(exchange: Exchange) -> list[Line]:
    """The arguments of a call that is not an LLM call."""
    lines: list[Line] = [Content.styled("called with", LABEL)]
    for number, line in enumerate(json_lines(exchange.request)):
        if number == ARGUMENT_LINES:
            return [*lines, Content.styled("    … more lines are not shown", MUTED)]
        lines.append(safe(f"    {line}", JsonLine))
    return lines


def difference_lines(
    before: str, after: str, differences: Sequence[ExchangeDifference]
) -> list[Content]:
    """The differences of two recordings, with the names ``before`` and ``after``, exchange by
    exchange.
    """
    head = Content.styled("- ", ERROR) + one_line(before, MUTED)
    head += Content.styled("   + ", SUCCESS) + one_line(after, MUTED)
    lines = [head, Content("")]
    for difference in differences:
        where = f"{difference.position} {difference.node or 'no node'}"
        lines.append(Content.styled(where, "bold") + one_line(f"  {_kind(difference)}", MUTED))
        if difference.divergence is not None:
            lines.append(one_line(f"    - {difference.divergence.before}", ERROR))
            lines.append(one_line(f"    + {difference.divergence.after}", SUCCESS))
    if len(differences) == MOST_DIFFERENCES:
        lines.append(Content.styled("… further differences are not shown", MUTED))
    return lines if differences else [head, Content(""), Content("No exchange differs.")]


def _kind(difference: ExchangeDifference) -> str:
    if difference.kind == "only before":
        return "only in the first"
    if difference.kind == "only after":
        return "only in the second"
    where = difference.divergence.where if difference.divergence is not None else ""
    return f"{difference.kind}  {where}" if where and where != difference.kind else difference.kind
