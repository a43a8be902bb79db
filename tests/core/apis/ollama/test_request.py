"""Requests of the Ollama API, and the chat requests that say the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.strategies import json_values
from workbench.core.apis.ollama import request
from workbench.core.apis.paths import plain_at, received, target
from workbench.core.apis.table import view

TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}
CHAT = {"model": "llama3.2", "messages": [{"role": "user", "content": "Hi"}]}
GENERATE = {"model": "llama3.2", "prompt": "Hi"}


def read(path: str, body: dict[str, Any]) -> Any:
    payload = received(path, "", body)
    assert payload is not None
    return view(payload)


@each_case(
    "path, body",
    [("/api/chat", CHAT), ("/ollama/api/chat", CHAT), ("/v1/api/generate", GENERATE)],
)
def test_both_say_the_same_as_a_chat_request(path: str, body: dict[str, Any]) -> None:
    asked = read(path, body)
    assert asked.api == "ollama"
    assert asked.digest == view(CHAT).digest
    assert asked.stream


@pytest.mark.parametrize(("path", "body"), [("/api/chat", CHAT), ("/api/generate", GENERATE)])
def test_a_request_is_sent_on_as_it_was_received(path: str, body: dict[str, Any]) -> None:
    payload = received(path, "", {**body, "api": "x", "endpoint": "y"})
    assert payload is not None
    assert target(payload) == (path, "", body)


def test_a_request_is_read_by_its_path() -> None:
    """A prompt counts as nothing in chat, and messages in generate."""
    both = {**CHAT, "prompt": "Bye"}
    assert read("/api/chat", both).digest == read("/api/chat", CHAT).digest
    assert read("/api/generate", both).last_user_text == "Bye"
    for body in (CHAT, GENERATE):  # without a URL
        assert view({**body, "api": "ollama"}).digest == view(CHAT).digest


@each_case("stream, expected", [(None, True), (True, True), (False, False), ("no", True)])
def test_replies_are_streamed_unless_a_request_says_no(stream: Any, expected: bool) -> None:
    assert read("/api/chat", {**CHAT, "stream": stream}).stream is expected


@each_case(
    "asked_format, kind, schema",
    [
        (None, "text", None),
        ("", "text", None),
        ("json", "json_object", None),
        ({"type": "object"}, "json_schema", {"type": "object"}),
        ({}, "text", None),
        (["json"], "text", None),
    ],
)
def test_the_format(asked_format: Any, kind: str, schema: Any) -> None:
    output = read("/api/generate", {**GENERATE, "format": asked_format}).output_format
    assert (output.kind, output.schema) == (kind, schema)


def test_tools_are_those_of_chat() -> None:
    assert [tool.name for tool in read("/api/chat", {**CHAT, "tools": [TOOL, 1]}).tools] == ["f"]


def test_what_does_not_decide_the_answer() -> None:
    more = {"options": {"seed": 1}, "keep_alive": "5m", "think": True, "raw": True}
    assert read("/api/generate", {**GENERATE, **more}).digest == view(CHAT).digest


@each_case(
    "path, more, feature",
    [
        ("/api/generate", {"context": [1, 2]}, "context"),
        ("/api/generate", {"suffix": "}"}, "suffix"),
        ("/api/generate", {"context": [], "suffix": ""}, None),
        ("/api/chat", {"context": [1], "suffix": "}"}, None),
    ],
)
def test_what_is_not_supported(path: str, more: dict[str, Any], feature: str | None) -> None:
    payload = received(path, "", {**GENERATE, **more})
    assert payload is not None
    reason = request.unsupported(payload)
    assert reason is None if feature is None else f"does not support {feature}" in str(reason)


def test_logprobs_are_ignored() -> None:
    assert request.ignored(read("/api/chat", {**CHAT, "logprobs": True})) == ["logprobs"]
    assert request.ignored(read("/api/chat", CHAT)) == []


@each_case(
    "path, kind, methods",
    [
        ("/api/tags", "models", ("GET", "HEAD")),
        ("/v1/api/ps", "models", ("GET", "HEAD")),
        ("/api/show", "model", ("POST",)),
        ("/api/version", "version", ("GET", "HEAD")),
        ("/api/embed", "embeddings", ("POST",)),
        ("/api/embeddings", "embeddings", ("POST",)),
    ],
)
def test_the_paths_without_fixtures(path: str, kind: str, methods: tuple[str, ...]) -> None:
    plain = plain_at(path)
    assert plain is not None
    api, entry, _ = plain
    assert (api.name, entry.kind, entry.methods) == ("ollama", kind, methods)


@given(json_values)
def test_any_types(value: Any) -> None:
    keys = ("model", "messages", "prompt", "system", "images", "tools", "format", "stream")
    for path in ("/api/chat", "/api/generate"):
        asked = read(path, dict.fromkeys(keys, value))
        assert asked.canonical.messages is not None
