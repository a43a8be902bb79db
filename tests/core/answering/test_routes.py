"""What a request asks for, by its method and path."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from workbench.core.answering.errors import NotRoutedError
from workbench.core.answering.routes import Conversation, Plain, find_route


@each_case(
    "path, name",
    [
        ("/v1/chat/completions", "chat"),
        ("/chat/completions", "chat"),
        ("/openai/deployments/gpt-4o/chat/completions", "chat"),
        ("/api/v1/responses", "responses"),
        ("/messages", "messages"),
        ("/anthropic/v1/messages", "messages"),
        ("/models/gemini-2.5-flash:generateContent", "gemini"),
        ("/v1/projects/p/publishers/google/models/g:streamGenerateContent", "gemini"),
        ("/v1beta/models/a\nb:generateContent", "gemini"),
    ],
)
def test_a_conversation_is_known_by_the_end_of_its_path(path: str, name: str) -> None:
    route = find_route("POST", path, {})
    assert isinstance(route, Conversation)
    assert name == route.api.name


@each_case(
    "method, path, expected",
    [
        ("POST", "/embeddings", Plain("embeddings")),
        ("POST", "/api/v1/embeddings", Plain("embeddings")),
        ("POST", "/messages/count_tokens", Plain("tokens")),
        ("POST", "/models/gemini-2.5-flash:countTokens", Plain("tokens")),
        ("GET", "/models", Plain("models")),
        ("HEAD", "/v1beta/models", Plain("models")),
        ("GET", "/v1/models/org/name", Plain("model", "org/name")),
        ("GET", "/v1/models/ft:gpt-4o:acme::7p4", Plain("model", "ft:gpt-4o:acme::7p4")),
        ("GET", "/openai/responses/resp_1", Plain("response", "resp_1")),
        ("GET", "/healthz", Plain("health")),
        ("HEAD", "/", Plain("health")),
        ("OPTIONS", "/anything", Plain("preflight")),
    ],
)
def test_what_needs_no_fixture(method: str, path: str, expected: Plain) -> None:
    assert find_route(method, path, {}) == expected


@each_case(
    "method, path, allowed",
    [
        ("GET", "/chat/completions", ("POST",)),
        ("PUT", "/v1/models", ("GET", "HEAD")),
        ("GET", "/v1beta/models/g:generateContent", ("POST",)),
        ("POST", "/v1/responses/resp_1/cancel", ()),
        ("POST", "/v1/threads/thread_1/messages", ()),
        ("POST", "/v1/threads/thread_1/messages/count_tokens", ()),
        ("POST", "/api/embeddings", ()),
        ("POST", "/v1/chat/completions/", ()),
        ("GET", "/v1/models/", ()),
        ("GET", "/my-models", ()),
        ("GET", "/v1/healthz", ()),
    ],
)
def test_what_nothing_takes(method: str, path: str, allowed: tuple[str, ...]) -> None:
    with pytest.raises(NotRoutedError) as caught:
        find_route(method, path, {})
    assert (caught.value.allowed, caught.value.reason) == (allowed, "")


def test_a_websocket_is_named() -> None:
    with pytest.raises(NotRoutedError, match="WebSocket"):
        find_route("GET", "/v1/responses", {"upgrade": "WebSocket"})
