"""The digest, held against the real stub server's and against its definition in six lines."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import reference, strategies
from workbench.core.digest import canonical_messages, digest
from workbench.core.request_body import RequestError

EMPTY_DIGEST = "29f3a7290b8594218d9533ae1b80fb9c2ff0aac64dcf7b7da97fe02b1393df46"
HASHED_KEYS = {"model", "messages", "tool_choice"}


def by_definition(payload: Mapping[str, Any]) -> str:
    given = payload.get("messages")
    messages = [m for m in given if isinstance(m, dict)] if isinstance(given, list) else []
    always, if_there = ("role", "content"), ("name", "tool_call_id", "tool_calls")
    kept = [{k: m.get(k) for k in always} | {k: m[k] for k in if_there if k in m} for m in messages]
    fields = [("messages", kept), ("model", payload.get("model"))]
    fields.append(("tool_choice", payload.get("tool_choice")))
    text = json.dumps(dict(fields), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def of_messages(*messages: object) -> str:
    return digest({"messages": list(messages)})


def test_every_reference_digest() -> None:
    cases = reference.digests()
    assert len(cases) == 401
    assert [digest(case["payload"]) for case in cases] == [case["digest"] for case in cases]


@given(strategies.payloads)
def test_it_is_what_its_definition_says(payload: dict[str, Any]) -> None:
    assert digest(payload) == by_definition(payload)


@given(strategies.payloads, st.dictionaries(strategies.texts, strategies.json_values, max_size=3))
def test_no_other_key_counts(payload: dict[str, Any], more: dict[str, Any]) -> None:
    others = {key: value for key, value in more.items() if key not in HASHED_KEYS}
    knobs = {"temperature": 1, "top_p": 0.5, "seed": 7, "max_tokens": 9, "stream": True}
    assert digest({**payload, **others, **knobs}) == digest(payload)


def test_the_order_of_keys_does_not_count_and_that_of_parts_does() -> None:
    one, other = {"type": "text", "text": "a"}, {"type": "text", "text": "b"}
    message = {"role": "user", "content": [one, other]}
    assert of_messages(dict(reversed(message.items()))) == of_messages(message)
    assert of_messages({**message, "content": [dict(reversed(one.items())), other]}) == of_messages(
        message
    )
    assert of_messages({**message, "content": [other, one]}) != of_messages(message)


@pytest.mark.parametrize("key", ["role", "content"])
def test_absent_role_and_content_are_null(key: str) -> None:
    message = {"role": "user", "content": "hi"}
    absent = {k: v for k, v in message.items() if k != key}
    assert of_messages(absent) == of_messages({**message, key: None})
    assert of_messages(absent) != of_messages(message)


@pytest.mark.parametrize("key", ["name", "tool_call_id", "tool_calls"])
def test_other_keys_count_when_they_are_there_even_null(key: str) -> None:
    message = {"role": "user", "content": "hi"}
    assert of_messages({**message, key: None}) != of_messages(message)


def test_unknown_keys_of_a_message_do_not_count() -> None:
    assert of_messages({"role": "user", "refusal": None}) == of_messages({"role": "user"})


@pytest.mark.parametrize("messages", [None, False, 0, "", [], "text", {"role": "user"}, 7])
def test_messages_that_are_no_list_are_none(messages: object) -> None:
    assert digest({"messages": messages}) == EMPTY_DIGEST


def test_what_is_no_message_is_dropped() -> None:
    assert canonical_messages(["a", None, {"role": "user"}, 1, []]) == [
        {"role": "user", "content": None}
    ]


def test_absent_model_and_tool_choice_are_null() -> None:
    assert digest({}) == EMPTY_DIGEST
    assert digest({"model": None, "messages": [], "tool_choice": None}) == EMPTY_DIGEST
    assert digest({"model": ""}) != EMPTY_DIGEST


def test_nothing_is_escaped_beyond_need() -> None:
    text = '{"messages":[{"content":"Привет 🚀","role":null}],"model":null,"tool_choice":null}'
    assert of_messages({"content": "Привет 🚀"}) == hashlib.sha256(text.encode()).hexdigest()


def test_the_environment_does_not_count() -> None:
    program = (
        "import json, sys; from workbench.core.digest import digest;"
        "print(digest(json.loads(sys.argv[1])))"
    )
    payload = json.dumps(
        {"model": "m", "messages": [{"content": "é", "role": "user", "name": "n"}]}
    )
    environments = [
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LANG": "C"},
        {"PYTHONHASHSEED": "2", "TZ": "Asia/Tokyo", "LANG": "de_DE.UTF-8"},
    ]
    found = {
        subprocess.run(
            [sys.executable, "-c", program, payload],
            env={**os.environ, **environment},
            check=True,
            capture_output=True,
        ).stdout
        for environment in environments
    }
    assert found == {digest(json.loads(payload)).encode() + b"\n"}


def test_half_a_character_cannot_be_hashed_where_it_counts() -> None:
    with pytest.raises(RequestError, match=r"lone surrogate \\ud800") as caught:
        digest({"messages": [{"content": "a\ud800b"}]})
    assert caught.value.code == "lone_surrogate"
    assert digest({"metadata": "\ud800"}) == EMPTY_DIGEST


def test_what_is_nested_too_deeply_cannot_be_hashed() -> None:
    content: list[Any] = []
    for _ in range(100_000):
        content = [content]
    with pytest.raises(RequestError) as caught:
        digest({"messages": [{"content": content}]})
    assert caught.value.code == "too_deep"
    while content:  # or else freeing it nests as deeply
        content = content.pop()
