"""What a request asks for, by its method and path."""

from __future__ import annotations

import pytest

from tests.cases import each_case
from workbench.core.answering.errors import NotRoutedError, RefusedError
from workbench.core.answering.routes import Conversation, Plain, find_route
from workbench.core.apis.table import BY_NAME

ANTHROPIC = "/v1/projects/p/locations/us/publishers/anthropic/models"


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
        ("/api/chat", "ollama"),
        ("/ollama/api/generate", "ollama"),
        (f"{ANTHROPIC}/claude-sonnet-4-5@20250929:rawPredict", "messages"),
        (f"{ANTHROPIC}/claude-sonnet-4-5@20250929:streamRawPredict", "messages"),
        ("/openai/v1/chat/completions", "chat"),
        ("/inference/v1/chat/completions", "chat"),
        ("/openai/responses", "responses"),
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
        ("HEAD", "/v1beta/models", Plain("models", api=BY_NAME["gemini"])),
        (
            "GET",
            "/v1beta/models/gemini-2.5-pro",
            Plain("model", "gemini-2.5-pro", BY_NAME["gemini"]),
        ),
        ("GET", "/v1beta1/publishers/google/models", Plain("models", api=BY_NAME["gemini"])),
        ("GET", "/v1/models/org/name", Plain("model", "org/name")),
        ("GET", "/v1/models/ft:gpt-4o:acme::7p4", Plain("model", "ft:gpt-4o:acme::7p4")),
        ("GET", "/openai/responses/resp_1", Plain("response", "resp_1", BY_NAME["responses"])),
        ("POST", "/openai/deployments/ada/embeddings", Plain("embeddings")),
        ("POST", "/v1/moderations", Plain("moderations")),
        ("GET", "/v1/tcp_warming", Plain("nothing")),
        ("POST", "/api/event_logging/batch", Plain("telemetry", api=BY_NAME["messages"])),
        ("GET", "/api/claude_code/metrics", Plain("telemetry", api=BY_NAME["messages"])),
        ("POST", f"{ANTHROPIC}/count-tokens:rawPredict", Plain("tokens")),
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
        ("POST", "/api/pull", ()),
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


def test_models_are_listed_as_the_client_reads_them() -> None:
    for header, name in (
        ("x-goog-api-key", "gemini"),
        ("x-api-key", "messages"),
        ("anthropic-version", "messages"),
    ):
        route = find_route("GET", "/v1/models", {header: "x"})
        assert route == Plain("models", api=BY_NAME[name])
    assert find_route("GET", "/v1/models", {"authorization": "Bearer x"}) == Plain("models")


def test_a_websocket_is_refused_so_that_the_client_asks_over_http() -> None:
    with pytest.raises(RefusedError, match="WebSocket") as caught:
        find_route("GET", "/v1/responses", {"upgrade": "WebSocket"})
    assert (caught.value.status, caught.value.is_listed) == (426, False)
    with pytest.raises(NotRoutedError, match="WebSocket"):
        find_route("GET", "/v1/realtime", {"upgrade": "WebSocket"})
