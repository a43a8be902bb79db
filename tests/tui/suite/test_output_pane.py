"""The lines of a suite's output as they are drawn."""

from __future__ import annotations

from workbench.tui.suite.output_pane import OutputLine


def test_joined_emoji_stand_side_by_side_as_in_other_texts() -> None:
    line = OutputLine.of("\x1b[31m\U0001f468\u200d\U0001f469 passed\x1b[0m")
    assert (str(line), line.written.count("\u200d")) == ("\U0001f468\U0001f469 passed", 0)
