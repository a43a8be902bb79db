"""MCP servers that a request asks the provider to use."""

from __future__ import annotations

from typing import Any, Final

# Whatever the API. The last two name the server too, in Gemini's requests.
_CREDENTIALS: Final = frozenset(
    {
        "authorization",
        "authorization_token",
        "headers",
        "streamableHttpTransport",
        "streamable_http_transport",
    }
)


def without_credentials(servers: object) -> Any:
    """A list of servers, or of tools with servers among them, without the credentials for them: no
    fixture depends on these, and they must not be stored.
    """
    if not isinstance(servers, list):
        return servers
    return [
        {key: value for key, value in server.items() if key not in _CREDENTIALS}
        if isinstance(server, dict)
        else server
        for server in servers
    ]
