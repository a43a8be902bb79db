"""The problems of a draft: always four rows, so that nothing moves when one comes or goes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.content import Content

from workbench.core.findings import Finding
from workbench.tui.inert import one_line
from workbench.tui.line_view import LineView
from workbench.tui.styles import ACCENT, ERROR, MUTED, SUCCESS, WARNING

GLYPHS = {
    "error": ("×", ERROR),
    "warning": ("!", WARNING),
    "info": ("·", MUTED),
}


class ProblemList(LineView):
    """Findings with rule, place and message."""

    DEFAULT_CSS = """
    ProblemList { height: 4; min-height: 4; max-height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._lines_of: list[int] = []

    def show_findings(
        self,
        findings: Sequence[Finding],
        current: int,
        allowed: Collection[str] = (),
        *,
        is_empty: bool = False,
    ) -> None:
        """Show ``findings``, number ``current`` first in view.

        Args:
            allowed: rules that this fixture may break.
            is_empty: the answer says nothing, which is no problem and no success.
        """
        ordered = [f for f in findings if f.severity != "info"]
        lines: list[Content] = []
        self._lines_of = []
        for number, finding in enumerate(ordered):
            self._lines_of.append(len(lines))
            lines += _lines(finding, chosen=number == current and len(ordered) > 1)
        notes = len(findings) - len(ordered)
        if not ordered:
            more = f"  {notes} note{'s' * (notes != 1)}" if notes else ""
            but = f" but what is allowed: {', '.join(sorted(allowed))}" if allowed else ""
            fine = Content.styled("✓ no problems", SUCCESS)
            nothing = Content.styled("· an empty answer", MUTED)
            lines = [(nothing if is_empty else fine) + one_line(but + more, MUTED)]
            lines += [line for f in findings for line in _lines(f, chosen=False)]
        self.show(lines)
        if 0 <= current < len(self._lines_of):
            self.scroll_to_line(self._lines_of[current])


def _lines(finding: Finding, *, chosen: bool) -> list[Content]:
    glyph, style = GLYPHS[finding.severity]
    head = Content.styled(f"{glyph} {finding.rule}  ", f"bold {style}")
    head += Content.styled(place(finding), MUTED)
    if chosen:
        head += Content.styled("  ◂", ACCENT)
    body = Content("  ") + one_line(said(finding))
    if finding.fix is not None:
        body += Content("  ") + one_line(f"^r {finding.fix.title}", ACCENT)
    return [head, body]


def said(finding: Finding) -> str:
    """The message of a finding, without the place that stands beside it."""
    path = finding.path
    if path[:2] == ("response", "tool_calls") and len(path) > 2:
        return finding.message.removeprefix(f"call {path[2]}: ")
    return finding.message


def place(finding: Finding) -> str:
    """Where a finding is, in the words of the editor: ``call 0``, ``content``."""
    path = finding.path
    if path[:2] == ("response", "tool_calls") and len(path) > 2:
        inner = ".".join(str(step) for step in finding.inner or ())
        return f"call {path[2]}" + (f", {inner}" if inner else "")
    if path[:1] == ("response",) and len(path) > 1:
        return str(path[1])
    return f"line {finding.line}, column {finding.column}" if not path else str(path[0])
