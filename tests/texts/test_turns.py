"""No text of the project has a turn of the list: README, manual, forms, strings and docstrings."""

from __future__ import annotations

import pytest

from tests.texts.turns import TURNS, pages, strings, turns, turns_in

# For each pattern of the list, in its order, a sentence that has the turn.
EXAMPLES = [
    "moderations are not spoken by this server",
    "Put aside; again: back",
    "Let misses wait, or no longer",
    "(default: as it says itself)",
    "If the fallback is wanted",
    "99f0 is no digest of this log",
    "Somebody waits for it",
    "readable by you alone",
    "It counts, too.",
    "new fixtures anew",
    "as ever, it is kept",
    "renamed by now",
    "It is answered all the same",
    "Meanwhile the suite waits",
    "So many frames of a stream are sent",
    "Against a database: files are reviewed",
    "a digest a line",
    "the fixture holds no request",
    "a list that holds ",  # before a number
]


def test_no_text_has_a_turn_of_the_list() -> None:
    assert turns() == []


@pytest.mark.parametrize(("pattern", "example"), list(zip(TURNS, EXAMPLES, strict=True)))
def test_a_turn_is_found_with_its_line_and_a_better_wording(pattern: str, example: str) -> None:
    found = list(turns_in(f"First line.\n{example}"))
    assert (2, TURNS[pattern]) in [(line, better) for line, _, better in found]


def test_pages_and_docstrings_are_read() -> None:
    names = {page.name for page in pages()}
    assert {"README.md", "index.md", "CONTRIBUTING.md", "bug.yml"} <= names
    source = '"""Of a module."""\ndef f():\n    """Of a function."""\n    return "a string"\n'
    assert list(strings(source)) == [(1, "Of a module."), (3, "Of a function."), (4, "a string")]


def test_english_that_is_right_is_left() -> None:
    text = "There is no fixture. It is no longer held. The answer is no more than a text."
    assert list(turns_in(text)) == []
