"""The nearest fixture as sections, without a screen."""

from __future__ import annotations

from workbench.core.requests.differences import Difference
from workbench.core.requests.nearest import Nearest
from workbench.session.misses.nearest_result import NearestResult
from workbench.tui.request.nearest_lines import nearest_sections

ESCAPES = "\x1b[31mstop\n\u202e"


def lines_of(sight: NearestResult) -> list[str]:
    sections = list(nearest_sections(sight))
    return [line.plain for section in sections for line in (section.head, *section.body())]


def nearest(*differences: Difference) -> Nearest:
    return Nearest("b" * 64, False, 0.7, differences, shared=1, messages=2)


def test_what_a_fixture_says_is_drawn_as_text() -> None:
    response = {"content": ESCAPES, "finish_reason": ESCAPES}
    drawn = "\n".join(lines_of(NearestResult("a" * 64, nearest(), response, fixtures=1)))
    assert "finish \\x1b[31mstop \\u202e" in drawn
    assert "\x1b" not in drawn


def test_when_the_fixture_was_saved_is_said_where_it_is_a_time() -> None:
    for modified, said in ((0.0, True), (1e12, False), (1e30, False), (None, False)):
        head, *_ = lines_of(NearestResult("a" * 64, nearest(), {}, modified, fixtures=1))
        assert ("fixture saved" in head) == said


def test_of_many_lines_the_rest_is_counted() -> None:
    for more, said in ((1, "    1 more line"), (2, "    2 more lines")):
        text = "\n".join(["line"] * (40 + more))
        difference = Difference("messages[1].content", "user", text, None)
        drawn = lines_of(NearestResult("a" * 64, nearest(difference), {}, fixtures=1))
        assert said in drawn


def test_a_difference_of_white_space_is_seen() -> None:
    before, after = "You are a  cook.\nBe brief.", "You are a cook.\n\nBe brief."
    spaces = Difference("messages[0].content", "system", "  ", " ", 9, 9, None, before, after)
    lines = Difference("messages[0].content", "system", "", "\n", 17, 16, None, before, after)
    drawn = lines_of(NearestResult("a" * 64, nearest(spaces, lines), {}, fixtures=1))
    assert [line for line in drawn if line.startswith(("  - ", "  + "))] == [
        "  - You are a··cook.",
        "  + You are a·cook.",
        "  - Be brief.",
        "  + \\nBe brief.",
    ]
