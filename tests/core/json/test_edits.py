"""Changing JSON without touching the rest."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.core.json.test_text import DOCUMENTS, STYLES, formatted
from tests.reference import AGENT_FIXTURES
from tests.strategies import json_values, texts
from workbench.core.json import edits as jsonedit
from workbench.core.json.edits import rewrite
from workbench.core.json.places import place_of
from workbench.core.json.spans import Edit
from workbench.core.json.values import same

LINED = [(2, None, False, "\n", ""), ("\t", (",", ":"), True, "\r\n", "\r\n")]


def test_edits_of_one_place_keep_their_order() -> None:
    edits = [Edit(1, 1, "x"), Edit(3, 4, ""), Edit(1, 1, "y"), Edit(1, 2, "z")]
    assert jsonedit.apply("abcde", edits) == "axyzce"


@given(DOCUMENTS, json_values)
def test_a_rewritten_text_means_the_new_value(text: str, new: Any) -> None:
    assert same(json.loads(rewrite(text, new)), new)


@given(st.dictionaries(texts, json_values), STYLES, st.dictionaries(texts, json_values))
def test_objects_that_share_keys(old: dict[str, Any], style: Any, more: dict[str, Any]) -> None:
    """New values for some keys, new keys before and between them, some gone."""
    new = {**more, **{k: v for i, (k, v) in enumerate(old.items()) if i % 3}}
    assert same(json.loads(rewrite(formatted(old, style), new)), new)


@given(st.lists(json_values, max_size=5), STYLES, st.data())
def test_lists_that_share_items(old: list[Any], style: Any, data: st.DataObject) -> None:
    new = list(old)
    at = data.draw(st.integers(0, len(new)))
    new[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(json_values, max_size=2))
    assert same(json.loads(rewrite(formatted(old, style), new)), new)


@given(DOCUMENTS)
def test_the_same_value_changes_nothing(text: str) -> None:
    assert rewrite(text, json.loads(text)) == text
    assert jsonedit.edits(text, json.loads(text)) == []


def body(text: str) -> list[str]:
    """The lines of a text without the commas between them."""
    return [line.rstrip("\r").removesuffix(",") for line in text.split("\n")]


KEYED = st.dictionaries(texts, json_values, min_size=2, max_size=5)


@given(KEYED, st.sampled_from(LINED), json_values, st.data())
def test_a_changed_value_leaves_the_other_lines(
    old: dict[str, Any], style: tuple[Any, ...], value: Any, data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(list(old)))
    text = formatted(old, style)
    start, end = place_of(text, (key,)).span
    new = rewrite(text, {**old, key: value})
    assert new.startswith(text[:start])
    assert new.endswith(text[end:])


@given(KEYED, st.sampled_from(LINED), st.data())
def test_a_removed_key_leaves_the_other_lines(
    old: dict[str, Any], style: tuple[Any, ...], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(list(old)))
    rest = {k: v for k, v in old.items() if k != key}
    new = rewrite(formatted(old, style), rest)
    assert new == formatted(rest, style)
    assert same(json.loads(new), rest)


@given(KEYED, st.sampled_from(LINED), texts, st.data())
def test_an_added_key_stands_where_it_was_put(
    old: dict[str, Any], style: tuple[Any, ...], key: str, data: st.DataObject
) -> None:
    assume(key not in old)
    at = data.draw(st.integers(0, len(old)))
    items = list(old.items())
    new = dict([*items[:at], (key, 1), *items[at:]])
    text = formatted(old, style)
    written = rewrite(text, new)
    assert list(json.loads(written)) == list(new)
    added = [line for line in body(written) if line not in body(text)]
    assert len(body(written)) == len(body(text)) + 1
    assert len(added) <= 1


def test_several_new_keys_keep_their_order() -> None:
    text = '{"a": 1, "z": 2}'
    assert rewrite(text, {"y": 0, "x": 0, "a": 1, "c": 0, "b": 0, "z": 2}) == (
        '{"y": 0, "x": 0, "a": 1, "c": 0, "b": 0, "z": 2}'
    )


def test_what_is_added_is_written_like_its_surroundings() -> None:
    text = '{\r\n\t"a":1\r\n}'
    assert rewrite(text, {"a": 1, "b": {"c": []}}) == (
        '{\r\n\t"a":1,\r\n\t"b":{\r\n\t\t"c": []\r\n\t}\r\n}'
    )
    assert rewrite('{"a":1}', {"a": 1, "b": [1, 2]}) == '{"a":1, "b":[1, 2]}'


def test_what_comes_into_a_list_is_one_edit() -> None:
    added = jsonedit.edits("[1, 2, 3]", [1, 9, 9, 2, 3])
    assert added == [Edit(2, 2, ", 9, 9")]


def test_one_value_by_its_path() -> None:
    text = '{"a": [1, {"b": "x"}], "c": 1.50}'
    edits = jsonedit.edits(text, "y", ("a", 1, "b"))
    assert jsonedit.apply(text, edits) == '{"a": [1, {"b": "y"}], "c": 1.50}'


def test_duplicate_keys_are_changed_where_readers_look() -> None:
    assert rewrite('{"a": 1, "a": 2}', {"a": 3}) == '{"a": 1, "a": 3}'
    assert json.loads(rewrite('{"a": 1, "b": 0, "a": 2}', {"b": 0})) == {"b": 0}


@each_case("path", sorted(AGENT_FIXTURES.iterdir()))
def test_real_fixtures_change_by_the_line(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    value = json.loads(text)
    assert rewrite(text, value) == text
    value["response"]["content"] = 'now "another"\n'
    before, after = text.split("\n"), rewrite(text, value).split("\n")
    assert [b for b, a in zip(before, after, strict=True) if a != b] == [
        line for line in before if line.lstrip().startswith('"content"')
    ]
