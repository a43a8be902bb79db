"""Requests of Cohere's API: an agent that is given its answers miss by miss, streamed and not,
recorded, held, and refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.server.promoting import ANSWER, QUESTION, get_weather, promoted
from tests.server.running import RunningServer
from workbench.core.apis import sse
from workbench.core.digest import digest
from workbench.core.requests.equivalence import canonical_form

MODEL = "command-a-03-2025"
KEY = "cohere-" + "aB3dE5gH7jK9" * 4
LINES = {"accept": "application/json"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
FUNCTION = {"name": "get_weather", "parameters": SCHEMA}


def post(url: str, path: str, body: Any, headers: Mapping[str, str] = {}) -> httpx.Response:
    sent = {"authorization": f"Bearer {KEY}", **headers}
    return httpx.post(f"{url}{path}", json=body, headers=sent, trust_env=False, timeout=30)


def asked(messages: list[Any], **more: Any) -> dict[str, Any]:
    tools = [{"type": "function", "function": FUNCTION}]
    return {"model": MODEL, "messages": messages, "tools": tools, **more}


def agent(url: str, *, stream: bool, headers: Mapping[str, str] = {}) -> str:
    """Asks until no tool is called; returns the last text."""
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    while True:
        reply = post(url, "/v2/chat", asked(messages, stream=stream), headers)
        message = whole(events(reply)) if stream else reply.json()["message"]
        if not message.get("tool_calls"):
            return str(message["content"][0]["text"])
        messages.append(message)
        for call in message["tool_calls"]:
            content = get_weather(**json.loads(call["function"]["arguments"]))
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})


def events(reply: httpx.Response) -> list[Any]:
    if reply.headers["content-type"] == "application/stream+json":
        return [json.loads(line) for line in reply.text.splitlines()]
    assert reply.headers["content-type"] == "text/event-stream"
    return [json.loads(event.data) for event in sse.events(reply.content) if event.data != "[DONE]"]


def whole(events: list[Any]) -> dict[str, Any]:
    """The message of a stream."""
    text, calls = "", list[Any]()
    for event in events:
        message = event.get("delta", {}).get("message", {})
        match event["type"]:
            case "content-delta":
                text += message["content"]["text"]
            case "tool-call-start":
                calls.append(message["tool_calls"])
            case "tool-call-delta":
                piece = message["tool_calls"]["function"]["arguments"]
                calls[event["index"]]["function"]["arguments"] += piece
    if calls:
        return {"role": "assistant", "tool_calls": calls}
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def test_an_agent_is_given_its_answers_miss_by_miss(server: RunningServer) -> None:
    assert promoted(server, lambda: agent(server.url, stream=False)) == (ANSWER, [1, 1, 1, 0])
    # The same requests, streamed: the fixtures are there.
    assert promoted(server, lambda: agent(server.url, stream=True)) == (ANSWER, [0])
    in_lines = promoted(server, lambda: agent(server.url, stream=True, headers=LINES))
    assert in_lines == (ANSWER, [0])


@pytest.mark.parametrize("headers", [{}, LINES], ids=["events", "lines"])
@pytest.mark.parametrize("stream", [False, True], ids=["plain", "streamed"])
def test_an_upstream_is_recorded(
    server: RunningServer, tmp_path: Path, stream: bool, headers: Mapping[str, str]
) -> None:
    promoted(server, lambda: agent(server.url, stream=False))
    (tmp_path / "pyproject.toml").touch()
    upstream = ("--record", "--upstream", server.url)
    with RunningServer(tmp_path, arguments=upstream, working_folder=tmp_path) as recorder:
        assert agent(recorder.url, stream=stream, headers=headers) == ANSWER
        recorded = {
            path.name: json.loads(path.read_bytes())["response"]
            for path in recorder.fixtures.iterdir()
        }
        assert "leaves out" not in recorder.log()
    assert len(recorded) == 3
    for name, response in recorded.items():
        promoted_response = json.loads((server.fixtures / name).read_bytes())["response"]
        del response["usage"]
        assert response == promoted_response
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert [text for text in files if KEY in text] == []


def test_a_stream_that_breaks_off_is_not_recorded(server: RunningServer, tmp_path: Path) -> None:
    messages = [{"role": "user", "content": "Break off"}]
    write_fixture(server, messages, {"content": "A long text.", "disconnect_after": 4})
    (tmp_path / "pyproject.toml").touch()
    upstream = ("--record", "--upstream", server.url)
    with RunningServer(tmp_path, arguments=upstream, working_folder=tmp_path) as recorder:
        with pytest.raises(httpx.RemoteProtocolError):
            post(recorder.url, "/v2/chat", asked(messages, stream=True))
        assert list(recorder.fixtures.glob("*.json")) == []


def write_fixture(server: RunningServer, messages: list[Any], response: dict[str, Any]) -> None:
    name = digest(canonical_form({"model": MODEL, "messages": messages}))
    server.fixtures.mkdir(exist_ok=True)
    (server.fixtures / f"{name}.json").write_text(json.dumps({"response": response}))


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_are_those_of_the_api(server: RunningServer, status: int) -> None:
    messages = [{"role": "user", "content": f"Fail with {status}"}]
    write_fixture(server, messages, {"error": {"status": status, "message": "No."}})
    for stream in (False, True):
        reply = post(server.url, "/v2/chat", asked(messages, stream=stream))
        assert (reply.status_code, reply.json()["message"]) == (status, "No.")
        assert reply.headers["x-debug-trace-id"]


@pytest.mark.parametrize(
    ("path", "body", "problem"),
    [
        ("/v2/chat", [], "a request is a JSON object"),
        ("/v2/embed", {"texts": []}, "texts is an empty list"),
        (
            "/v1/chat",
            {"message": "hi", "connectors": [{"id": "web-search"}]},
            "connectors asks for",
        ),
        ("/v2/rerank", {"query": "a"}, "does not support reranking"),
        (
            "/v2/chat",
            {"messages": [], "tools": [{"type": "web_search"}]},
            "does not support tools of type web_search",
        ),
    ],
)
def test_what_cannot_be_answered_is_said_as_the_api_does(
    server: RunningServer, path: str, body: Any, problem: str
) -> None:
    reply = post(server.url, path, body)
    assert reply.status_code == 400
    assert reply.json().keys() == {"id", "message"}
    assert problem in reply.json()["message"]


def test_models_are_listed_as_its_clients_read_them(server: RunningServer) -> None:
    url, headers = f"{server.url}/v1/models", {"user-agent": "cohere/7.3.1"}
    models = httpx.get(url, headers=headers, trust_env=False).json()
    assert models.keys() == {"models"}
    model = httpx.get(f"{url}/{MODEL}", headers=headers, trust_env=False).json()
    assert (model["name"], model["endpoints"]) == (MODEL, ["chat"])
    assert "data" in httpx.get(url, trust_env=False).json()


def test_embeddings_have_the_size_of_their_model(server: RunningServer) -> None:
    body = {"model": "embed-v4.0", "texts": ["a"] * 40, "embedding_types": ["float", "int8"]}
    embeddings = post(server.url, "/v2/embed", body).json()["embeddings"]
    assert [len(vectors) for vectors in embeddings.values()] == [40, 40]
    assert {len(vector) for vectors in embeddings.values() for vector in vectors} == {1536}
