"""What is wrong in a text that is not JSON, and where."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core.json.syntax import JSONSyntaxError
from workbench.core.json.text import read_json


@each_case(
    "text, offset, message",
    [
        ("", 0, "the text ends where a value is expected"),
        ("{", 1, "the text ends inside an object"),
        ('{"a": [1', 8, "the text ends inside a list: ] is missing"),
        ('{"a": 1', 7, "the text ends inside an object: } is missing"),
        ('{"a": "x', 6, "this string has no end"),
        ('{"a": 1,}', 7, "a comma before } has nothing after it"),
        ("[1,\n]", 2, "a comma before ] has nothing after it"),
        ("[1, }", 4, "expected a value, found '}'"),
        ("],", 0, "expected a value, found ']'"),
        ('{"a": 1 "b": 2}', 8, "a comma is missing here"),
        ('{"a": 1\n\n "b": 2}', 10, "a comma is missing after line 1"),
        ("[[1] [2]]", 5, "a comma is missing here"),
        ("[1 2]", 3, "expected a comma or ], found '2'"),
        ('{"a" 1}', 5, "a colon is missing after the key"),
        ("{a: 1}", 1, "a key must be a string in double quotes"),
        ("{'a': 1}", 1, "a key must be a string in double quotes"),
        ("[,1]", 1, "expected a value, found ','"),
        ("[True]", 1, "True is not a JSON value"),
        ("[undefined]", 1, "undefined is not a JSON value"),
        ('["a\nb"]', 3, "a line break inside a string must be escaped"),
        ('["a\tb"]', 3, "a tab inside a string must be escaped"),
        ('["a\x00b"]', 3, "control character 0x00 inside a string"),
        (r'["a\x"]', 3, "not a valid escape in a string"),
        (r'["\u12"]', 3, "not a valid escape in a string"),
        ("{} {}", 3, "more text after the end of the value"),
        (r'{"a": "x""}', 9, r"a stray quote; inside a string it is written \""),
        ('{"a": "x"y"}', 9, "found 'y'; the text has an odd number of quotes"),
        ("[01]", 2, "expected a comma or ], found '1'"),
        ("[" + "9" * 5_000 + "]", 1, "a number with too many digits"),
        ("\ufeff{}", 0, "expected a value"),
    ],
)
def test_an_error_has_its_place(text: str, offset: int, message: str) -> None:
    with pytest.raises(JSONSyntaxError) as caught:
        read_json(text)
    error = caught.value
    assert message in str(error)
    assert error.offset == offset


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
