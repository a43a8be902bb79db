"""The fixture file: read, edited by key, written without disturbing it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.test_jsonspan import STYLES, formatted
from tests.reference import AGENT_FIXTURES
from tests.strategies import fixtures, json_values, payloads, texts
from workbench.core import jsonedit
from workbench.core.fixtures import (
    TOP_KEYS,
    FixtureDocument,
    FixtureError,
    decode,
    new_document,
    parse,
    read_value,
    set_key,
)
from workbench.core.jsonspan import MAX_DEPTH
from workbench.core.rules import Context, check

DIGEST = "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8"


# Reading.


@pytest.mark.parametrize(
    ("data", "rule", "place"),
    [
        (b"\xef\xbb\xbf{}", "not-utf8", "line 1, column 1"),
        (b'{\n"\xc3\xa9": "\xe9"}', "not-utf8", "line 2, column 7"),
        (b"", "invalid-json", "line 1, column 1"),
        (b'{"a": 1,\n "b" 2}', "invalid-json", "line 2, column 6"),
        (b"\n []", "not-an-object", "line 2, column 2"),
        (b"null", "not-an-object", "line 1, column 1"),
        (b"[" * 100_000, "invalid-json", "line 1, column 301"),
    ],
)
def test_what_is_no_fixture_says_why_and_where(data: bytes, rule: str, place: str) -> None:
    with pytest.raises(FixtureError) as caught:
        read_value(data)
    assert (caught.value.rule, caught.value.place) == (rule, place)
    with pytest.raises(FixtureError) as again:
        parse(decode(data))
    assert (again.value.rule, again.value.place) == (rule, place)


def test_the_fix_of_what_cannot_be_read_is_of_its_text() -> None:
    for data in (b'\xef\xbb\xbf{"a": 1}', b'{"a": 1,}'):
        with pytest.raises(FixtureError) as caught:
            read_value(data)
        assert caught.value.fix is not None
        assert jsonedit.apply(caught.value.text, [caught.value.fix]) == '{"a": 1}'


def test_the_text_is_shown_as_far_as_it_can_be_read() -> None:
    with pytest.raises(FixtureError) as caught:
        decode(b'{"a": "\xff"}')
    assert caught.value.text == '{"a": "\ufffd"}'


@given(fixtures, STYLES)
def test_both_ways_of_reading_agree(value: dict[str, Any], style: Any) -> None:
    text = formatted(value, style)
    assert read_value(text.encode()) == FixtureDocument(text).value == value


def outcome(read: Callable[[], Any]) -> Any:
    """What reading gives: the value, or the rule that is broken."""
    try:
        return read()
    except FixtureError as error:
        return error.rule


@given(st.binary(max_size=40) | st.text(alphabet='{}[]:,"a1 \n').map(str.encode))
def test_both_ways_of_reading_refuse_the_same(data: bytes) -> None:
    slow = outcome(lambda: parse(decode(data)).root.value())
    assert outcome(lambda: read_value(data)) == slow


@pytest.mark.parametrize("depth", [298, 299, 300, 301, 900, 990, 1_100])
@pytest.mark.parametrize("parts", [("[", "]"), ('{"a": ', "}")])
def test_every_way_of_reading_goes_to_the_same_depth(depth: int, parts: tuple[str, str]) -> None:
    text = f'{{"a": {parts[0] * depth}1{parts[1] * depth}}}'
    ways: list[Callable[[], Any]] = [
        lambda: read_value(text.encode()),
        lambda: FixtureDocument(text).value,
        lambda: parse(text).root.value(),
    ]
    outcomes = [outcome(way) for way in ways]
    expected = json.loads(text) if depth < MAX_DEPTH else "invalid-json"
    assert outcomes == [expected] * 3
    assert [f.rule for f in check(text, Context()) if f.rule == "invalid-json"] == (
        [] if depth < MAX_DEPTH else ["invalid-json"]
    )


@given(json_values)
def test_parts_of_the_wrong_type_are_absent(value: Any) -> None:
    text = json.dumps(
        {"response": value, "description": value, "request": value, "workbench": {"allow": value}}
    )
    document = FixtureDocument(text)
    assert document.response == (value if isinstance(value, dict) else {})
    assert document.description == (value if isinstance(value, str) else "")
    assert document.request == (value if isinstance(value, dict) else None)
    named = value if isinstance(value, list) else []
    assert document.allowed == {name for name in named if isinstance(name, str)}


def test_what_is_read_from_a_whole_fixture() -> None:
    text = '{"response": {"content": "x"}, "workbench": {"allow": ["usage-shape", 1, "x"]}}'
    assert FixtureDocument(text).allowed == {"usage-shape", "x"}
    assert FixtureDocument('{"workbench": 4}').allowed == frozenset()


# Writing.


@given(fixtures, STYLES)
def test_saving_without_an_edit_changes_nothing(value: dict[str, Any], style: Any) -> None:
    document = FixtureDocument(formatted(value, style))
    assert document.with_value(document.value) is document
    if isinstance(value["response"], dict):
        assert document.with_response(document.response) is document


@pytest.mark.parametrize("path", sorted(AGENT_FIXTURES.iterdir()), ids=lambda p: p.name[:12])
def test_real_fixtures_change_in_one_line(path: Path) -> None:
    data = path.read_bytes()
    document = FixtureDocument(decode(data))
    assert document.with_response(document.response).text.encode() == data
    edited = document.with_response({**document.response, "content": 'a "new" answer\nand more'})
    before, after = document.text.split("\n"), edited.text.split("\n")
    changed = [(b, a) for b, a in zip(before, after, strict=True) if b != a]
    assert len(changed) == 1
    assert changed[0][1] == '    "content": "a \\"new\\" answer\\nand more",'


def test_a_comment_and_the_order_of_keys_stay() -> None:
    text = '{\n  "_comment": "why",\n  "response": {"content": "a"},\n  "description": "d"\n}\n'
    edited = FixtureDocument(text).with_response({"content": "b", "finish_reason": "stop"})
    assert edited.text == text.replace('"a"', '"b", "finish_reason": "stop"')


def test_a_response_is_added_where_it_belongs() -> None:
    document = FixtureDocument('{\n  "request_digest": "x",\n  "request": {}\n}')
    added = document.with_response({"content": ""})
    assert list(added.value) == ["request_digest", "response", "request"]


@pytest.mark.parametrize(
    ("keys", "key", "expected"),
    [
        ("ac", "b", "abc"),
        ("bc", "a", "abc"),
        ("ab", "c", "abc"),
        ("ca", "b", "cab"),
        ("axc", "b", "abxc"),
        ("", "a", "a"),
        ("ab", "z", "abz"),
        ("abc", "b", "abc"),
    ],
)
def test_a_key_goes_behind_those_before_it(keys: str, key: str, expected: str) -> None:
    changed = set_key(dict.fromkeys(keys, 0), key, 1, ("a", "b", "c"))
    assert "".join(changed) == expected
    assert changed == {**dict.fromkeys(keys, 0), key: 1}


@given(texts, payloads, st.sampled_from(["edited", "recorded"]))
def test_a_new_file(content: str, request: dict[str, Any], source: Any) -> None:
    response = {"content": content, "finish_reason": "stop"}
    document = new_document(DIGEST, response, description="d", request=request, source=source)
    assert document.text.endswith("}\n")
    assert tuple(document.value) == TOP_KEYS
    assert document.value == {
        "request_digest": DIGEST,
        "description": "d",
        "response": response,
        "request": request,
        "workbench": {"source": source},
    }
    assert read_value(document.text.encode()) == document.value


def test_a_new_file_says_no_more_than_it_must() -> None:
    assert new_document(DIGEST, {"content": "é"}).text == (
        f'{{\n  "request_digest": "{DIGEST}",\n  "response": {{\n    "content": "é"\n  }},\n'
        '  "workbench": {\n    "source": "edited"\n  }\n}\n'
    )
