"""One run of a golden query as lines: its outcome, tool calls, checks and exchanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.content import Content

from workbench.core.evals import CalledTool, Check, Query, QueryRun
from workbench.core.recordings.exchanges import Exchange
from workbench.core.recordings.labels import json_line, reply_line
from workbench.core.text.digests import short
from workbench.tui.evals.eval_list import VERDICTS, rate_style
from workbench.tui.lines.line_layout import Line, OneRow
from workbench.tui.lines.text_lines import indented
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ERROR, LABEL, MUTED

NAME_WIDTH = 16
INDENT = 2


def query_lines(query: Query, rates: Sequence[int]) -> Iterator[Line]:
    """The query, why it was skipped if it was, and its rates in the reports so far."""
    yield one_line(query.id, "bold") + one_line(f'  "{query.query}"' if query.query else "")
    if query.rate is None:
        yield Content.styled("skipped  ", MUTED) + one_line(query.skipped or "")
    if len(rates) > 1:
        so_far = " → ".join(f"{rate}%" for rate in rates)
        yield Content.styled("history  ", MUTED) + Content(so_far)


def run_lines(
    query: Query, run: QueryRun, exchanges: Sequence[Exchange | str], shown: int
) -> Iterator[Line]:
    """One run.

    Args:
        exchanges: those of the run; a string explains why one cannot be read.
        shown: the number of the exchange in the other panes, from 0.
    """
    yield _outcome(query, run)
    if not run.passed:
        yield from indented(query.why(run), INDENT, advice="")
    if run.calls:
        yield Content.styled("called", LABEL)
        yield from (line for call in run.calls for line in indented(_call(call), INDENT, advice=""))
    if run.checks:
        yield Content.styled("checks", LABEL)
        yield from (_check(check, is_shown=check.reason == run.failure) for check in run.checks)
    if exchanges:
        yield Content.styled("asked", LABEL)
    for number, exchange in enumerate(exchanges):
        yield _exchange(number, exchange, is_shown=number == shown)


def _outcome(query: Query, run: QueryRun) -> Content:
    look = VERDICTS["holds" if run.passed else "fails"]
    of_all = f"  {query.passes:,} of {len(query.runs):,} passed"
    required = f" ({query.required:.0%} required)" if query.required < 1 else ""
    word = f"{look.glyph} {'passed' if run.passed else 'failed'}"
    line = Content(f"run {run.run} ") + Content.styled(word, look.style)
    line += Content.styled(f"{of_all}{required}", rate_style(query))
    return line + Content.styled(f"  {run.seconds:,.2f} s", MUTED)


def _call(call: CalledTool) -> str:
    """``search_wines(query="red wine", max_price=50.0)``."""
    arguments = ", ".join(f"{name}={json_line(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _check(check: Check, *, is_shown: bool) -> Content:
    """A check, with its reason unless that is shown already."""
    look = VERDICTS["holds" if check else "inconclusive" if check.inconclusive else "fails"]
    line = Content.styled(f"{'':{INDENT}}{look.glyph} ", look.style)
    reason = "" if is_shown else check.reason
    return line + one_line(check.name.ljust(NAME_WIDTH if reason else 0)) + one_line(reason, MUTED)


def _exchange(number: int, exchange: Exchange | str, *, is_shown: bool) -> OneRow:
    line = Content(f"{'>' if is_shown else ' '} {number + 1}  ")
    if isinstance(exchange, str):
        return OneRow(line + one_line(exchange, ERROR))
    if exchange.digest:
        line += Content.styled(f"{short(exchange.digest)}  ", MUTED)
    if exchange.node:
        line += one_line(f"{exchange.node}  ")
    return OneRow(line + one_line(reply_line(exchange)))
