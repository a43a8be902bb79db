"""Credentials of MCP servers, which are in the body of a request."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.apis.table import received

FUNCTION = {"type": "function", "name": "f", "functionDeclarations": [{"name": "f"}]}
SECRET = {"Authorization": "Bearer a-secret"}
TRANSPORT = {"url": "https://tools.example", "headers": SECRET}


@pytest.mark.parametrize(
    ("path", "body", "kept"),
    [
        (
            "/v1/responses",
            {
                "tools": [
                    FUNCTION,
                    {"type": "mcp", "server_label": "t", "authorization": "a-secret"},
                    {"type": "mcp", "server_url": "https://tools.example", "headers": SECRET},
                ]
            },
            {
                "tools": [
                    FUNCTION,
                    {"type": "mcp", "server_label": "t"},
                    {"type": "mcp", "server_url": "https://tools.example"},
                ]
            },
        ),
        (
            "/v1/messages",
            {"mcp_servers": [{"name": "t", "authorization_token": "a-secret"}]},
            {"mcp_servers": [{"name": "t"}]},
        ),
        (
            "/v1beta/models/m:generateContent",
            {
                "tools": [
                    FUNCTION,
                    {"mcpServers": [{"name": "t", "streamableHttpTransport": TRANSPORT}]},
                    {"mcp_servers": [{"name": "t", "streamable_http_transport": TRANSPORT}]},
                ]
            },
            {
                "tools": [
                    FUNCTION,
                    {"mcpServers": [{"name": "t"}]},
                    {"mcp_servers": [{"name": "t"}]},
                ]
            },
        ),
    ],
)
def test_credentials_of_servers_are_not_in_a_request_as_it_is_kept(
    path: str, body: dict[str, Any], kept: dict[str, Any]
) -> None:
    found = received(path, "", body)
    assert found is not None
    assert kept.items() <= found.items()


@pytest.mark.parametrize("path", ["/v1/responses", "/v1/messages", "/models/m:generateContent"])
@pytest.mark.parametrize("value", [None, "x", [None, ["x"], {"mcpServers": "x"}]])
def test_values_of_other_types_stay(path: str, value: Any) -> None:
    body = {"tools": value, "mcp_servers": value}
    assert body.items() <= (received(path, "", body) or {}).items()
