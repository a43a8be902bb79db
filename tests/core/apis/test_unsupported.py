"""Requests that no route takes: which of them are an API's, and what is said of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.core.text.test_inert import acts
from workbench.core.apis.paths import conversation_at
from workbench.core.apis.unsupported import (
    MAX_PATH,
    UnsupportedRequest,
    is_of_api,
    unsupported_reply,
)
from workbench.core.log.events import UnsupportedLogged
from workbench.core.log.lines import unsupported_line
from workbench.core.log.reader import LogParser


def asked(method: str, path: str) -> UnsupportedRequest:
    found = UnsupportedRequest.of(method, path)
    assert found is not None
    return found


@pytest.mark.parametrize("path", ["/v1/audio/speech", "/proxy/v1/audio/speech", "/v1/chat"])
def test_the_path_of_an_api(path: str) -> None:
    assert is_of_api(path)
    assert not is_of_api("/favicon.ico")


def body_of(request: UnsupportedRequest) -> Any:
    return json.loads(unsupported_reply(request).body)


@each_case(
    "method, path, api, words",
    [
        ("POST", "/v1/responses/resp_1/cancel", "responses", "this part of the Responses API"),
        ("POST", "/v1/responses/compact", "responses", "this part of the Responses API"),
        ("POST", "/v1/messages/batches", "messages", "Messages API"),
        ("POST", "/messages/batches", "messages", "Messages API"),
        ("POST", "/v1/threads/t/messages", None, "Assistants API"),
        ("POST", "/v1beta/models/gemini-2.5-flash:embedContent", "gemini", "Gemini API"),
        ("POST", "/v1/models/text-embedding-004:batchEmbedContents", "gemini", "Gemini API"),
        ("POST", "/v1/interactions", "gemini", "Gemini API"),
        ("POST", "/v1beta/openai/images/generations", None, "images"),
        ("POST", "/v1/completions", None, "legacy completions"),
        ("POST", "/v1/audio/speech", None, "audio"),
        ("GET", "/v1/files", None, "files"),
        ("DELETE", "/v1/files/file-1", None, "files"),
        ("POST", "/api/pull", "ollama", "Ollama API"),
        ("DELETE", "/api/delete", "ollama", "Ollama API"),
        ("POST", "/v3/chat", None, "this server does not support this path"),
        ("POST", "/anything", None, "this server does not support this path"),
    ],
)
def test_what_is_asked(method: str, path: str, api: str | None, words: str) -> None:
    request = asked(method, path)
    assert (request.api, request.line) == (api, f"{method} {path}")
    assert words in request.reason
    assert request.advice
    assert request.message.startswith(f"{method} {path}: {request.reason}. ")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/"),
        ("GET", "/v1/"),
        ("GET", "/favicon.ico"),
        ("GET", "/robots.txt"),
        ("HEAD", "/v1/files"),
        ("OPTIONS", "/v1/completions"),
        ("BREW", "/v1/completions"),
    ],
)
def test_what_nobody_sends_to_an_api(method: str, path: str) -> None:
    assert UnsupportedRequest.of(method, path) is None


@pytest.mark.parametrize(
    "switch",
    [
        "client.chat.completions.create()",
        'set_default_openai_api("chat_completions")',
        '"openai-chat:MODEL"',
        "use_responses_api=False",
        ".chat()",
    ],
)
def test_the_well_known_clients_are_told_the_switch(switch: str) -> None:
    assert switch in asked("POST", "/v1/completions").message


def test_the_error_is_in_the_shape_of_the_api_that_was_asked() -> None:
    request = asked("POST", "/v1/completions")
    assert unsupported_reply(request).status == 400
    assert body_of(request) == {
        "error": {
            "message": request.message,
            "type": "invalid_request_error",
            "param": None,
            "code": "unsupported_request",
        }
    }
    request = asked("POST", "/v1/messages/batches")
    assert body_of(request) == {
        "type": "error",
        "error": {
            "type": "invalid_request_error",
            "message": request.message,
            "details": {"error_code": "unsupported_request"},
        },
        "request_id": "req_workbench",
    }
    request = asked("POST", "/v1beta/models/gemini-2.5-flash:embedContent")
    assert (
        body_of(request)["error"].items()
        >= {
            "code": 400,
            "message": request.message,
            "status": "INVALID_ARGUMENT",
        }.items()
    )


@given(method=st.sampled_from(["POST", "PUT", "GET"]), path=st.text(st.characters()))
def test_any_path_is_one_line_that_does_nothing_and_reads_back(method: str, path: str) -> None:
    assume(conversation_at(f"/v1/x{path}") is None)
    request = asked(method, f"/v1/x{path}")
    line = unsupported_line(request)
    assert line.count("\n") == 1
    assert line.endswith("\n")
    assert not any(acts(character) for character in line[:-1])
    assert len(request.path) <= MAX_PATH
    assert LogParser().feed(line.encode()) == [UnsupportedLogged(request)]


@each_case(
    "path, meant",
    [
        ("/v1/chat/completion", "/v1/chat/completions"),
        ("/v1/moderation", "/v1/moderations"),
        ("/chat/completions/", "/v1/chat/completions"),
        ("/v1/chatcompletions", "/v1/chat/completions"),
        ("/openai/deployments/x/chat/completion", "/v1/chat/completions"),
        ("/v1/response", "/v1/responses"),
        ("/v1/message", "/v1/messages"),
        ("/v1/embedding", "/v1/embeddings"),
        ("/v1/models/", "/v1/models"),
        ("/v1beta/openai/embeddings/", "/v1beta/openai/embeddings"),
        ("/v1/messages/", "/v1/messages"),
        ("/v1/responses/", "/v1/responses"),
        ("/v1beta/models/m:generateContent/", "/v1beta/models/m:generateContent"),
        ("/v2/chat/", "/v2/chat"),
    ],
)
def test_a_path_like_one_of_an_api_asks_for_that(path: str, meant: str) -> None:
    request = asked("POST", path)
    assert request.message == f"{request}. Did you mean {meant}?"
    assert f"Did you mean {meant}?" in unsupported_reply(request).body.decode()
    assert request.advice == [f"send it to {meant}"]


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/images", "/v1/rerank", "/v1", "/v1/x"])
def test_any_other_path_asks_for_none(path: str) -> None:
    assert "Did you mean" not in asked("POST", path).message
