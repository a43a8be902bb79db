"""Reading JSON with what is odd in it."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import json_values
from workbench.core.json.edits import rewrite
from workbench.core.json.places import place_of
from workbench.core.json.syntax import JSONSyntaxError
from workbench.core.json.text import Oddities, Oddity, read_json


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


@given(DOCUMENTS)
def test_what_programs_write_is_json_without_oddities(text: str) -> None:
    assert read_json(text).oddities == Oddities([], [])


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
            read_json(text)
        assert 0 <= caught.value.offset <= len(text)
    else:
        read_json(text)


@given(st.text(alphabet='{}[]:,"\\ue1a -.0n', max_size=14))
def test_short_texts_are_taken_as_the_library_takes_them(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(JSONSyntaxError):
            read_json(text)
    else:
        read_json(text)


def test_what_is_legal_but_not_meant_is_reported() -> None:
    text = '{"a": 1, "b": {"a": NaN, "a": 2}, "a": [0, {}, -Infinity, 1e999]}'
    assert read_json(text).oddities == Oddities(
        [Oddity("a", ("b", "a"), 25), Oddity("a", ("a",), 34)],
        [Oddity("NaN", ("b", "a"), 20), Oddity("-Infinity", ("a", 2), 47)],
    )


@pytest.mark.parametrize("depth", [299, 300])
def test_depth_up_to_the_limit(depth: int) -> None:
    text = '{"a":' * (depth // 2) + "[" * (depth - depth // 2)
    text += "]" * (depth - depth // 2) + "}" * (depth // 2)
    assert read_json(text).oddities == Oddities([], [])
    assert rewrite(text, json.loads(text)) == text


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_depth_beyond_the_limit(opening: str) -> None:
    with pytest.raises(JSONSyntaxError, match="nested more than 300 deep"):
        read_json(opening * 100_000)


@given(json_values, STYLES, st.integers(0, 3))
def test_the_places_of_oddities_are_those_of_their_values(
    value: Any, style: tuple[Any, ...], depth: int
) -> None:
    """Whatever stands before them."""
    before = {"strings": value, 'a "quoted": [{,NaN': value}
    inner: Any = [before, float("nan")]
    for _ in range(depth):
        inner = {"down": ["NaN", inner]}
    text = formatted(inner, style)
    (oddity,) = read_json(text).oddities.not_finite
    assert oddity.path == ("down", 1) * depth + (1,)
    assert oddity.offset == place_of(text, oddity.path).start
