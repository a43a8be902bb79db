"""Where in a field its problems are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.core.fixtures.findings import Finding
from workbench.core.json import spans
from workbench.core.json.places import value_span
from workbench.tui.answer.editor import Editor, Mark
from workbench.tui.answer.problems import GLYPHS, said

# Of one field: more are listed than anybody looks for in its text.
MOST_MARKS: Final = 20


def field_marks(editor: Editor, findings: Sequence[Finding], path: spans.Path) -> list[Mark]:
    """The findings about the string at ``path``, at their places in the editor's text."""
    about = [finding for finding in findings if finding.path == path]
    text = editor.whole_text if about else ""
    return [_mark(text, finding) for finding in about[:MOST_MARKS]]


def _mark(text: str, finding: Finding) -> Mark:
    first, behind = _span(text, finding)
    line, column = spans.line_column(text, first)
    line_end = text.find("\n", first)
    width = min(behind, len(text) if line_end < 0 else line_end) - first
    start = (line - 1, column - 1)
    glyph, style = GLYPHS[finding.severity]
    return Mark(start, (start[0], start[1] + width), said(finding), style, glyph)


def _span(text: str, finding: Finding) -> tuple[int, int]:
    """Where in an editor's text a problem is; one of the whole is marked where the text begins."""
    if finding.inner is None:
        at = min(finding.inner_offset or 0, max(len(text) - 1, 0))
        return at, at + 1
    try:
        return value_span(text, finding.inner)
    except KeyError:  # it is missing: the object that should have it
        return value_span(text, finding.inner[:-1])
