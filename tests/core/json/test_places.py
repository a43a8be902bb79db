"""Places of paths and of characters inside strings, held against the library."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.json.test_text import STYLES, formatted
from tests.strategies import json_values, texts
from workbench.core.json import edits as jsonedit
from workbench.core.json.places import (
    StringPlaces,
    ValuePlace,
    children,
    place_of,
    value_at,
)
from workbench.core.json.spans import Edit, Path
from workbench.core.json.values import same


def walk(text: str, path: Path = (), start: int | None = None) -> Iterator[tuple[Path, ValuePlace]]:
    """The path and place of every part of a text."""
    at = place_of(text, ()).start if start is None else start
    for child in children(text, at):
        inner = (*path, child.step)
        yield inner, child
        yield from walk(text, inner, child.start)


@given(json_values, STYLES)
def test_every_part_is_where_it_is(value: Any, style: tuple[Any, ...]) -> None:
    text = formatted(value, style)
    for path, place in walk(text):
        expected = value
        for step in path:
            expected = expected[step]
        assert place_of(text, path) == place
        found = json.loads(text[slice(*place.span)])
        assert same(found, json.loads(json.dumps(expected)))
        if isinstance(path[-1], str):
            assert text[place.key :].startswith(json.dumps(path[-1])[:1])
            assert value_at(text, place.key)[0] == path[-1]
        else:
            assert place.key == place.key_end == place.start
    whole = place_of(text, ())
    assert same(json.loads(text[slice(*whole.span)]), json.loads(json.dumps(value)))


def test_of_equal_keys_the_last_is_meant() -> None:
    text = '{"a": 1, "b": {"a": 2}, "a": {"a": 3, "a": 4}}'
    assert place_of(text, ("a", "a")).start == text.index("4")
    assert place_of(text, ("a",)).key == 24


@pytest.mark.parametrize("path", [("b",), ("a", 2), ("a", "x"), ("a", 0, 0), (0,)])
def test_a_value_that_is_not_there(path: tuple[Any, ...]) -> None:
    with pytest.raises(KeyError):
        place_of('{"a": [1, "x"], "c": [1, 2], "0": 1}', path)


@given(texts, st.booleans())
def test_characters_of_a_string_are_found_in_its_literal(text: str, ascii_only: bool) -> None:
    document = " " + json.dumps(text, ensure_ascii=ascii_only)
    places = StringPlaces(document, 1)
    offsets = [places.offset(index) for index in range(len(text) + 1)]
    assert offsets[0] == 2
    assert document[offsets[-1] :] == '"'
    for character, start, end in zip(text, offsets, offsets[1:], strict=False):
        assert json.loads(f'"{document[start:end]}"') == character


@pytest.mark.parametrize(
    ("literal", "offsets"),
    [
        (r'"a\n\"b"', [1, 2, 4, 6, 7]),
        (r'"\ud83d\ude80x"', [1, 13, 14]),
        (r'"\ud83dx\ude80"', [1, 7, 8, 14]),
        (r'"\ud83d\ud83d\ude80"', [1, 7, 19]),
        (r'"\\u0041"', [1, 3, 4, 5, 6, 7, 8]),
        ('"\U0001f680"', [1, 2]),
    ],
)
def test_escapes_are_one_character(literal: str, offsets: list[int]) -> None:
    places = StringPlaces(literal, 0)
    assert [places.offset(i) for i in range(len(json.loads(literal)) + 1)] == offsets


@given(st.dictionaries(texts, texts, min_size=1), STYLES, STYLES, texts, st.data())
def test_edits_of_an_inner_text_are_edits_of_the_outer(
    value: dict[str, str], inner_style: Any, outer_style: Any, new: str, data: st.DataObject
) -> None:
    inner = formatted(value, inner_style)
    outer = formatted({"arguments": inner, "_": 1}, outer_style)
    changed = {**value, data.draw(st.sampled_from(list(value))): new}
    edits = jsonedit.edits(inner, changed)
    written = jsonedit.apply(
        outer, StringPlaces(outer, place_of(outer, ("arguments",)).start).edits(edits)
    )
    assert json.loads(written) == {"arguments": jsonedit.apply(inner, edits), "_": 1}


def test_an_edit_leaves_the_escapes_beside_it() -> None:
    outer = r'["{\"\u00e9\": \"\ud83d\ude80\", \"b\":1}"]'
    inner = json.loads(outer)[0]
    at = inner.index("1")
    written = jsonedit.apply(outer, StringPlaces(outer, 1).edits([Edit(at, at + 1, '"é\n"')]))
    assert written == r'["{\"\u00e9\": \"\ud83d\ude80\", \"b\":\"é\n\"}"]'
