"""Options that replies do not honour are said once, in the log and to those who listen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any

import pytest

from tests.server.routes.test_control import CONTROL, next_event
from tests.server.running import RunningServer

ROUTE = "/v1/embeddings"
INCLUDE = "[mock-llm] ignored include: replies only support reasoning.encrypted_content"


def usage_wanted(text: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": text}]
    options = {"stream": True, "stream_options": {"include_usage": True}}
    return {"model": "m", "messages": messages, **options}


def ask_for_all(server: RunningServer) -> None:
    server.post(ROUTE, {"model": "m", "input": "a", "encoding_format": "base64"})
    server.post(ROUTE, {"model": "m", "input": [1, 2], "dimensions": 3})
    server.chat(usage_wanted("hello"))
    for include in ("reasoning.encrypted_content", "message.output_text.logprobs"):
        asked = {"model": "m", "input": "Hi", "store": False, "include": [include]}
        server.post("/v1/responses", asked)


@contextmanager
def listening(server: RunningServer) -> Iterator[HTTPResponse]:
    connection = server.connect()
    with closing(connection):
        connection.request("GET", CONTROL + "events")
        yield connection.getresponse()


def notes(server: RunningServer) -> list[str]:
    return [line for line in server.log().splitlines() if " ignored " in line]


def test_each_is_said_once_with_the_switch(server: RunningServer) -> None:
    server.post(ROUTE, {"model": "m", "input": "a", "encoding_format": "float"})
    server.chat({**usage_wanted("plain"), "stream": False})
    server.chat(usage_wanted("verified"), {"X-Workbench-Verify": "1"})
    assert notes(server) == []
    with listening(server) as events:
        assert next_event(events)[1]["ignored"] == []
        for _ in range(2):
            ask_for_all(server)
        assert next_event(events) == ("ignored", {"option": "encoding_format"})
    options = [
        "encoding_format",
        "dimensions",
        "that input is one list of tokens",
        "include_usage",
    ]
    assert notes(server) == [
        *(f"[mock-llm] ignored {option}; --profile openai honours it" for option in options),
        INCLUDE,
    ]
    with listening(server) as events:
        assert next_event(events)[1]["ignored"] == [*options, "include"]


CHAT: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}
GENERATE: dict[str, Any] = {"contents": [{"parts": [{"text": "hello"}]}]}


@pytest.mark.parametrize("is_wanted", [True, False])
@pytest.mark.parametrize(
    ("path", "body", "option"),
    [
        ("/v1/chat/completions", CHAT, "logprobs"),
        ("/v1/responses", {"model": "m", "input": "Hi"}, "top_logprobs"),
        ("/v1beta/models/m:generateContent", GENERATE, "responseLogprobs"),
    ],
)
def test_no_reply_has_logprobs(
    tmp_path: Path, path: str, body: dict[str, Any], option: str, is_wanted: bool
) -> None:
    options: dict[str, Any] = {option: is_wanted}
    if "contents" in body:
        options = {"generationConfig": options}
    with RunningServer(tmp_path, arguments=("--profile", "openai")) as server:
        server.post(path, {**body, **options})
        said = "[mock-llm] ignored logprobs: replies have none"
        assert notes(server) == [said] * is_wanted


def test_profile_openai_ignores_only_what_no_fixture_holds(openai_server: RunningServer) -> None:
    ask_for_all(openai_server)
    assert notes(openai_server) == [INCLUDE]
