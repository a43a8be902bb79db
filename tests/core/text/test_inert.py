"""Text made harmless to show."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.strategies import TRICKY
from workbench.core.text.inert import (
    MOST_MARKS,
    escape_of,
    escaped,
    escaped_lines,
    excerpt,
    json_escaped,
    unsafe,
    visible_blanks,
    with_few_marks,
)

# They join emoji and the letters of some scripts.
JOINERS = "\u200c\u200d"
# By Unicode's own tables: controls, ends of lines and paragraphs, half surrogates, and what has a
# direction without being seen.
UNSAFE_CATEGORIES = {"Cc", "Cs", "Zl", "Zp"}
UNSAFE_DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI", "BN", "B"}
MARKS = "\u061c\u200b\u200e\u200f\ufeff\u00ad"
# Letters by those tables, which are not seen.
FILLERS = "\u3164\uffa0"

texts = st.text() | st.text(alphabet=TRICKY + MARKS + "\ud83d\U000e0041 ab")


def acts(character: str) -> bool:
    """Whether a terminal may act on ``character``, or a reader overlook it."""
    if character in JOINERS:
        return False
    return (
        unicodedata.category(character) in UNSAFE_CATEGORIES
        or unicodedata.bidirectional(character) in UNSAFE_DIRECTIONS
        or character in MARKS + FILLERS
    )


@pytest.fixture(scope="module")
def every_character() -> str:
    return "".join(map(chr, range(0x110000)))


def test_every_character_that_acts_is_unsafe(every_character: str) -> None:
    found = set(unsafe().findall(every_character))
    assert [hex(ord(one)) for one in every_character if acts(one) and one not in found] == []
    assert [hex(ord(one)) for one in found if escaped(one) == one] == []


def test_no_letter_sign_or_symbol_is_unsafe(every_character: str) -> None:
    found = unsafe().findall(every_character)
    assert [one for one in found if unicodedata.category(one)[0] in "LNPS"] == [*FILLERS]
    for text in (
        "naïve café 🚀",
        "日本語",
        "👩‍🚀",
        "می‌خواهم",
        "e\u0301",
        "[/bold] [red]x",
        "\u00a0",
    ):
        assert escaped(text) == text


@pytest.mark.parametrize(
    ("character", "shown"),
    [
        ("\x1b", "\\x1b"),
        ("\x00", "\\x00"),
        ("\x7f", "\\x7f"),
        ("\x9b", "\\x9b"),
        ("\u2028", "\\u2028"),
        ("\u202e", "\\u202e"),
        ("\ud83d", "\\ud83d"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_how_they_are_shown(character: str, shown: str) -> None:
    assert escape_of(character) == escaped(character) == shown


def test_line_ends_and_tabs_have_their_short_names() -> None:
    assert escaped("a\r\n\tb") == "a\\r\\n\\tb"


@given(texts)
def test_what_is_escaped_is_inert_and_on_one_line(text: str) -> None:
    shown = escaped(text)
    assert not any(acts(character) for character in shown)
    assert len(shown.splitlines()) <= 1
    assert escaped(shown) == shown
    shown.encode("utf-8")


@given(st.text(st.characters(exclude_characters="\\", exclude_categories=["Cs"])))
def test_escapes_can_be_read_back(text: str) -> None:
    as_python = re.sub(
        r"\\(?:x..|u....|U........|.)",
        lambda match: match[0].encode("ascii").decode("unicode_escape"),
        escaped(text),
    )
    assert as_python == text


@each_case(
    "text, shown",
    [
        ("", ""),
        ("short", "short"),
        ("  two \r\n\t lines  ", "two lines"),
        ("a" * 20, "a" * 20),
        ("a" * 21, "a" * 19 + "…"),
        ("\x1b" * 3, "\\x1b\\x1b\\x1b"),
        ("\x1b]52;c;aGk=\x07", "\\x1b]52;c;aGk=\\x07"),
        ("\x1b" * 9, "\\x1b\\x1b\\x1b\\x1b\\x1…"),
        ("\n" * 500 + "after many lines", "after many lines"),
        ("a" + " " * 500 + "b", "a …"),
    ],
)
def test_an_excerpt(text: str, shown: str) -> None:
    assert excerpt(text, 20) == shown


@given(texts, st.integers(1, 100))
def test_an_excerpt_is_inert_and_fits(text: str, width: int) -> None:
    shown = excerpt(text, width)
    assert len(shown) <= width
    assert not any(acts(character) for character in shown)
    assert (shown == "") == (text.strip(" \t\r\n") == "")


def test_an_excerpt_of_a_large_text_looks_at_its_beginning() -> None:
    assert excerpt("word " * 1_000_000, 12) == "word word w…"


@given(texts, st.integers(1, 100))
def test_visible_blanks_are_inert_and_fit(text: str, width: int) -> None:
    shown = visible_blanks(text, width)
    assert len(shown) <= width
    assert not any(acts(character) or character.isspace() for character in shown)
    assert (shown == "") == (text == "")


@pytest.mark.parametrize(
    "mark",
    [
        *("\u0301", "\u0489", "\u05b0", "\u064b", "\u093c", "\u0e34", "\u1ab0", "\u1dc0", "\u20dd"),
        *("\u200c", "\u200d", "\ufe0e", "\ufe20", "\U000e0100", "\U0001f3fb", "\U0001d165"),
    ],
)
def test_few_marks_stand_on_one_character(mark: str) -> None:
    for shown in (escaped(f"a{mark * 239}b"), escaped_lines(f"a\nb{mark * 239}")):
        assert shown.count(mark) == MOST_MARKS
        assert "…" in shown
    assert escaped(f"a{mark * MOST_MARKS}b") == f"a{mark * MOST_MARKS}b"
    written = json.dumps(f"a{mark * 239}b", ensure_ascii=False)
    assert json_escaped(written).count(mark) == MOST_MARKS
    assert json.loads(json_escaped(written)) == json.loads(written)


def test_every_mark_of_one_character_counts() -> None:
    marks = [
        chr(code)
        for code in range(0x300, 0x10000)
        if unicodedata.category(chr(code)) in ("Mn", "Me")
    ]
    assert len(marks) > 1000
    for mark in marks:
        if not unsafe().search(mark):
            assert with_few_marks(f"a{mark * 99}") == f"a{mark * MOST_MARKS}…"


@pytest.mark.parametrize(
    "text",
    [
        "Việt Nam, naïve, Å",
        "שָׁלוֹם עוֹלָם",
        "السَّلامُ عَلَيْكُمْ",
        "नमस्ते दुनिया कर्त्तव्य",
        "สวัสดีชาวโลก ที่นี่",
        "བོད་སྐད་ རྒྱལ་ཁབ་",
        "မြန်မာဘာသာစကား",
        "👩🏽‍👩🏽‍👧🏽‍👦🏽 ❤️",
        "日本語、한국어",
    ],
)
def test_the_scripts_of_the_world_are_left_alone(text: str) -> None:
    assert with_few_marks(text) == text
