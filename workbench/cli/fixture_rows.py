"""Fixtures as lines of text."""

from __future__ import annotations

from typing import Final

from workbench.core.fixture.names import short_name
from workbench.core.text.inert import excerpt
from workbench.session.fixture.listing import ListedFixture

# Of each text: four columns with their gaps are 140 characters wide.
_WIDTH: Final = 40
# The prefix of a later turn of a conversation.
_INDENT: Final = "  "


def fixture_row(fixture: ListedFixture, last: str, *, is_later: bool = False) -> str:
    """A fixture as a line: digest, question, answer, and text in the last column.

    Args:
        is_later: the line before is an earlier turn of its conversation.
    """
    summary = fixture.summary
    unknown = "(unknown)" if fixture.problem else "(request not stored)"
    question = (_INDENT if is_later else "") + (summary.question or unknown)
    answer = fixture.problem or summary.answer
    texts = [f"{excerpt(text, _WIDTH):<{_WIDTH}}" for text in (question, answer)]
    return f"{short_name(fixture.name)}  {' → '.join(texts)}  {last}".rstrip()
