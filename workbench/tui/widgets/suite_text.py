"""The state of a suite, in its colour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from workbench.tui.widgets.styles import ACCENT, ERROR, SUCCESS, WARNING

if TYPE_CHECKING:
    from workbench.session.suite.suite import Suite


def suite_text(suite: Suite, text: str, *, has_glyph: bool) -> Content:
    """A text about the last run in the colour of its state; while it goes on, followed by the
    number of tests that failed: ``● running 00:07 · 1 failed``.
    """
    glyph, style = _look(suite)
    failing = Content.styled(f" · {suite.failing}", ERROR) if suite.failing else Content("")
    return Content.styled(f"{glyph} {text}" if has_glyph else text, style) + failing


def _look(suite: Suite) -> tuple[str, str]:
    """The glyph and the style of a state."""
    if suite.is_running:
        return "●", ACCENT
    if suite.has_passed:
        return "✓", SUCCESS
    return ("✗", ERROR) if suite.has_failed else ("?", WARNING)
