"""The problems of a draft: always four rows, so that nothing moves when one comes or goes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.content import Content

from workbench.core.fixtures.findings import Finding
from workbench.session.wording import counted
from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ACCENT, ERROR, MUTED, SUCCESS, WARNING

GLYPHS = {
    "error": ("×", ERROR),
    "warning": ("!", WARNING),
    "info": ("·", MUTED),
}
# What the answer pane's keys do about a rule that has no certain fix.
WAYS_OUT = {"tool-not-offered": "^g removes the call"}


class ProblemList(LineView):
    """Findings with rule, place and message; one of them is chosen.

    Attributes:
        problems: those that are more than notes.
    """

    DEFAULT_CSS = """
    ProblemList { height: 4; min-height: 4; max-height: 4; }
    """

    def __init__(self) -> None:
        super().__init__()
        self.problems: Sequence[Finding] = ()
        self._chosen = 0

    @property
    def chosen(self) -> Finding | None:
        """The problem whose turn it is; None where there is none."""
        return self.problems[self._chosen] if self.problems else None

    @property
    def fixable(self) -> Finding | None:
        """The first problem from the chosen one on that has a certain fix."""
        around = (*self.problems[self._chosen :], *self.problems)
        return next((finding for finding in around if finding.fix is not None), None)

    def choose(self, number: int) -> None:
        """Choose a problem, if there is any, and scroll to it; behind the last is the first."""
        if self.problems:
            self._chosen = number % len(self.problems)
            self._show_problems()

    def choose_next(self) -> None:
        """Choose the next problem and scroll to it."""
        self.choose(self._chosen + 1)

    def choose_first_error(self) -> None:
        """Choose the first problem that is an error, and scroll to it."""
        kinds = [finding.severity for finding in self.problems]
        self.choose(kinds.index("error") if "error" in kinds else 0)

    def show_findings(
        self, findings: Sequence[Finding], allowed: Collection[str], *, is_empty: bool
    ) -> None:
        """Show other findings; the number of the one that is chosen stays.

        Args:
            allowed: rules that this fixture may break.
            is_empty: the answer says nothing, which is no problem and no success.
        """
        self.problems = [f for f in findings if f.severity != "info"]
        if self.problems:
            self.choose(min(self._chosen, len(self.problems) - 1))
            return
        self._chosen = 0
        more = f"  {counted(len(findings), 'note')}" if findings else ""
        but = f" but what is allowed: {', '.join(sorted(allowed))}" if allowed else ""
        fine = Content.styled("✓ no problems", SUCCESS)
        nothing = Content.styled("· an empty answer", MUTED)
        head = (nothing if is_empty else fine) + one_line(but + more, MUTED)
        self.show([head, *(line for f in findings for line in _lines(f, chosen=False))])

    def _show_problems(self) -> None:
        lines: list[Content] = []
        first = 0
        for number, finding in enumerate(self.problems):
            is_chosen = number == self._chosen
            first = len(lines) if is_chosen else first
            lines += _lines(finding, chosen=is_chosen and len(self.problems) > 1)
        self.show(lines)
        self.scroll_to_line(first)


def _lines(finding: Finding, *, chosen: bool) -> list[Content]:
    glyph, style = GLYPHS[finding.severity]
    head = Content.styled(f"{glyph} {finding.rule}  ", f"bold {style}")
    head += Content.styled(place(finding), MUTED)
    if chosen:
        head += Content.styled("  ◂", ACCENT)
    body = Content("  ") + one_line(said(finding))
    if finding.fix is not None:
        body += Content("  ") + one_line(f"^r {finding.fix.title}", ACCENT)
    elif finding.rule in WAYS_OUT:
        body += Content("  ") + Content.styled(WAYS_OUT[finding.rule], ACCENT)
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
