"""Requests as they may be written down: which parts are credentials, and that digests stay."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from workbench.core.apis.paths import received
from workbench.core.apis.table import view
from workbench.core.requests.view import Payload
from workbench.core.secrets.bodies import MASK, may_be_named, named_in
from workbench.core.written.named_in_request import without_credentials
from workbench.core.written.request import as_written

SECRET = "Very+Secret/Thing"
USER = {"role": "user", "content": "hi"}
TRANSPORT = {"url": f"https://tools.example?key={SECRET}", "headers": {"X-A": SECRET}}


def asked(**more: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [USER], **more}


@each_case(
    "body",
    [
        {"api_key": SECRET},
        {"apiKey": SECRET},
        {"x-api-key": SECRET},
        {"X-Vercel-Protection-Bypass": SECRET},
        {"access_token": SECRET},
        {"aws_secret_access_key": SECRET},
        {"aws_access_key_id": SECRET},
        {"vertex_credentials": {"client": {"id": SECRET}}},
        {"auth": [SECRET, {"type": SECRET}]},
        {"password": 1234567890123},
        {"key": SECRET},
        {"connectionString": SECRET},
        {"extra_headers": {"X-Tenant": SECRET}},
        {"headers": [["A", SECRET]]},
        {"headers": f"A: {SECRET}"},
        {"headers": [f"A: {SECRET}"]},
        {"list": [{"name": "Authorization", "value": SECRET}]},
        {"list": [{"key": "X-Access", "value": {"is": SECRET}}]},
        {"text": f"Bearer {SECRET}"},
        {"text": [f"basic {SECRET}"]},
        {"text": json.dumps({"a": {"api_key": SECRET}})},
        {"url": f"https://me:{SECRET}@host/a"},
        {"url": f"https://host/a;key={SECRET.replace('/', '%2F')}/b", "token": "a"},
        {"url": f"https://host/?a=b&API-KEY={SECRET}"},
        {"domain_secrets": [{"value": SECRET}]},
    ],
)
def test_a_credential_is_masked_at_any_depth(body: dict[str, Any]) -> None:
    for payload in (asked(**body), asked(metadata={"a": [body]})):
        shown = without_credentials(payload)
        assert may_be_named(json.dumps(payload).encode())
        assert SECRET not in json.dumps(shown)
        assert str(1234567890123) not in json.dumps(shown)
        assert MASK in json.dumps(shown, ensure_ascii=False)
        assert view(shown).digest == view(payload).digest
        assert without_credentials(shown) == shown


@each_case(
    "body",
    [
        {"prompt_cache_key": SECRET},
        {"max_tokens": 12345678},
        {"next_page_token": "a", "stop_token": SECRET},
        {"key": "short"},
        {"filter": {"key": "a-long-name-of-a-field", "value": SECRET}},
        {"table": {"headers": ["Name", "City"]}},
        {"api_key": None, "password": True, "token": ""},
        {"text": "Basic arithmetic with bearer bonds", "url": "https://host/a?b=c"},
        {"tools": [{"parameters": {"properties": {"api_key": {"description": SECRET}}}}]},
        {"schema": {"$defs": {"headers": {"type": "object", "required": ["token"]}}}},
    ],
)
def test_what_only_sounds_like_one_stays(body: dict[str, Any]) -> None:
    payload = asked(**body)
    assert without_credentials(payload) == payload


def test_what_the_digest_takes_in_stays() -> None:
    arguments = {"password": SECRET, "url": f"https://a:{SECRET}@b"}
    turn = {"role": "assistant", "content": [{"type": "tool_use", "input": arguments}]}
    payload = {"model": "m", "messages": [USER, turn], "api_key": "another-key"}
    written = as_written(payload, ())
    assert written.payload == {**payload, "api_key": MASK}
    assert not written.is_secret


def test_a_request_without_a_digest_is_masked() -> None:
    half = {"role": "user", "content": "\ud83d"}
    payload = {"model": "m", "messages": [half], "api_key": SECRET}
    assert without_credentials(payload) == {**payload, "api_key": MASK}


def test_of_very_many_names_those_that_can_be_masked_soon_are() -> None:
    turns = [{"role": "user", "content": [{"password": f"{SECRET} {at}"}]} for at in range(500)]
    payload = {"api_key": SECRET, "model": "m", "messages": turns}
    assert view(without_credentials(payload)).digest == view(payload).digest


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/responses", {"tools": [{"type": "mcp", "authorization": SECRET, "headers": {}}]}),
        ("/v1/messages", {"mcp_servers": [{"name": "t", "authorization_token": SECRET}]}),
        (
            "/v1beta/models/m:generateContent",
            {
                "tools": [
                    {"mcpServers": [{"name": "t", "streamableHttpTransport": TRANSPORT}]},
                    {"mcp_servers": [{"name": "t", "streamable_http_transport": TRANSPORT}]},
                ]
            },
        ),
    ],
)
def test_credentials_for_servers_of_tools(path: str, body: dict[str, Any]) -> None:
    payload = received(path, "", body)
    assert payload is not None
    shown = without_credentials(payload)
    assert SECRET not in json.dumps(shown)
    assert shown.keys() == payload.keys()


@each_case(
    "payload, headers",
    [
        (asked(metadata={"a": SECRET}), {"X-License": SECRET}),
        (asked(api_key=SECRET, metadata={"a": f"it is {SECRET}"}), {}),
        (asked(headers={"X-Access": SECRET}, metadata={"a": SECRET}), {}),
        (asked(url=f"https://a:{SECRET}@b", metadata={"a": SECRET}), {}),
        (asked(metadata={"a": "abc123def456ghi789"}), {"X-Tenant": "abc123def456ghi789"}),
    ],
)
def test_a_request_that_repeats_one_is_secret(payload: Payload, headers: dict[str, str]) -> None:
    assert as_written(payload, headers.items()).is_secret


def test_other_headers_of_a_body_are_no_credentials() -> None:
    headers = {"Content-Type": "application/json", "Authorization": "Bearer another-key"}
    payload = asked(extra_headers=headers, metadata={"a": "application/json"})
    assert not as_written(payload, ()).is_secret


def test_requests_that_differ_in_credentials_are_one_variant() -> None:
    one, other = ({"type": "mcp", "authorization": key} for key in ("a-key", "b-key"))
    assert view(asked(tools=[one])).variant == view(asked(tools=[other])).variant
    assert view(asked(tools=[one])).variant != view(asked(tools=[])).variant


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text(max_size=5) | st.sampled_from(["api_key", "headers", "value", "name", "url"]),
            inner,
            max_size=3,
        )
    ),
)


@given(JSON)
def test_any_value_can_be_looked_through(value: Any) -> None:
    payload = asked(metadata=value, messages=[{"role": "user", "content": value}])
    shown = without_credentials(payload)
    assert view(shown).digest == view(payload).digest
    assert not named_in(value) or may_be_named(json.dumps(value).encode())


@each_case(
    "headers",
    [
        {"X-Tenant": "a1" * 30_000 + "!"},
        {"Authorization": "a=" * 30_000},
        {"X-" + "key-" * 15_000: "a"},
        {"Cookie": "a=b;" * 15_000},
        {"X-Config": "[" * 60_000},
    ],
)
def test_no_header_takes_long(headers: dict[str, str]) -> None:
    begun = time.process_time()
    as_written(asked(), headers.items(), "key=" * 15_000, "/a=" * 15_000)
    assert time.process_time() - begun < 2


@each_case(
    "body",
    [
        {"a": [{"api_key": "x" * 20}] * 20_000},
        {"a_" * 30_000: "b"},
        {"headers": {str(number): "c" for number in range(50_000)}},
        {"a": ["https://" + "@" * 50_000]},
        {"a": ["{" * 50_000, '{"a": ' + "[" * 50_000]},
    ],
)
def test_no_body_takes_long(body: dict[str, Any]) -> None:
    begun = time.process_time()
    without_credentials(asked(**body))
    assert time.process_time() - begun < 2
