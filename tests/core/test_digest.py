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
from tests.cases import each_case
from workbench.core.digest import (
    RequestError,
    canonical_messages,
    digest,
    is_digest,
    is_too_deep,
    json_type,
    parse_request,
    short,
)

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


def test_it_is_stdlib_alone() -> None:
    program = (
        "import sys; before = set(sys.modules); import workbench.core.digest;"
        "more = {m.partition('.')[0] for m in set(sys.modules) - before};"
        "print(sorted(more - sys.stdlib_module_names),"
        "[m for m in sys.modules if m.startswith('workbench.')])"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert ran.stdout == b"['workbench'] ['workbench.core', 'workbench.core.digest']\n"


@each_case(
    "body, code, words",
    [
        (b"", "invalid_json", "empty"),
        (b" \r\n", "invalid_json", "empty"),
        (b'{"a":', "invalid_json", "line 1, column 6"),
        (b'{\n "a": 1\n "b": 2}', "invalid_json", "line 3, column 2"),
        (b'{"a": "\xff"}', "not_utf8", "byte 7"),
        (b'{"a": "\xed\xa0\x80"}', "not_utf8", "byte 7"),  # a surrogate, in three bytes
        ('{"a": 1}'.encode("utf-16"), "not_utf8", "byte 0"),
        ('{"a": 1}'.encode("utf-16-le"), "invalid_json", "line 1, column 2"),
        (b"[]", "not_an_object", "a list"),
        (b"null", "not_an_object", "null"),
        (b'"x"', "not_an_object", "a string"),
        (b"true", "not_an_object", "true"),
        (b"1", "not_an_object", "a number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "integer_too_long", "too long"),
        (b'{"a": ' + b"[" * 100_000, "too_deep", "deep"),
    ],
)
def test_what_is_no_request_is_refused(body: bytes, code: str, words: str) -> None:
    with pytest.raises(RequestError, match=words) as caught:
        parse_request(body)
    assert caught.value.code == code


def test_a_request_is_read_from_bytes_and_text() -> None:
    text = '{"model": "é"}'
    assert parse_request(text) == parse_request(text.encode())
    assert parse_request(text.encode("utf-8-sig")) == {"model": "é"}


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[1], [2], [3]]", False),
        ('{"a": {"b": 1}, "c": [2], "d": "["}', False),
        ("[[[]]]", True),
        ('[{"a": 1}, {"b": {}}]', True),
        ('{"a": [1, {}]}', True),
    ],
)
def test_depth_is_counted_however_many_stand_side_by_side(text: str, expected: bool) -> None:
    assert is_too_deep(text, json.loads(text), 2) is expected
    assert is_too_deep(text.encode(), json.loads(text), 2) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (EMPTY_DIGEST, True),
        (EMPTY_DIGEST.upper(), False),
        (EMPTY_DIGEST[:-1], False),
        (EMPTY_DIGEST + "0", False),
        (EMPTY_DIGEST + "\n", False),
        ("", False),
    ],
)
def test_the_form_of_a_digest(text: str, expected: bool) -> None:
    assert is_digest(text) is expected


def test_short_is_the_first_twelve() -> None:
    assert short(EMPTY_DIGEST) == "29f3a7290b85"


def test_types_have_their_article() -> None:
    values: list[object] = [None, True, False, 1, 1.5, "x", [], {}]
    assert [json_type(value) for value in values] == [
        *("null", "true", "false", "a number", "a number", "a string", "a list", "an object")
    ]
