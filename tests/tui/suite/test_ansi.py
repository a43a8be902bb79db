"""The colours of a suite's output are those of the theme."""

from __future__ import annotations

import pytest

from workbench.tui.suite.ansi import from_ansi


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("31", "$text-error"),
        ("1;32", "bold $text-success"),
        ("93", "$text-warning"),
        ("94", "$text-primary"),
        ("37", "$foreground"),
        ("30", "$foreground"),
        ("90", "$foreground-muted"),
        ("2", "$foreground-muted"),
        ("4;31", "underline $text-error"),
        ("38;5;196", "$text-error"),
        ("38;2;0;120;0", "$text-success"),
        ("37;41", "reverse $text-error"),
        ("7", "reverse"),
    ],
)
def test_colours_of_a_terminal_become_those_of_the_theme(codes: str, style: str) -> None:
    content = from_ansi(f"test \x1b[{codes}mFAILED\x1b[0m here")
    assert content.plain == "test FAILED here"
    [span] = [span for span in content.spans if span.style]
    assert (content.plain[span.start : span.end], span.style) == ("FAILED", style)
