"""Credentials in heads: the paths of URLs without the keys in them."""

from __future__ import annotations

import pytest

from workbench.core.secrets.heads import of_request, without_keys

KEY = "sk-" + "aB3dE5gH7jK9" * 4


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
