"""Reading JSON with places."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values, texts
from workbench.core.json import edits, spans
from workbench.core.json.edits import rewrite
from workbench.core.json.spans import JSONSyntaxError, Oddity, Scan, same, scan


def formatted(value: Any, style: tuple[Any, ...]) -> str:
    """``value`` as one of many programs would write it."""
    around: str
    indent, separators, ascii_only, newline, around = style
    text = json.dumps(value, indent=indent, separators=separators, ensure_ascii=ascii_only)
    # Strings hold no line ends as they are, so these are all between values.
    return around + text.replace("\n", newline) + around


STYLES = st.tuples(
    st.sampled_from([None, 0, 1, 2, 4, "\t"]),
    st.sampled_from([None, (",", ":"), (" , ", " : "), (",", ": ")]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", " ", "\n", "\t\r\n"]),
)
DOCUMENTS = st.builds(formatted, json_values, STYLES)


# Reading.


@given(DOCUMENTS)
def test_what_programs_write_is_json_without_oddities(text: str) -> None:
    assert scan(text) == Scan()


@given(DOCUMENTS, st.randoms(use_true_random=False), st.integers(1, 3))
def test_what_is_json_is_what_the_library_takes(
    text: str, chance: random.Random, times: int
) -> None:
    for _ in range(times):
        at = chance.randrange(len(text) + 1)
        piece = chance.choice(["", *'{}[]:,"\\/ \n\t\x00\x0b-+.eE019atfn', "NaN", "true", "\u00a0"])
        text = text[:at] + piece + text[at + chance.randrange(3) :]
    try:
        json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(JSONSyntaxError) as caught:
            scan(text)
        assert 0 <= caught.value.offset <= len(text)
    else:
        scan(text)


@given(st.text(alphabet='{}[]:,"\\ue1a -.0n', max_size=14))
def test_short_texts_are_taken_as_the_library_takes_them(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(JSONSyntaxError):
            scan(text)
    else:
        scan(text)


def test_what_is_legal_but_not_meant_is_reported() -> None:
    text = '{"a": 1, "b": {"a": NaN, "a": 2}, "a": [0, {}, -Infinity, 1e999]}'
    assert scan(text) == Scan(
        [Oddity("a", ("b", "a"), 25), Oddity("a", ("a",), 34)],
        [Oddity("NaN", ("b", "a"), 20), Oddity("-Infinity", ("a", 2), 47)],
    )


@pytest.mark.parametrize("depth", [299, 300])
def test_depth_up_to_the_limit(depth: int) -> None:
    text = '{"a":' * (depth // 2) + "[" * (depth - depth // 2)
    text += "]" * (depth - depth // 2) + "}" * (depth // 2)
    assert scan(text) == Scan()
    assert rewrite(text, json.loads(text)) == text


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_depth_beyond_the_limit(opening: str) -> None:
    with pytest.raises(JSONSyntaxError, match="nested more than 300 deep"):
        scan(opening * 100_000)


# What is wrong, and where.


@pytest.mark.parametrize(
    ("text", "offset", "message", "fixed"),
    [
        ("", 0, "the text ends where a value is expected", None),
        ("{", 1, "the text ends inside an object", None),
        ('{"a": [1', 8, "the text ends inside a list: ] is missing", None),
        ('{"a": 1', 7, "the text ends inside an object: } is missing", None),
        ('{"a": "x', 6, "this string has no end", None),
        ('{"a": 1,}', 7, "a comma before } has nothing after it", '{"a": 1}'),
        ("[1,\n]", 2, "a comma before ] has nothing after it", "[1\n]"),
        ('{"a": 1 "b": 2}', 8, "a comma is missing here", '{"a": 1, "b": 2}'),
        ('{"a": 1\n\n "b": 2}', 10, "a comma is missing after line 1", '{"a": 1,\n\n "b": 2}'),
        ("[[1] [2]]", 5, "a comma is missing here", "[[1], [2]]"),
        ("[1 2]", 3, "expected a comma or ], found '2'", None),
        ('{"a" 1}', 5, "a colon is missing after the key", '{"a": 1}'),
        ("{a: 1}", 1, "a key must be a string in double quotes", None),
        ("{'a': 1}", 1, "a key must be a string in double quotes", None),
        ("[,1]", 1, "expected a value, found ','", None),
        ("[True]", 1, "True is not a JSON value", None),
        ("[undefined]", 1, "undefined is not a JSON value", None),
        ('["a\nb"]', 3, "a line break inside a string must be escaped", None),
        ('["a\tb"]', 3, "a tab inside a string must be escaped", None),
        ('["a\x00b"]', 3, "control character 0x00 inside a string", None),
        (r'["a\x"]', 3, "not a valid escape in a string", None),
        (r'["\u12"]', 3, "not a valid escape in a string", None),
        ("{} {}", 3, "more text after the end of the value", None),
        ("[01]", 2, "expected a comma or ], found '1'", None),
        ("[" + "9" * 5_000 + "]", 1, "a number with too many digits", None),
        ("\ufeff{}", 0, "expected a value", None),
    ],
)
def test_an_error_has_its_place_and_maybe_its_fix(
    text: str, offset: int, message: str, fixed: str | None
) -> None:
    with pytest.raises(JSONSyntaxError) as caught:
        scan(text)
    error = caught.value
    assert message in str(error)
    assert error.offset == offset
    assert (error.fix and edits.apply(text, [error.fix])) == fixed
    if fixed is not None:
        assert scan(fixed) == Scan()


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\n{}", '{"a": 1,\n=======\n"b": 2}', "{\n>>>>>>> x\n}"]
)
def test_merge_conflict_markers_are_the_cause(text: str) -> None:
    with pytest.raises(JSONSyntaxError, match="merge conflict") as caught:
        scan(text)
    assert text[caught.value.offset :][:7] in ("<<<<<<<", "=======", ">>>>>>>")


@given(texts, st.integers(0, 40))
def test_line_and_column(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    line, column = spans.line_column(text, offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset


# Equality, writing.


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (1, 1.0, False),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (float("nan"), float("nan"), True),
        (float("nan"), 1.0, False),
        (1.0, float("nan"), False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": [1]}, {"a": [1.0]}, False),
        ([1, 2], [1], False),
        (None, None, True),
    ],
)
def test_equality_is_that_of_texts(a: object, b: object, expected: bool) -> None:
    assert same(a, b) is expected


@given(texts)
def test_written_strings_have_a_form_in_utf8(text: str) -> None:
    written = spans.dumps({"k": text + "\ud800"})
    assert json.loads(written.encode()) == {"k": text + "\ud800"}
