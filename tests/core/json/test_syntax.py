"""What is wrong in a text that is not JSON, and where."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core.json import edits
from workbench.core.json.syntax import JSONSyntaxError
from workbench.core.json.text import is_json, read_json


@each_case(
    "text, offset, message, fixed",
    [
        ("", 0, "the text ends where a value is expected", None),
        ("{", 1, "the text ends inside an object", None),
        ('{"a": [1', 8, "the text ends inside a list: ] is missing", None),
        ('{"a": 1', 7, "the text ends inside an object: } is missing", None),
        ('{"a": "x', 6, "this string has no end", None),
        ('{"a": 1,}', 7, "a comma before } has nothing after it", '{"a": 1}'),
        ("[1,\n]", 2, "a comma before ] has nothing after it", "[1\n]"),
        ("[1, }", 4, "expected a value, found '}'", None),
        ("],", 0, "expected a value, found ']'", None),
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
        read_json(text)
    error = caught.value
    assert message in str(error)
    assert error.offset == offset
    assert (error.fix and edits.apply(text, [error.fix])) == fixed
    if fixed is not None:
        assert is_json(fixed)


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\n{}", '{"a": 1,\n=======\n"b": 2}', "{\n>>>>>>> x\n}"]
)
def test_merge_conflict_markers_are_the_cause(text: str) -> None:
    with pytest.raises(JSONSyntaxError, match="merge conflict") as caught:
        read_json(text)
    assert text[caught.value.offset :][:7] in ("<<<<<<<", "=======", ">>>>>>>")


@given(json_values)
def test_the_beginning_of_a_text_is_one_that_is_cut(value: object) -> None:
    text = json.dumps(value, ensure_ascii=False)
    for end in range(len(text)):
        with suppress(JSONSyntaxError):
            read_json(text[:end])
            continue
        assert cut(text[:end])


@each_case(
    "text, is_cut",
    [
        ("", True),
        (" \n", True),
        ('{"a": tru', True),
        ('{"a": -', True),
        ("[1.", True),
        ("[1.5e+", True),
        (r'["a\u00e', True),
        ('["a\\', True),
        ('{"a": tru,', False),
        ("[1..", False),
        ("[1.,", False),
        (r'["a\u12"]', False),
        (r'["a\x', False),
        ('["a\nb', False),
        ("{} x", False),
        ("{a", False),
        ('{"a": x, "b": "c', False),
        ('{"a": "b"" "c', False),
        ("[1,]", False),
        ("<<<<<<< ours\n{", False),
    ],
)
def test_whether_a_text_only_lacks_its_end(text: str, is_cut: bool) -> None:
    assert cut(text) == is_cut


def cut(text: str) -> bool:
    with pytest.raises(JSONSyntaxError) as caught:
        read_json(text)
    return caught.value.is_cut
