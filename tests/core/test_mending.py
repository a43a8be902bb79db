"""Every certain fix of a document made, and nothing else changed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from tests.core.rule_cases import BROKEN, DIGEST, FINE, NAME, Broken, content, one_call, request
from tests.strategies import fixtures
from workbench.core import jsonspan
from workbench.core.mending import mend
from workbench.core.rules import Context, check


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.rule}: {case.text[:60]!a}")
def test_what_has_a_certain_fix_is_mended(case: Broken) -> None:
    context = Context(case.filename, case.requests)
    mended = mend(case.data, context)
    assert mended.left == check(mended.text, context)
    assert [f for f in mended.left if f.fix is not None] == []
    assert bool(mended.made) == (mended.text != case.data)
    if case.fixed is not None:
        assert case.rule in [f.rule for f in mended.made]


def test_a_document_without_fixes_is_as_it_was() -> None:
    for case in FINE:
        context = Context(case.filename, case.requests)
        if not any(finding.fix for finding in check(case.data, context)):
            mended = mend(case.data, context)
            assert (mended.text, mended.made) == (case.data, [])


def test_many_fixes_and_every_other_byte_as_it_was() -> None:
    text = (
        '{\r\n\t"descripton" : "é\\u00e9",\n'
        '  "response": {"tool_calls": [{"id":"a", "type":"function", "function": '
        '{"name":"getWeather", "arguments": {"city":"L"}}}],\n'
        '    "usage": {"prompt_tokens": 1.0e0, "total_tokens": 3}   },\n'
        f'  "request_digest": "{"0" * 64}", "_x": [ 1 ,2]\n}}'
    )
    mended = mend(text, Context(NAME, [request("get_weather")]))
    assert [f.rule for f in mended.made] == [
        "arguments-not-string",
        "tool-not-offered",
        "digest-mismatch",
        "unknown-key",
        "missing-index",
        "finish-reason-contradicts",
        "total-tokens-set",
    ]
    assert mended.text == (
        '{\r\n\t"description" : "é\\u00e9",\n'
        '  "response": {"tool_calls": [{"index":0, "id":"a", "type":"function", "function": '
        '{"name":"get_weather", "arguments": "{\\"city\\": \\"L\\"}"}}],\n'
        '    "finish_reason": "tool_calls",\n'
        '    "usage": {"prompt_tokens": 1.0e0}   },\n'
        f'  "request_digest": "{DIGEST}", "_x": [ 1 ,2]\n}}'
    )
    assert mended.left == []


def test_fixes_that_contradict_are_not_both_made() -> None:
    """Both would write finish_reason; the name comes first, and then nothing is missing."""
    call = one_call('"{}"').replace('"finish_reason"', '"finishReason"')
    mended = mend(call, Context(NAME))
    assert [f.rule for f in mended.made] == ["unknown-key"]
    assert mended.text == one_call('"{}"')


def test_of_two_slips_of_one_key_one_is_mended() -> None:
    text = '{"response": {"contnet": "a", "Content": "b"}}'
    mended = mend(text, Context(NAME))
    assert [f.rule for f in mended.made] == ["unknown-key"]
    assert mended.text == '{"response": {"content": "a", "Content": "b"}}'


def test_fixes_of_one_place_are_not_mixed() -> None:
    """Two requests of one digest offer tools that the name may mean."""
    offers = [request("get_weather"), request("get_weathers")]
    mended = mend(one_call('"{}"', "get_weathr"), Context(NAME, offers))
    names = ("get_weather", "get_weathers")
    assert mended.text in [one_call('"{}"', name) for name in names]
    assert len(mended.made) <= 2


def test_keys_that_are_removed_side_by_side() -> None:
    closed = {"type": "object", "properties": {}, "additionalProperties": False}
    offers = [request("get_weather", parameters=closed)]
    for before, after in {
        r"{\"x\": 1, \"y\": 2}": "{}",
        r"{\"x\": 1, \"y\": 2, \"z\": 3}": "{}",
    }.items():
        mended = mend(one_call(f'"{before}"'), Context(NAME, offers))
        assert (mended.text, mended.left) == (one_call(f'"{after}"'), [])


def test_a_mended_name_is_held_against_its_schema() -> None:
    """The next fix is only known when the one before it is made."""
    offers = [request("get_weather")]
    mended = mend(one_call(r'"{\"citty\": \"L\",}"', "getWeather"), Context(NAME, offers))
    assert mended.text == one_call(r'"{\"city\": \"L\"}"', "get_weather")
    assert [f.rule for f in mended.made] == [
        "arguments-invalid-json",
        "tool-not-offered",
        "arguments-schema",
    ]


def test_a_byte_order_mark_goes_and_then_the_rest_is_seen() -> None:
    mended = mend("\ufeff" + content('""', ', "usage": {"total_tokens": 1,}'), Context(NAME))
    assert [f.rule for f in mended.made] == ["not-utf8", "invalid-json", "total-tokens-set"]
    assert mended.text == content('""', ', "usage": {}')


def test_what_a_fixture_may_break_is_not_mended() -> None:
    text = content('""', ', "usage": {"total_tokens": 3}')[:-1]
    text += ', "workbench": {"allow": ["total-tokens-set"]}}'
    assert mend(text, Context(NAME)).made == []


def test_hundreds_of_fixes() -> None:
    calls = [{"id": f"{i}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
             for i in range(150)]  # fmt: skip
    document = {"response": {"tool_calls": calls, "finish_reason": "tool_calls"}}
    mended = mend(json.dumps(document), Context(NAME))
    assert [f.rule for f in mended.made] == ["missing-index"] * 150
    fixed = json.loads(mended.text)["response"]["tool_calls"]
    assert [call["index"] for call in fixed] == list(range(150))


def test_fewer_steps_in_a_text_of_many_values() -> None:
    """Each step checks all of it."""
    document = {"response": {"content": "", "finishreason": "stop", "usage": {"total_tokens": 3}}}
    for values, rules in ((0, ["unknown-key", "total-tokens-set"]), (100_000, ["unknown-key"])):
        mended = mend(json.dumps({"_values": [0] * values, **document}), Context(NAME))
        assert [finding.rule for finding in mended.made] == rules


@given(fixtures)
def test_mending_ends_and_leaves_nothing_to_mend(fixture: dict[str, Any]) -> None:
    text = jsonspan.dumps(fixture)
    context = Context(NAME, [request("get_weather")])
    before = check(text, context)
    mended = mend(text, context)
    assert len(mended.left) <= len(before)
    assert [f for f in mended.left if f.fix] == []
    assert mend(mended.text, context).text == mended.text
    assert bool(mended.made) == any(f.fix for f in before)
