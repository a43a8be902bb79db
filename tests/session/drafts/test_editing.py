"""Edits by field: the wanted change, and not a byte more."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference, strategies
from tests.cases import each_case
from workbench.core.fixture.document import FixtureDocument
from workbench.core.json.places import place_of
from workbench.core.json.values import same
from workbench.core.requests.messages import FunctionCall
from workbench.session.drafts import editing, text_fields

REAL = [json.loads(path.read_bytes()) for path in sorted(reference.AGENT_FIXTURES.iterdir())]
CALL = {
    "index": 0,
    "id": "call_c62fad60",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
}
NEW_CALL = {
    "index": 7,
    "id": "call_new",
    "type": "function",
    "function": {"name": "search", "arguments": '{"q": ""}'},
}
NUMBERS = ["1.0", "1e5", "-0", "0.10", "1E+2", "123456789012345678901234567890"]
STRANGE_CALLS: list[Any] = [CALL, {**CALL, "_note": 1.5}, 5, None, "x", [], {}, {"function": None}]

responses = st.fixed_dictionaries(
    {},
    optional={
        "content": strategies.texts,
        "tool_calls": st.lists(st.sampled_from(STRANGE_CALLS), max_size=4),
        "finish_reason": st.sampled_from(["stop", "tool_calls", "length", "odd"]),
        "usage": st.dictionaries(
            st.sampled_from(["prompt_tokens", "completion_tokens", "total_tokens", "_x"]),
            st.sampled_from([0, 12, "12", 1.5, -3, None, True, []]),
        ),
        "delay_ms": st.just(5),
        "_more": st.sampled_from([f"@{n}" for n in range(len(NUMBERS))]),
    },
)
own_parts = st.fixed_dictionaries(
    {},
    optional={
        "source": st.just("edited"),
        "allow": st.lists(st.sampled_from(["secret", "missing-index", "will-rot", 5]), max_size=3),
        "_mine": st.just([]),
    },
)
values = st.sampled_from(REAL) | st.fixed_dictionaries(
    {"response": responses},
    optional={
        "_comment": strategies.texts,
        "description": strategies.texts.filter(bool),
        "request": st.just({"model": "m", "messages": []}),
        "workbench": own_parts,
        "_more": st.sampled_from([f"@{n}" for n in range(len(NUMBERS))]),
    },
)


@st.composite
def documents(draw: st.DrawFn) -> FixtureDocument:
    """Fixtures as people and programs write them."""
    value = draw(values)
    if draw(st.booleans()):
        value = dict(reversed(value.items()))
    text = json.dumps(
        value,
        indent=draw(st.sampled_from([None, 2, 4, "\t", 0])),
        ensure_ascii=draw(st.booleans()),
        separators=draw(st.sampled_from([None, (",", ":"), (" , ", " : ")])),
    )
    for place, number in enumerate(NUMBERS):
        text = text.replace(f'"@{place}"', number)
    text = text.encode("utf-8", "backslashreplace").decode()
    text = draw(st.sampled_from(["", " ", "\n\n"])) + text + draw(st.sampled_from(["", "\n", "\t"]))
    return FixtureDocument(text.replace("\n", draw(st.sampled_from(["\n", "\r\n"]))))


def changed_part(before: str, after: str) -> tuple[str, str]:
    """The one stretch in which two texts differ."""
    start = _common(before, after)
    rest = before[start:][::-1], after[start:][::-1]
    end = _common(*rest)
    return rest[0][end:][::-1], rest[1][end:][::-1]


def _common(a: str, b: str) -> int:
    """How many characters two texts begin with alike."""
    alike = (n for n, (left, right) in enumerate(zip(a, b, strict=False)) if left != right)
    return next(alike, min(len(a), len(b)))


def assert_replaced(
    before: FixtureDocument, after: FixtureDocument, path: tuple[str | int, ...], new: object
) -> None:
    """The value at ``path`` is ``new`` now, and its span is all that was replaced."""
    old_start, old_end = place_of(before.text, path).span
    start, end = place_of(after.text, path).span
    assert same(json.loads(after.text[start:end]), new)
    assert after.text[:start] == before.text[:old_start]
    assert after.text[end:] == before.text[old_end:]


def assert_inserted(before: FixtureDocument, after: FixtureDocument) -> None:
    """Something was put in, in one place, and nothing else touched."""
    gone, added = changed_part(before.text, after.text)
    assert gone == ""
    assert added != ""


def call_places(document: FixtureDocument) -> list[int]:
    given = document.response.get("tool_calls", [])
    return [n for n, call in enumerate(given) if isinstance(call, dict)]


def without(value: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in value.items() if k != key}


# Reading


def test_what_the_fields_show() -> None:
    text = json.dumps(
        {
            "description": "a note",
            "response": {
                "content": "hi",
                "tool_calls": [CALL, 5, {"id": 7, "function": []}],
                "finish_reason": "length",
                "usage": {"prompt_tokens": 3, "completion_tokens": None},
            },
        }
    )
    document = FixtureDocument(text)
    assert editing.content(document) == "hi"
    assert editing.calls(document) == [
        FunctionCall("call_c62fad60", "get_weather", '{"city": "London"}'),
        FunctionCall("", "", ""),
    ]
    assert text_fields.values(document)["finish"] == "length"
    assert usage(document) == ("3", "")


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"response": null}',
        '{"response": []}',
        '{"response": {"content": 5, "tool_calls": {}, "finish_reason": [], "usage": []}}',
    ],
)
def test_what_is_of_a_wrong_type_is_shown_as_nothing(text: str) -> None:
    document = FixtureDocument(text)
    assert editing.content(document) == ""
    assert editing.calls(document) == []


# Content, calls


@given(documents(), strategies.texts)
def test_content(document: FixtureDocument, text: str) -> None:
    edited = editing.with_content(document, text)
    assert editing.content(edited) == text
    if document.response.get("content") == text:
        assert edited.text == document.text
    elif "content" in document.response:
        assert_replaced(document, edited, ("response", "content"), text)
    elif document.response:
        assert_inserted(document, edited)
        assert without(edited.response, "content") == document.response


@given(documents(), strategies.texts, st.integers(0, 3))
def test_arguments(document: FixtureDocument, text: str, index: int) -> None:
    places = call_places(document)
    if index >= len(places):
        with pytest.raises(IndexError):
            editing.with_function(document, index, "arguments", text)
        return
    edited = editing.with_function(document, index, "arguments", text)
    assert editing.calls(edited)[index].arguments == text
    path = ("response", "tool_calls", places[index], "function", "arguments")
    with suppress(KeyError):
        start, end = place_of(document.text, path).span
        if json.loads(document.text[start:end]) != text:
            assert_replaced(document, edited, path, text)
    others = [n for n in range(len(document.response["tool_calls"])) if n != places[index]]
    for other in others:
        call = ("response", "tool_calls", other)
        before, after = (d.text[slice(*place_of(d.text, call).span)] for d in (document, edited))
        assert before == after
    assert editing.with_function(edited, index, "arguments", text).text == edited.text


def test_the_input_of_a_custom_tool() -> None:
    call = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "sql", "input": "a"}}
    document = FixtureDocument(json.dumps({"response": {"tool_calls": [call]}}))
    edited = editing.with_function(document, 0, "arguments", "select 1")
    edited = editing.with_function(edited, 0, "name", "query")
    assert edited.response["tool_calls"] == [
        {**call, "custom": {"name": "query", "input": "select 1"}}
    ]
    assert editing.calls(edited) == [FunctionCall("c", "query", "select 1", is_custom=True)]


@given(documents())
def test_a_call_is_added_at_the_end(document: FixtureDocument) -> None:
    edited = editing.with_call(document, NEW_CALL)
    assert edited.response["tool_calls"] == [*document.response.get("tool_calls", []), NEW_CALL]
    given = document.response.get("finish_reason", "")
    assert edited.response["finish_reason"] == (
        given if given not in ("", "stop") else "tool_calls"
    )
    rest = ("tool_calls", "finish_reason")
    assert {k: v for k, v in edited.response.items() if k not in rest} == {
        k: v for k, v in document.response.items() if k not in rest
    }
    if given not in ("", "stop") and document.response.get("tool_calls"):
        assert_inserted(document, edited)


@given(documents(), st.integers(0, 3))
def test_a_call_is_removed(document: FixtureDocument, index: int) -> None:
    places = call_places(document)
    if index >= len(places):
        with pytest.raises(IndexError):
            editing.without_call(document, index)
        return
    edited = editing.without_call(document, index)
    left = [c for n, c in enumerate(document.response["tool_calls"]) if n != places[index]]
    if left:
        assert edited.response == {**document.response, "tool_calls": left}
        assert_inserted(edited, document)
        return
    was = document.response.get("finish_reason")
    expected = without(document.response, "tool_calls")
    expected.setdefault("content", "")
    if was == "tool_calls":
        expected["finish_reason"] = "stop"
    assert edited.response == expected
    assert without(edited.value, "response") == without(document.value, "response")


@given(documents())
def test_a_call_comes_and_goes_without_a_trace(document: FixtureDocument) -> None:
    if "tool_calls" in document.response and not document.response["tool_calls"]:
        return  # an empty list is not brought back
    edited = editing.with_call(document, NEW_CALL)
    back = editing.without_call(edited, len(editing.calls(edited)) - 1)
    if document.response.get("tool_calls"):
        expected = edited.response["finish_reason"]
        assert back.response == {**document.response, "finish_reason": expected}
    elif document.response.get("finish_reason") == "stop" and "content" in document.response:
        assert back.text == document.text


def test_the_last_call_takes_its_finish_reason_along() -> None:
    document = FixtureDocument('{"response": {"content": "", "finish_reason": "stop"}}')
    one = editing.with_call(document, CALL)
    assert one.response.get("finish_reason") == "tool_calls"
    two = editing.with_call(one, NEW_CALL)
    assert editing.without_call(two, 0).response.get("finish_reason") == "tool_calls"
    assert editing.without_call(one, 0).text == document.text


@pytest.mark.parametrize("content", ["null", None])
def test_without_calls_there_is_a_content(content: str | None) -> None:
    given = "" if content is None else f'"content": {content}, '
    text = f'{{"response": {{{given}"tool_calls": [{json.dumps(CALL)}]}}}}'
    assert editing.without_call(FixtureDocument(text), 0).response == {"content": ""}


def test_content_that_is_no_string_is_not_thrown_away_with_the_calls() -> None:
    text = f'{{"response": {{"content": [1, 2], "tool_calls": [{json.dumps(CALL)}]}}}}'
    assert editing.without_call(FixtureDocument(text), 0).response == {"content": [1, 2]}


def test_the_first_key_of_a_response_stands_as_it_would_by_hand() -> None:
    document = FixtureDocument('{\n\t"_comment": "why",\n\t"description": "x"\n}\n')
    edited = editing.with_content(document, "hello")
    assert edited.text == (
        '{\n\t"_comment": "why",\n\t"description": "x",\n\t"response": {\n\t\t"content": "hello"\n'
        "\t}\n}\n"
    )


# Finish reason, usage, description


def usage(document: FixtureDocument) -> tuple[str, str]:
    shown = text_fields.values(document)
    return shown["prompt"], shown["completion"]


def with_usage(document: FixtureDocument, prompt: str, completion: str) -> FixtureDocument:
    return text_fields.with_values(document, {"prompt": prompt, "completion": completion})


@given(documents(), st.sampled_from(["stop", "tool_calls", "length", "content_filter", "odd"]))
def test_finish_reason(document: FixtureDocument, reason: str) -> None:
    edited = text_fields.with_values(document, {"finish": reason})
    assert edited.response == {**document.response, "finish_reason": reason}
    if "finish_reason" in document.response:
        assert_replaced(document, edited, ("response", "finish_reason"), reason)
        gone = text_fields.with_values(document, {"finish": ""})
        assert gone.response == without(document.response, "finish_reason")
        if len(document.response) > 1:
            assert_inserted(gone, document)
    elif document.response:
        assert_inserted(document, edited)
        assert text_fields.with_values(edited, {"finish": ""}).text == document.text


token_texts = st.sampled_from(["", "0", "7", "12", "-3", "1.5", "many", "9" * 30, "²"])


@given(documents(), token_texts, token_texts)
def test_usage(document: FixtureDocument, prompt: str, completion: str) -> None:
    edited = with_usage(document, prompt, completion)
    assert usage(edited) == (prompt, completion)
    for typed, was, key in zip(
        (prompt, completion),
        usage(document),
        ("prompt_tokens", "completion_tokens"),
        strict=True,
    ):
        before = document.response.get("usage", {}).get(key)
        after = edited.response.get("usage", {}).get(key)
        if typed == was:
            assert same(after, before) or before is None
        elif typed in ("0", "7", "12", "-3", "1.5"):
            assert after == float(typed)
        elif typed:
            assert after == typed
    assert without(edited.response, "usage") == without(document.response, "usage")


@given(documents())
def test_usage_as_it_is_shown_changes_nothing(document: FixtureDocument) -> None:
    assert with_usage(document, *usage(document)).text == document.text


def test_one_count_leaves_the_other_as_it_is_written() -> None:
    text = '{"response": {"usage": {"prompt_tokens": 1.50, "completion_tokens": "7"}}}'
    document = FixtureDocument(text)
    assert usage(document) == ("1.5", "7")
    assert with_usage(document, "1.5", "8").text == text.replace('"7"', "8")
    assert with_usage(document, "2", "7").text == text.replace("1.50", "2")


def test_usage_that_is_computed_has_no_block() -> None:
    text = '{"response": {"content": "x"}}'
    document = with_usage(FixtureDocument(text), "3", "4")
    assert document.response["usage"] == {"prompt_tokens": 3, "completion_tokens": 4}
    assert with_usage(document, "3", "").response["usage"] == {"prompt_tokens": 3}
    assert with_usage(document, "", "").text == text


def test_a_total_is_nobody_elses_to_remove() -> None:
    document = FixtureDocument('{"response": {"usage": {"prompt_tokens": 1, "total_tokens": 2}}}')
    assert with_usage(document, "", "").response == {"usage": {"total_tokens": 2}}


@given(documents(), strategies.texts)
def test_description(document: FixtureDocument, text: str) -> None:
    edited = text_fields.with_values(document, {"description": text})
    assert edited.description == text
    assert without(edited.value, "description") == without(document.value, "description")
    if "description" not in document.value:
        emptied = text_fields.with_values(edited, {"description": ""})
        assert emptied.value.get("description", text) == ""
    elif text and text != document.description:
        assert_replaced(document, edited, ("description",), text)


# Allowing rules


@given(documents(), st.sampled_from(["secret", "will-rot", "duplicate-key"]))
def test_a_rule_is_allowed_and_no_longer(document: FixtureDocument, rule: str) -> None:
    edited = editing.with_allowed(document, rule, True)
    assert edited.allowed == document.allowed | {rule}
    back = editing.with_allowed(edited, rule, False)
    assert back.allowed == document.allowed - {rule}
    if rule in document.allowed:
        assert edited.text == document.text
    elif document.value.get("workbench") != {}:
        own = document.value.get("workbench", {})
        if own.get("allow") == []:
            assert back.value.get("workbench", {}) == without(own, "allow")
        else:
            assert back.text == document.text
    assert editing.with_allowed(edited, rule, True).text == edited.text
    assert editing.with_allowed(back, rule, False).text == back.text
    assert without(edited.value, "workbench") == without(document.value, "workbench")


@given(documents(), st.sampled_from([{"content": "x"}, {"content": "", "finish_reason": "stop"}]))
def test_what_a_model_answered_is_the_response_and_told(
    document: FixtureDocument, response: dict[str, Any]
) -> None:
    edited = editing.with_recorded(document, response)
    assert edited.response == response
    assert edited.value["workbench"]["source"] == "recorded"
    assert edited.allowed == document.allowed
    rest = {"response", "workbench"}
    assert {k: v for k, v in edited.value.items() if k not in rest} == {
        k: v for k, v in document.value.items() if k not in rest
    }


def test_the_other_rules_keep_their_order_and_place() -> None:
    text = '{"workbench": {"allow": ["will-rot",  "secret", 5], "source": "edited"}}'
    document = FixtureDocument(text)
    assert editing.with_allowed(document, "usage-shape", True).text == text.replace(
        "5]", '5,  "usage-shape"]'
    )
    assert editing.with_allowed(document, "secret", False).value["workbench"]["allow"] == [
        "will-rot",
        5,
    ]


# Expanded and on one line

TOKENS = (
    '{"a":1.0,"b" : 1e5,"\\u0063":"\\u00e9\\/\\n","d":[ ],"e":{ },"f":[-0,1E+2,{"g":null}],"a":2}'
)


def test_expanding_keeps_every_token() -> None:
    assert editing.expanded(TOKENS) == (
        '{\n  "a": 1.0,\n  "b": 1e5,\n  "\\u0063": "\\u00e9\\/\\n",\n  "d": [],\n  "e": {},\n'
        '  "f": [\n    -0,\n    1E+2,\n    {\n      "g": null\n    }\n  ],\n  "a": 2\n}'
    )


def test_one_line_keeps_every_token() -> None:
    assert editing.one_line(editing.expanded(TOKENS)) == (
        '{"a": 1.0, "b": 1e5, "\\u0063": "\\u00e9\\/\\n", "d": [], "e": {}, '
        '"f": [-0, 1E+2, {"g": null}], "a": 2}'
    )


@each_case(
    "text",
    ["", "hello", "12", '"a string"', "null", "{", "{'a': 1}", "two\nlines", "[1] and more",
     " ", "[" * 5000],
)  # fmt: skip
def test_what_is_no_object_or_list_stays_as_it_is(text: str) -> None:
    assert editing.expanded(text) == text
    assert editing.one_line(text) == text


def test_what_was_laid_out_by_hand_is_not_laid_out_anew() -> None:
    text = '{"a": 1,\n "b": 2}'
    assert editing.expanded(text) == text
    assert editing.one_line(text) == '{"a": 1, "b": 2}'


@given(strategies.json_values, st.sampled_from([None, 1, 4, "\t"]), st.booleans())
def test_there_and_back(value: Any, indent: int | str | None, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    line = editing.one_line(text)
    assert same(json.loads(line), json.loads(text))
    if isinstance(value, dict | list):
        assert "\n" not in line
        assert editing.one_line(editing.expanded(line)) == line
        assert editing.expanded(editing.one_line(editing.expanded(line))) == editing.expanded(line)
    if indent is None:
        # Arguments as libraries write them come back to the byte.
        assert editing.one_line(editing.expanded(text)) == text
