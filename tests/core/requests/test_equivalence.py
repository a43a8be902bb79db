"""The canonical form: equal for requests that mean the same, different for all others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.strategies import payloads
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.requests.equivalence import (
    Forms,
    canonical_form,
    form_digests,
    without_call_ids,
)

REQUESTS = Path(__file__).parents[2] / "data" / "apis" / "requests.jsonl"
CALL = {
    "id": "call_a",
    "type": "function",
    "function": {"name": "get_weather", "arguments": '{"city":"Łódź","days":2}'},
}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
ANSWER = {"role": "tool", "tool_call_id": "call_a", "content": "rain"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://example.com/cat.png"}}
TEXT = {"type": "text", "text": "Hi"}


def form(*messages: object, **more: object) -> Any:
    return canonical_form({"model": "m", "messages": list(messages), **more})


def arguments(text: object) -> Any:
    call = {**CALL, "function": {"name": "get_weather", "arguments": text}}
    found = form({**ASKS, "tool_calls": [call]})
    return found["messages"][0]["tool_calls"][0]["function"]["arguments"]


def test_requests_of_real_clients_are_in_canonical_form_once_they_are_chat_requests() -> None:
    lines = [json.loads(line) for line in REQUESTS.read_text("utf-8").splitlines()]
    assert len(lines) == 251
    for line in lines:
        chat = line["chat"]
        if chat is None:
            assert line["unsupported"]
            continue
        found = canonical_form(chat)
        assert found == chat
        assert digest(found) == line["digest"]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": [CALL]},
        {**ASKS, "content": ""},
        {**ASKS, "content": []},
        {**ASKS, "content": [{"type": "text", "text": ""}]},
        {**ASKS, "content": [{"type": "thinking", "thinking": "..."}]},
        {**ASKS, "tool_calls": [{"index": 0, **CALL}]},
        {**ASKS, "refusal": None, "annotations": [], "audio": None, "function_call": None},
        {**ASKS, "name": None, "reasoning_content": "Hm."},
    ],
    ids=str,
)
def test_a_message_of_calls_is_the_same_however_it_is_written(message: dict[str, Any]) -> None:
    assert form(message, ANSWER) == form(ASKS, ANSWER)


@each_case(
    "one, other",
    [
        ({"role": "user", "content": [TEXT]}, {"role": "user", "content": "Hi"}),
        ({"role": "user", "content": ["Hi"]}, {"role": "user", "content": "Hi"}),
        ({"role": "user", "content": []}, {"role": "user", "content": ""}),
        ({"role": "user"}, {"role": "user", "content": ""}),
        ({"role": "system", "content": "Hi", "name": None}, {"role": "system", "content": "Hi"}),
        (
            {"role": "user", "content": [TEXT, {**TEXT, "cache_control": {"type": "ephemeral"}}]},
            {"role": "user", "content": [TEXT, TEXT]},
        ),
        (
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {**IMAGE["image_url"], "detail": "auto"}}  # type: ignore[dict-item]
                ],
            },
            {"role": "user", "content": [IMAGE]},
        ),
        (
            {"role": "assistant", "content": [TEXT, {"type": "text", "text": " you"}]},
            {"role": "assistant", "content": "Hi you", "tool_calls": []},
        ),
        (
            {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
            {"role": "assistant", "content": None, "refusal": "No."},
        ),
        ({**ANSWER, "content": [{"type": "text", "text": "rain"}], "name": "get_weather"}, ANSWER),
        ({**ANSWER, "content": None}, {**ANSWER, "content": ""}),
    ],
)
def test_messages_that_mean_the_same_have_one_form(one: object, other: object) -> None:
    assert form(one) == form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"role": "assistant", "content": ""}, {"role": "assistant", "content": None}),
        ({"role": "user", "content": [TEXT, TEXT]}, {"role": "user", "content": "HiHi"}),
        ({"role": "developer", "content": "Hi"}, {"role": "system", "content": "Hi"}),
        ({"role": "user", "content": "Hi", "name": "Ann"}, {"role": "user", "content": "Hi"}),
        (ASKS, {**ASKS, "tool_calls": [{**CALL, "id": "call_b"}]}),
        (ASKS, {**ASKS, "content": "I look."}),
        (ANSWER, {**ANSWER, "content": [IMAGE]}),
    ],
    ids=str,
)
def test_messages_that_mean_something_else_have_different_forms(one: object, other: object) -> None:
    assert form(one) != form(other)


def test_a_message_of_thoughts_alone_counts_for_nothing() -> None:
    assert form({"role": "assistant", "content": []}, ANSWER) == form(ANSWER)


@each_case(
    "written, rewritten",
    [
        ('{"days": 2.0, "city": "\\u0141\\u00f3d\\u017a"}', '{"city":"Łódź","days":2}'),
        ({"days": 2, "city": "Łódź"}, '{"city":"Łódź","days":2}'),
        ("", "{}"),
        (None, "{}"),
        ('{"price": 1.50, "big": 1e3}', '{"big":1000,"price":1.5}'),
        # No object of JSON that could be hashed.
        ("[1, 2]", "[1, 2]"),
        ('{"a": ', '{"a": '),
        ('{"a": NaN}', '{"a": NaN}'),
        ('{"a": 1e999}', '{"a": 1e999}'),
        ('{"a": "\\ud800"}', '{"a": "\\ud800"}'),
        ('{"a":' * 100_000, '{"a":' * 100_000),
    ],
)
def test_arguments_that_are_an_object_are_written_in_one_way(
    written: object, rewritten: object
) -> None:
    assert arguments(written) == rewritten


def test_a_custom_call_keeps_its_input_as_it_is() -> None:
    call = {"index": 0, "id": "c", "type": "custom", "custom": {"name": "n", "input": '{"a": 1}'}}
    found = form({**ASKS, "tool_calls": [call]})["messages"][0]["tool_calls"]
    assert found == [{"id": "c", "type": "custom", "custom": {"name": "n", "input": '{"a": 1}'}}]


def test_a_call_of_an_unknown_kind_keeps_all_that_it_says() -> None:
    call = {"index": 0, "id": "c", "type": "later", "later": {"index": 0}, "custom": None}
    found = form({**ASKS, "tool_calls": [call]})["messages"][0]["tool_calls"]
    assert found == [{"id": "c", "type": "later", "later": {"index": 0}}]


def test_only_messages_and_tool_choice_are_rewritten() -> None:
    payload = {"tools": [{"x": None}], "response_format": None, "stream": True, "seed": None}
    assert form(tool_choice=None, **payload) == {"model": "m", "messages": [], **payload}
    choice = {"type": "function", "function": {"name": "f", "x": None}, "mode": None}
    named = {"type": "function", "function": {"name": "f"}}
    assert form(tool_choice=choice)["tool_choice"] == named


def test_ordinals_stand_for_the_ids_of_calls() -> None:
    def talk(first: str, second: str) -> Any:
        calls = [{**CALL, "id": first}, {**CALL, "id": second}]
        results = [{**ANSWER, "tool_call_id": called} for called in (second, first)]
        return form({**ASKS, "tool_calls": calls}, *results)

    assert without_call_ids(talk("toolu_x", "toolu_y")) == talk("call_0", "call_1")
    assert without_call_ids(form({**ANSWER, "tool_call_id": "lost"})) == form(
        {**ANSWER, "tool_call_id": "lost"}
    )
    # Some clients give all calls one id: their results are in the order of the calls.
    results = without_call_ids(talk("", ""))["messages"][1:]
    assert [result["tool_call_id"] for result in results] == ["call_0", "call_1"]


def test_a_result_of_no_call_does_not_become_that_of_a_call() -> None:
    calls = {**ASKS, "tool_calls": [{**CALL, "id": "toolu_x"}]}
    lost, own = ({**ANSWER, "tool_call_id": name} for name in ("call_0", "toolu_x"))
    assert without_call_ids(form(calls, lost)) != without_call_ids(form(calls, own))


def test_ids_count_where_both_requests_have_them() -> None:
    def digests(name: str) -> Forms:
        calls = {**ASKS, "tool_calls": [{**CALL, "id": name}]}
        return form_digests(view(form(calls, {**ANSWER, "tool_call_id": name})))

    first, second, none = digests("toolu_x"), digests("toolu_y"), digests("call_0")
    assert first.are_equivalent(first)
    assert not first.are_equivalent(second)
    assert first.are_equivalent(none)
    assert none.are_equivalent(second)


@given(payloads)
def test_any_payload_has_a_form_which_is_its_own_form(payload: dict[str, Any]) -> None:
    found = canonical_form(payload)
    assert canonical_form(found) == found
    without = without_call_ids(found)
    assert without_call_ids(without) == without
