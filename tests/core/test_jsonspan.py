"""Reading JSON with places, and changing it without touching the rest."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.reference import AGENT_FIXTURES
from tests.strategies import json_values, texts
from workbench.core import jsonedit, jsonspan
from workbench.core.jsonedit import rewrite
from workbench.core.jsonspan import Edit, JSONSyntaxError, Node, Path, same, scan


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
LINED = [(2, None, False, "\n", ""), ("\t", (",", ":"), True, "\r\n", "\r\n")]


def walk(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    yield path, node
    for member in node.members:
        yield from walk(member.node, (*path, member.key))
    for index, item in enumerate(node.items):
        yield from walk(item, (*path, index))


# Reading.


@given(json_values, STYLES)
def test_the_value_is_that_of_the_library(value: Any, style: tuple[Any, ...]) -> None:
    text = formatted(value, style)
    assert same(scan(text).root.value(), json.loads(text))


@given(DOCUMENTS)
def test_every_span_holds_its_value(text: str) -> None:
    document = scan(text)
    for path, node in walk(document.root):
        assert same(json.loads(text[node.start : node.end]), node.value())
        assert document.root.at(path) is node or document.duplicates
        for member in node.members:
            assert json.loads(text[member.start : member.end]) == member.key


@given(DOCUMENTS, st.randoms(use_true_random=False), st.integers(1, 3))
def test_what_is_json_is_what_the_library_takes(
    text: str, chance: random.Random, times: int
) -> None:
    for _ in range(times):
        at = chance.randrange(len(text) + 1)
        piece = chance.choice(["", *'{}[]:,"\\/ \n\t\x00\x0b-+.eE019atfn', "NaN", "true", "\u00a0"])
        text = text[:at] + piece + text[at + chance.randrange(3) :]
    try:
        expected = json.loads(text)
    except json.JSONDecodeError:
        with pytest.raises(JSONSyntaxError) as caught:
            scan(text)
        assert 0 <= caught.value.offset <= len(text)
    else:
        assert same(scan(text).root.value(), expected)


@given(st.text(alphabet='{}[]:,"\\ue1a -.0n', max_size=14))
def test_short_texts_are_taken_as_the_library_takes_them(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(JSONSyntaxError):
            scan(text)
    else:
        assert same(scan(text).root.value(), expected)


def test_numbers_keep_their_type() -> None:
    assert [type(v) for v in scan("[1, 1.0, 1e2, -0, 1E+1]").root.value()] == [
        int,
        float,
        float,
        int,
        float,
    ]


def test_what_is_legal_but_not_meant_is_reported() -> None:
    document = scan('{"a": 1, "b": {"a": NaN, "a": 2}, "a": [-Infinity, 1e999]}')
    assert [(m.key, m.start) for m in document.duplicates] == [("a", 25), ("a", 34)]
    assert [document.text[n.start : n.end] for n in document.not_finite] == ["NaN", "-Infinity"]
    assert document.root.value()["b"] == {"a": 2}
    assert document.root.at(("b", "a")) is document.duplicates[0].node


def test_a_path_that_leads_nowhere() -> None:
    root = scan('{"a": [1]}').root
    assert [root.at(p) for p in [("b",), ("a", 1), ("a", "b"), ("a", 0, 0), (0,)]] == [None] * 5


@pytest.mark.parametrize("depth", [299, 300])
def test_depth_up_to_the_limit(depth: int) -> None:
    text = '{"a":' * (depth // 2) + "[" * (depth - depth // 2)
    text += "]" * (depth - depth // 2) + "}" * (depth // 2)
    assert scan(text).root.value() == json.loads(text)
    assert rewrite(scan(text), json.loads(text)) == text


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
    assert not error.conflict
    assert (error.fix and jsonedit.apply(text, [error.fix])) == fixed
    if fixed is not None:
        assert scan(fixed).text == fixed


@pytest.mark.parametrize(
    "text", ["<<<<<<< ours\n{}", '{"a": 1,\n=======\n"b": 2}', "{\n>>>>>>> x\n}"]
)
def test_merge_conflict_markers_are_the_cause(text: str) -> None:
    with pytest.raises(JSONSyntaxError, match="merge conflict") as caught:
        scan(text)
    assert caught.value.conflict
    assert text[caught.value.offset :][:7] in ("<<<<<<<", "=======", ">>>>>>>")


@given(texts, st.integers(0, 40))
def test_line_and_column(text: str, offset: int) -> None:
    offset = min(offset, len(text))
    line, column = jsonspan.line_column(text, offset)
    assert sum(len(part) + 1 for part in text.split("\n")[: line - 1]) + column - 1 == offset


# Equality, edits.


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


def test_edits_of_one_place_keep_their_order() -> None:
    edits = [Edit(1, 1, "x"), Edit(3, 4, ""), Edit(1, 1, "y"), Edit(1, 2, "z")]
    assert jsonedit.apply("abcde", edits) == "axyzce"


@given(texts)
def test_written_strings_have_a_form_in_utf8(text: str) -> None:
    written = jsonspan.dumps({"k": text + "\ud800"})
    assert json.loads(written.encode()) == {"k": text + "\ud800"}


# Rewriting.


@given(DOCUMENTS, json_values)
def test_a_rewritten_text_means_the_new_value(text: str, new: Any) -> None:
    assert same(json.loads(rewrite(scan(text), new)), new)


@given(st.dictionaries(texts, json_values), STYLES, st.dictionaries(texts, json_values))
def test_objects_that_share_keys(old: dict[str, Any], style: Any, more: dict[str, Any]) -> None:
    """New values for some keys, new keys before and between them, some gone."""
    new = {**more, **{k: v for i, (k, v) in enumerate(old.items()) if i % 3}}
    assert same(json.loads(rewrite(scan(formatted(old, style)), new)), new)


@given(st.lists(json_values, max_size=5), STYLES, st.data())
def test_lists_that_share_items(old: list[Any], style: Any, data: st.DataObject) -> None:
    new = list(old)
    at = data.draw(st.integers(0, len(new)))
    new[at : at + data.draw(st.integers(0, 2))] = data.draw(st.lists(json_values, max_size=2))
    assert same(json.loads(rewrite(scan(formatted(old, style)), new)), new)


@given(DOCUMENTS)
def test_the_same_value_changes_nothing(text: str) -> None:
    assert rewrite(scan(text), json.loads(text)) == text
    assert jsonedit.edits(scan(text), json.loads(text)) == []


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
    node = scan(text).root.at((key,))
    assert node is not None
    new = rewrite(scan(text), {**old, key: value})
    assert new.startswith(text[: node.start])
    assert new.endswith(text[node.end :])


@given(KEYED, st.sampled_from(LINED), st.data())
def test_a_removed_key_leaves_the_other_lines(
    old: dict[str, Any], style: tuple[Any, ...], data: st.DataObject
) -> None:
    key = data.draw(st.sampled_from(list(old)))
    rest = {k: v for k, v in old.items() if k != key}
    new = rewrite(scan(formatted(old, style)), rest)
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
    written = rewrite(scan(text), new)
    assert list(json.loads(written)) == list(new)
    added = [line for line in body(written) if line not in body(text)]
    assert len(body(written)) == len(body(text)) + 1
    assert len(added) <= 1


def test_several_new_keys_keep_their_order() -> None:
    text = '{"a": 1, "z": 2}'
    assert rewrite(scan(text), {"y": 0, "x": 0, "a": 1, "c": 0, "b": 0, "z": 2}) == (
        '{"y": 0, "x": 0, "a": 1, "c": 0, "b": 0, "z": 2}'
    )


def test_what_is_added_is_written_like_its_surroundings() -> None:
    text = '{\r\n\t"a":1\r\n}'
    assert rewrite(scan(text), {"a": 1, "b": {"c": []}}) == (
        '{\r\n\t"a":1,\r\n\t"b":{\r\n\t\t"c": []\r\n\t}\r\n}'
    )
    assert rewrite(scan('{"a":1}'), {"a": 1, "b": [1, 2]}) == '{"a":1, "b":[1, 2]}'


def test_one_value_by_its_path() -> None:
    document = scan('{"a": [1, {"b": "x"}], "c": 1.50}')
    edits = jsonedit.edits(document, "y", ("a", 1, "b"))
    assert jsonedit.apply(document.text, edits) == '{"a": [1, {"b": "y"}], "c": 1.50}'
    assert jsonedit.edits(document, "y", ("a", 9)) == []


def test_duplicate_keys_are_changed_where_readers_look() -> None:
    assert rewrite(scan('{"a": 1, "a": 2}'), {"a": 3}) == '{"a": 1, "a": 3}'
    assert json.loads(rewrite(scan('{"a": 1, "b": 0, "a": 2}'), {"b": 0})) == {"b": 0}


@pytest.mark.parametrize("path", sorted(AGENT_FIXTURES.iterdir()), ids=lambda p: p.name[:12])
def test_real_fixtures_change_by_the_line(path: Any) -> None:
    text = path.read_text(encoding="utf-8")
    value = json.loads(text)
    assert rewrite(scan(text), value) == text
    value["response"]["content"] = 'now "another"\n'
    before, after = text.split("\n"), rewrite(scan(text), value).split("\n")
    assert [b for b, a in zip(before, after, strict=True) if a != b] == [
        line for line in before if line.lstrip().startswith('"content"')
    ]
