"""Sections: which lines are shown, where each begins, what is folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workbench.tui.lines.line_layout import Line, TextLine
from workbench.tui.lines.sections import Section, SectionIndex


def section(key: str, *body: str, large: bool = False, inside: Sequence[Section] = ()) -> Section:
    return Section(
        key,
        TextLine(f"{key} open"),
        folded=lambda: TextLine(f"{key} folded"),
        body=lambda: [TextLine(line) for line in body],
        is_large=large,
        inside=lambda: inside,
    )


SECTIONS = [
    section("a", "one", "two"),
    Section("", TextLine("between")),
    section("b", "three", large=True),
    Section("c", TextLine("no fold"), body=lambda: [TextLine("four")]),
]


def shown(outline: SectionIndex, first: int = 0) -> list[str]:
    return [line.plain for line in outline.lines(first)]


def test_large_sections_start_folded() -> None:
    outline = SectionIndex(SECTIONS, set())
    assert shown(outline) == ["a open", "one", "two", "between", "b folded", "no fold", "four"]
    assert [s.key for s in outline.sections] == ["a", "b", "c"]
    assert outline.heads == [0, 4, 5]


def test_sections_are_folded_and_unfolded() -> None:
    outline = SectionIndex(SECTIONS, {"a", "b", "c"})
    assert shown(outline, 10) == ["a folded", "between", "b open", "three", "no fold", "four"]
    assert outline.heads == [10, 12, 14]


def test_a_line_belongs_to_the_section_above_it() -> None:
    outline = SectionIndex(SECTIONS, set())
    shown(outline, 1)
    assert [outline.at(n) for n in range(9)] == [-1, 0, 0, 0, 0, 1, 2, 2, 2]


def test_a_folded_section_hides_those_inside_it() -> None:
    sections = [section("all", large=True, inside=[SECTIONS[0], SECTIONS[2]]), SECTIONS[3]]
    outline = SectionIndex(sections, set())
    assert shown(outline) == ["all folded", "no fold", "four"]
    assert [s.key for s in outline.sections] == ["all", "c"]
    outline = SectionIndex(sections, {"all"})
    assert shown(outline) == ["all open", "a open", "one", "two", "b folded", "no fold", "four"]


def test_what_is_sought_is_never_folded_away() -> None:
    assert "b folded" in shown(SectionIndex(SECTIONS, set(), re.compile("four")))
    assert "three" in shown(SectionIndex(SECTIONS, {"a"}, re.compile("thr")))
    assert "a folded" in shown(SectionIndex(SECTIONS, {"a"}, re.compile("thr")))
    covering = [section("all", large=True, inside=SECTIONS[:2]), *SECTIONS[2:]]
    assert shown(SectionIndex(covering, set(), re.compile("two")))[:3] == [
        "all open",
        "a open",
        "one",
    ]
    assert shown(SectionIndex(covering, set(), re.compile("three")))[0] == "all folded"


def test_lines_are_made_one_by_one() -> None:
    made: list[str] = []

    def body() -> Iterator[Line]:
        for number in range(1000):
            made.append(str(number))
            yield TextLine(str(number))

    def sections() -> Iterator[Section]:
        while True:
            yield Section("x", TextLine("x"), body=body)

    lines = SectionIndex(sections(), set()).lines(0)
    assert [next(lines).plain for _ in range(4)] == ["x", "0", "1", "2"]
    assert len(made) == 3
