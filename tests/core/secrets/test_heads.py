"""Credentials in heads: by their names and looks, and paths without the keys in them."""

from __future__ import annotations

import base64
import json

import pytest

from tests.cases import each_case
from workbench.core.secrets.heads import of_request, path_masked, without_keys

KEY = "sk-" + "aB3dE5gH7jK9" * 4
SECRET = "Very+Secret/Thing"


@each_case(
    "name",
    [
        "authorization",
        "Proxy-Authorization",
        "api-key",
        "X-Api-Key",
        "x-goog-api-key",
        "Ocp-Apim-Subscription-Key",
        "X-Amz-Security-Token",
        "Helicone-Auth",
        "X-Api-Credentials",
        "X-Forwarded-Bearer",
        "X-JWT",
        "X-Pat",
        "X-Cookie",
        "X-Passwd",
        "x-accesstoken",
        "xapikey",
    ],
)
def test_headers_are_known_by_the_words_of_their_names(name: str) -> None:
    assert list(of_request([(name, f" {SECRET} ")])) == [SECRET, ""]


@pytest.mark.parametrize("scheme", ["Bearer", "basic"])
def test_a_header_of_any_name_is_known_by_its_scheme(scheme: str) -> None:
    assert SECRET in of_request([("X-Gateway", f"{scheme} {SECRET}")])


def test_other_headers_are_none() -> None:
    others = ["Host", "X-Stainless-Retry-Count", "OpenAI-Organization", "X-Max-Tokens", "Monkey"]
    assert list(of_request([(name, SECRET) for name in others], f"alt={SECRET}&v=2024-10-21")) == []


def test_schemes_are_taken_off_and_basic_is_decoded() -> None:
    assert list(of_request([("authorization", f"Bearer  {SECRET}")]))[1] == SECRET
    encoded = base64.b64encode(b"me:" + SECRET.encode()).decode()
    found = list(of_request([("authorization", f"basic {encoded}")]))
    assert found == [f"basic {encoded}", encoded, f"me:{SECRET}", SECRET]
    assert list(of_request([("authorization", "Basic ???")])) == ["Basic ???", "???"]


@pytest.mark.parametrize(
    "header", ['Token token="{}", user=me', "Token token={}", "GenieKey id=a, key={}; v=1"]
)
def test_named_values_of_a_header(header: str) -> None:
    assert SECRET in of_request([("authorization", header.format(SECRET))])


def test_values_without_a_name_are_not_taken_for_one() -> None:
    assert list(of_request([("authorization", "Bearer QUJDRA==")])) == [
        "Bearer QUJDRA==",
        "QUJDRA==",
    ]


def test_keys_of_a_header_that_is_json() -> None:
    targets = [{"provider": "a", "api_key": SECRET}, {"override": {"Authorization": "Bearer B"}}]
    found = set(of_request([("X-Config", json.dumps({"targets": targets}))]))
    assert found == {SECRET, "", "Bearer B", "B"}
    assert list(of_request([("X-Config", '{"api_key": ')])) == []


def test_cookies_are_taken_one_by_one() -> None:
    found = set(of_request([("Cookie", 'theme=dark; sid="a%20b=c"; odd')]))
    assert found == {"dark", "a%20b=c", "a b=c", ""}


@pytest.mark.parametrize(
    "name", ["key", "api_key", "api-key", "apiKey", "access_token", "token", "sig", "KEY"]
)
def test_parameters_of_a_query(name: str) -> None:
    found = set(of_request([], f"a=b&{name}=Very%2BSecret+Thing"))
    assert found == {"Very+Secret Thing", "Thing", "Very+Secret+Thing", ""}


def test_parameters_of_a_query_with_semicolons() -> None:
    assert "12345678" in of_request([], "a=b;key=12345678;c=d")


@each_case(
    "path, shown",
    [
        ("/v1/models;key=abc/x", "/v1/models;key=.../x"),
        ("/v1/models%3Bkey%3Dabc/x", "/v1/models%3Bkey%3D.../x"),
        ("/v1/models;%6Bey=abc", "/v1/models;%6Bey=..."),
        ("/api_key=abc&x=1", "/api_key=...&x=1"),
        ("/v1/a=b;c/models/m:generateContent", "/v1/a=b;c/models/m:generateContent"),
    ],
)
def test_parameters_of_a_path(path: str, shown: str) -> None:
    assert path_masked(path) == shown


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/v1/chat/completions", "/v1/chat/completions"),
        ("/v1/models/gpt-4o-mini-2024-07-18", "/v1/models/gpt-4o-mini-2024-07-18"),
        (f"/{KEY}/v1/chat/completions", "/.../v1/chat/completions"),
        (f"/proxy/{KEY}/{KEY}", "/proxy/.../..."),
        (f"/v1/models/{KEY}:beta", "/v1/models/...:beta"),
        ("//u:hunter2@host/v1/models", "//...@host/v1/models"),
        ("//u:a/b@host/v1", "//...@host/v1"),
        ("//hunter2@host", "//...@host"),
        ("/proxy/https:/u:hunter2@host/v1", "/proxy/https:/...@host/v1"),
        ("/proxy/https%3A%2F%2Fu%3Ahunter2%40host", "/proxy/https%3A%2F...%40host"),
        ("/v1/models/claude@20240229:raw", "/v1/models/claude@20240229:raw"),
        ("tests/test_a.py::test_b[u@host]", "tests/test_a.py::test_b[u@host]"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_keys_are_left_out(path: str, shown: str) -> None:
    assert without_keys(path) == shown


def test_the_id_of_a_conversation_is_no_credential_as_that_of_a_login_is() -> None:
    conversation, login = "01a221b1-8b8c-7dc2-b97a-fb60bec8296f", "aB3dE5gH7jK9"
    metadata = '{"session_id": "%s", "turn_id": "1"}'
    short = "ses_dde18cd6cffeJbkjyIwIrn6CTu"
    ids = [
        ("session-id", conversation),
        ("x-codex-turn-metadata", metadata % conversation),
        ("X-Claude-Code-Session-Id", conversation),
        ("x-claude-code-prompt-id", conversation),
        ("x-session-id", short),
        ("x-session-affinity", short),
    ]
    assert list(of_request(ids, "", "/v1/responses")) == []
    logins = [("session-id", login), ("x-session", conversation), ("x-data", metadata % login)]
    for header in logins:
        assert {login, conversation} & set(of_request([header], "", "/v1/responses"))


@pytest.mark.parametrize(
    "name",
    [
        *("Session", "Session-Id", "session_id", "Session-Token", "X-Session", "X-Session-Id"),
        *("X-Session-Token", "X-Session-Key", "X-SessionToken", "X-Session-Affinity", "sessionid"),
        *("X-SessionId", "JSESSIONID", "PHPSESSID", "ASP.NET_SessionId", "X-User-Session"),
        *("X-Claude-Code-Session-Id", "X-Codex-Session-Id", "Mcp-Session-Id"),
        "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id",
    ],
)
@pytest.mark.parametrize(
    "login",
    [
        *("correcthorsebattery", "123456789012", "3f2504e04f8911d39a0c0305e82c3301", "abc-def-ghi"),
        *("urn:uuid:01a221b1-8b8c-7dc2-b97a-fb60bec8296f", "ses-abcdefghijklmnop", "two words"),
    ],
)
def test_in_a_header_of_a_session_all_but_an_id_of_a_conversation_is_a_credential(
    name: str, login: str
) -> None:
    assert login in of_request([(name, login)])
    assert login in of_request([(name.lower(), login)])


@pytest.mark.parametrize(
    "name",
    [
        *("Session", "Session-Token", "X-Session", "X-Session-Token", "X-SessionId", "JSESSIONID"),
        *("X-Auth-Session-Id", "X-Login-Session-Id", "X-User-Session-Id", "X-My-SSO-Session-Id"),
        "X-CSRF-Session-Id",
    ],
)
def test_a_uuid_is_a_credential_where_the_name_is_that_of_a_login(name: str) -> None:
    uuid = "01a221b1-8b8c-7dc2-b97a-fb60bec8296f"
    assert uuid in of_request([(name, uuid)])


def test_of_a_signature_of_aws_the_names_of_headers_are_no_credentials() -> None:
    signed = (
        "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261128/us-east-1/bedrock/aws4_request, "
        "SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d92"
    )
    headers = [("Authorization", signed), ("X-Amz-Security-Token", "FwoGZXIvYXdzEBYaDH")]
    values = set(of_request(headers, "", "/model/m/converse"))
    assert "content-type" not in values
    assert values >= {
        "AKIAEXAMPLE/20261128/us-east-1/bedrock/aws4_request",
        "5d672d79c15b13162d92",
        "FwoGZXIvYXdzEBYaDH",
    }
