"""The problems of a draft: their list below the fields, and their marks in an editor."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from textual.content import Content
from textual.timer import Timer

from workbench.core.fixture.findings import Finding
from workbench.core.json.holes import holes
from workbench.core.json.places import place_of
from workbench.core.json.spans import Path, dotted, line_column
from workbench.core.replies.response import FIRST, requests_of, response_of
from workbench.tui.answer.editor import Editor
from workbench.tui.answer.marks import Mark
from workbench.tui.lines.line_layout import OneRow
from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.glyphs import SEVERITIES
from workbench.tui.widgets.inert import one_line
from workbench.tui.widgets.styles import ACCENT, MUTED, SUCCESS

# Keys of the answer pane that help where a rule has no safe fix.
WAYS_OUT = {"tool-not-offered": "^g removes the call"}
# The most problems marked in one editor.
MOST_MARKS: Final = 20
# Invalid JSON is marked to the end of its word.
_WORD: Final = re.compile(r"[-+\w.]+")
_LONGEST_WORD: Final = 100


class ProblemList(LineView):
    """Findings with message, place and rule; one of them is chosen. It is as high as they need, but
    changes its height only when you have not typed for a moment, so that nothing moves below your
    hands.
    """

    DEFAULT_CSS = """
    ProblemList { height: 1; min-height: 1; max-height: 8; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._rest: Timer | None = None
        self._about = ""
        self.findings: Sequence[Finding] = ()
        self._chosen = 0
        # The identity of the problem that ``choose_next`` chose.
        self._visited: tuple[object, ...] | None = None

    @property
    def chosen(self) -> Finding | None:
        """The chosen problem; None if there are no problems."""
        return self.findings[self._chosen] if self.findings else None

    @property
    def written(self) -> Sequence[Finding]:
        """The problems of what is written, without what is still to be filled in."""
        return [finding for finding in self.findings if not finding.to_fill]

    @property
    def fixable(self) -> Finding | None:
        """The first problem with a safe fix, from the chosen one on and then from the start."""
        around = (*self.findings[self._chosen :], *self.findings)
        return next((finding for finding in around if finding.fix is not None), None)

    def choose_next(self) -> None:
        """Choose the next problem and scroll to it, wrapping around. A problem that was chosen only
        because it is new or replaced another counts as the next itself.
        """
        was_here = self.chosen is not None and self.chosen.identity == self._visited
        self._visit(self._chosen + was_here)

    def choose_first_error(self) -> None:
        """Choose the first problem that is an error, and scroll to it."""
        faults = [finding.is_fault for finding in self.findings]
        errors = [finding.blocks for finding in self.findings]
        first = faults if any(faults) else errors
        self._visit(first.index(True) if any(first) else 0)

    def _visit(self, number: int) -> None:
        self._choose(number)
        self._visited = self.chosen.identity if self.chosen is not None else None

    def _choose(self, number: int) -> None:
        if not self.findings:
            return
        self._chosen = number % len(self.findings)
        lines: list[Content] = []
        first = 0
        for place, finding in enumerate(self.findings):
            is_chosen = place == self._chosen
            first = len(lines) if is_chosen else first
            lines.append(_line(finding, chosen=is_chosen and len(self.findings) > 1))
        if self._about and any(finding.to_fill for finding in self.findings):
            lines.append(one_line(f"  {self._about}", MUTED))
        self.show(lines)
        self.scroll_to_line(first)

    def show_findings(
        self, findings: Sequence[Finding], allowed: Collection[str], proof: Content | None
    ) -> None:
        """Show other findings; the number of the chosen one stays. Without any, show how the answer
        is sent; of an empty one, for which there is no ``proof``, nothing.
        """
        self.findings = [f for f in findings if f.severity != "info"]
        if self.findings:
            self._choose(min(self._chosen, len(self.findings) - 1))
            return
        self._chosen, self._visited = 0, None
        but = f" except what is allowed: {', '.join(sorted(allowed))}" if allowed else ""
        fine = Content.styled("✓ no problems", SUCCESS) + one_line(but, MUTED)
        head = [] if proof is None else [OneRow(Content(", ").join((fine, proof)))]
        self.show([*head, *(_line(finding, chosen=False) for finding in findings)])

    def show_about(self, about: str) -> None:
        """Show the purpose of the hole at the cursor, if the hole has no room for it; "" for
        nothing.
        """
        if about != self._about:
            self._about = about
            self._choose(self._chosen)
            self.fit()

    def fit(self, after: float = 0.0) -> None:
        """Be as high as the lines need, ``after`` seconds without another call."""
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(after, self._fit) if after else None
        if not after:
            self._fit()

    def _fit(self) -> None:
        self.complete()
        self.styles.height = max(self.virtual_size.height, 1)

    def on_resize(self) -> None:
        if self._rest is None:
            self._fit()


def _line(finding: Finding, *, chosen: bool) -> Content:
    """The error, its fix, its place, and its rule."""
    if finding.to_fill:
        return one_line(f"○ {finding.to_fill} to fill   {_place(finding)}", MUTED)
    glyph, style = SEVERITIES[finding.severity]
    line = Content.styled(f"{glyph} ", f"bold {style}") + one_line(_message(finding))
    if finding.fix is not None:
        recorded = " in the recorded reply" if finding.fix.changes_recording else ""
        line += one_line(f"  ^r {finding.fix.title}{recorded}", ACCENT)
    elif finding.rule in WAYS_OUT:
        line += Content.styled(f"  {WAYS_OUT[finding.rule]}", ACCENT)
    line += one_line(f"  {_place(finding)} · {finding.rule}", MUTED)
    return line + Content.styled("  ◂", ACCENT) if chosen else line


def call_of(finding: Finding) -> int | None:
    """The number of the call with a finding, among the calls of its response."""
    inside = finding.path[len(response_of(finding.path)) :]
    if len(inside) > 1 and inside[0] == "tool_calls" and isinstance(inside[1], int):
        return inside[1]
    return None


def _message(finding: Finding) -> str:
    """The message of a finding without its place, which is shown beside it."""
    message = finding.message
    at, call = response_of(finding.path), call_of(finding)
    if at[:1] == FIRST:
        message = message.removeprefix(dotted(at)).lstrip(".: ")
    message = message.removeprefix("content: " if call is None else f"call {call}: ")
    return message.removeprefix(f"{dotted(finding.inner)}: ") if finding.inner else message


def _place(finding: Finding) -> str:
    """Where a finding is, in the words of the editor: ``call 0``, ``content``, ``1st request,
    content``.
    """
    path, at, call = finding.path, response_of(finding.path), call_of(finding)
    inside = path[len(at) :]
    if call is not None:
        inner = ".".join(str(step) for step in finding.inner or ())
        place = f"call {call}" + (f", {inner}" if inner else "")
    elif at and inside:
        place = str(inside[0])
    else:
        place = f"line {finding.line}, column {finding.column}" if not path else str(path[0])
    if at[:1] != FIRST:
        return place
    return ", ".join(filter(None, [requests_of(at), place if inside else ""]))


# Marks


def document_mark(finding: Finding) -> Mark:
    """The mark of a finding in the text of the whole document."""
    start = (finding.line - 1, finding.column - 1)
    glyph, style = SEVERITIES[finding.severity]
    return Mark(start, (start[0], start[1] + 1), finding.message, style, glyph)


def field_marks(editor: Editor, findings: Sequence[Finding], path: Path) -> list[Mark]:
    """The marks of the findings about the string at ``path``, which ``editor`` shows."""
    about = [finding for finding in findings if finding.path == path]
    text = editor.whole_text if about else ""
    return [_mark(text, finding) for finding in about[:MOST_MARKS]]


def _mark(text: str, finding: Finding) -> Mark:
    start, end = _span(text, finding)
    line, column = line_column(text, start)
    line_end = text.find("\n", start)
    width = min(end, len(text) if line_end < 0 else line_end) - start
    glyph, style = SEVERITIES[finding.severity]
    first = (line - 1, column - 1)
    return Mark(first, (line - 1, column - 1 + width), _message(finding), style, glyph)


def _span(text: str, finding: Finding) -> tuple[int, int]:
    """Where in the text of an editor a problem is; a problem of the whole text is at its start."""
    if finding.to_fill and (left := holes(text)):  # on another line than in the document
        return left[0].span()
    if finding.inner is None:
        at = min(finding.inner_offset or 0, max(len(text) - 1, 0))
        line = text.rfind("\n", 0, at) + 1
        words = _WORD.finditer(text, max(line, at - _LONGEST_WORD), at + _LONGEST_WORD)
        return next((w.span() for w in words if w.start() <= at < w.end()), (at, at + 1))
    try:
        return place_of(text, finding.inner).span
    except KeyError:  # a missing key: mark the object that should have it
        return place_of(text, finding.inner[:-1]).span
