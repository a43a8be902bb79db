"""The Gemini API over real HTTP: with the official client, and with recorded requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from google import genai
from google.genai import errors, types
from pydantic import BaseModel

from tests.core.apis.gemini.test_request import SENT
from tests.server import hurried
from tests.server.running import RunningServer, wait_until
from workbench.core.apis.table import view
from workbench.core.log.events import MissLogged, RequestLogged
from workbench.core.log.reader import LogParser

MODEL = "gemini-3-pro"
KEY = "AIzaSy" + "aB3dE5gH7jK9" * 3
CALLS = [
    {
        "index": n,
        "id": f"call_{city}",
        "type": "function",
        "function": {"name": "get_weather", "arguments": json.dumps({"city": city})},
    }
    for n, city in enumerate(["Rome", "Oslo"])
]
OFFERED = types.Tool(
    function_declarations=[types.FunctionDeclaration(name="get_weather", description="Weather.")]
)


class City(BaseModel):
    name: str
    people: int


def official(url: str) -> genai.Client:
    return genai.Client(api_key=KEY, http_options=types.HttpOptions(base_url=url))


@pytest.fixture(scope="module")
def gemini(server: RunningServer) -> Iterator[genai.Client]:
    with official(server.url) as client:
        yield client


def payload(text: str) -> dict[str, Any]:
    contents = [{"role": "user", "parts": [{"text": text}]}]
    return {"api": "gemini", "model": MODEL, "contents": contents}


def answer(server: RunningServer, text: str, response: dict[str, Any]) -> str:
    """Write the fixture for a question; returns its digest."""
    digest = view(payload(text)).digest
    server.write_fixture(digest, {"response": response, "request": payload(text)})
    return digest


def ask(client: genai.Client, text: str, stream: bool, config: Any = None) -> list[Any]:
    """The response, or the chunks of its stream."""
    asked: Any = {"model": MODEL, "contents": text, "config": config}
    if stream:
        return list(client.models.generate_content_stream(**asked))
    return [client.models.generate_content(**asked)]


def parts(responses: list[Any]) -> list[Any]:
    return [part for response in responses for part in response.candidates[0].content.parts]


# The official client


@pytest.mark.parametrize("stream", [False, True])
def test_texts_thoughts_and_counts(
    server: RunningServer, gemini: genai.Client, stream: bool
) -> None:
    usage = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 3},
    }
    response = {"content": "Hé \u2028 you.", "reasoning": "They greet.", "usage": usage}
    digest = answer(server, "thoughts", response)
    found = ask(gemini, "thoughts", stream)
    said = parts(found)
    assert "".join(part.text for part in said if part.thought) == "They greet."
    assert "".join(part.text for part in said if not part.thought) == "Hé \u2028 you."
    counts = found[-1].usage_metadata
    assert (counts.prompt_token_count, counts.cached_content_token_count) == (20, 8)
    assert (counts.candidates_token_count, counts.thoughts_token_count) == (2, 3)
    assert counts.total_token_count == 25
    assert {response.response_id for response in found} == {digest[:22]}
    assert {response.model_version for response in found} == {MODEL}
    assert found[-1].candidates[0].finish_reason == types.FinishReason.STOP


@pytest.mark.parametrize("stream", [False, True])
def test_calls(server: RunningServer, gemini: genai.Client, stream: bool) -> None:
    answer(server, "calls", {"content": "Let me see.", "tool_calls": CALLS})
    config = types.GenerateContentConfig(tools=[OFFERED])
    found = ask(gemini, "calls", stream, config)
    calls = [part.function_call for part in parts(found) if part.function_call]
    assert [(call.id, call.name, call.args) for call in calls] == [
        ("call_Rome", "get_weather", {"city": "Rome"}),
        ("call_Oslo", "get_weather", {"city": "Oslo"}),
    ]


def test_structured_output(server: RunningServer, gemini: genai.Client) -> None:
    answer(server, "city", {"content": '{"name": "Rome", "people": 3}'})
    config = types.GenerateContentConfig(
        response_mime_type="application/json", response_schema=City
    )
    (found,) = ask(gemini, "city", False, config)
    assert found.parsed == City(name="Rome", people=3)


@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal(server: RunningServer, gemini: genai.Client, stream: bool) -> None:
    answer(server, "refused", {"refusal": "I cannot."})
    (found,) = ask(gemini, "refused", stream)
    assert found.text is None
    assert found.candidates[0].finish_reason == types.FinishReason.SAFETY
    # Which the client keeps to itself.
    body = {"contents": payload("refused")["contents"]}
    reply = server.post(f"/v1beta/models/{MODEL}:generateContent", body)
    assert reply.json()["candidates"][0]["finishMessage"] == "I cannot."


@pytest.mark.parametrize("stream", [False, True])
def test_an_error(server: RunningServer, gemini: genai.Client, stream: bool) -> None:
    error = {"status": 429, "message": "Slow down.", "retry_after": 3}
    answer(server, "too fast", {"error": error})
    with pytest.raises(errors.ClientError, match="Slow down") as raised:
        ask(gemini, "too fast", stream)
    assert (raised.value.code, raised.value.status) == (429, "RESOURCE_EXHAUSTED")
    assert raised.value.response.headers["retry-after"] == "3"


def test_tokens_are_counted(gemini: genai.Client) -> None:
    found = gemini.models.count_tokens(model=MODEL, contents="How many tokens is this?")
    assert found.total_tokens == len("How many tokens is this?") // 4


def test_embeddings_and_built_in_tools_are_unsupported(
    server: RunningServer, gemini: genai.Client
) -> None:
    before = server.log_size()
    with pytest.raises(errors.ClientError, match="supports only generateContent and countTokens"):
        gemini.models.embed_content(model=MODEL, contents="a")
    search = types.GenerateContentConfig(tools=[types.Tool(google_search=types.GoogleSearch())])
    with pytest.raises(errors.ClientError, match="not support the built-in tool googleSearch"):
        ask(gemini, "news", False, search)
    assert server.log(before).count("[mock-llm] unsupported request POST ") == 2


# Over HTTP


def test_recorded_requests_have_the_digests_of_the_chat_requests_that_say_the_same(
    server: RunningServer,
) -> None:
    for recorded in SENT:
        before = server.log_size()
        reply = server.post(recorded["path"], recorded["body"])
        log = server.log(before)
        if "unsupported" in recorded:
            assert reply.status == 400
            assert "[mock-llm] unsupported request POST /" in log
        else:
            assert reply.status == 200
            assert f"[mock-llm] unknown fixture hash {recorded['digest']}\n" in log


@pytest.mark.parametrize("version", ["/v1beta", "/v1", ""])
def test_a_stream_is_an_array_unless_it_is_asked_for_as_events(
    server: RunningServer, version: str
) -> None:
    answer(server, "array", {"content": "Hello you"})
    body = {"contents": payload("array")["contents"]}
    path = f"{version}/models/{MODEL}:streamGenerateContent"
    reply = server.post(path, body)
    assert reply.headers["content-type"] == "application/json"
    chunks = reply.json()
    texts = [chunk["candidates"][0]["content"]["parts"][0]["text"] for chunk in chunks]
    assert (len(texts), "".join(texts)) == (5, "Hello you")
    events = server.post(f"{path}?alt=sse", body)
    assert events.headers["content-type"] == "text/event-stream"
    data = [line.removeprefix(b"data: ") for line in events.body.split(b"\r\n\r\n") if line]
    assert [json.loads(line) for line in data] == chunks


def test_a_client_that_loses_the_ids_of_calls_meets_the_same_fixture(
    server: RunningServer,
) -> None:
    asked = {"role": "user", "content": "lost ids"}
    called = {"role": "assistant", "content": None, "tool_calls": CALLS[:1]}
    told = {"role": "tool", "tool_call_id": "call_Rome", "content": "21 C"}
    chat = {"model": MODEL, "messages": [asked, called, told]}
    server.write_fixture(view(chat).digest, {"response": {"content": "Warm."}, "request": chat})
    call = {"functionCall": {"name": "get_weather", "args": {"city": "Rome"}}}
    output = {"functionResponse": {"name": "get_weather", "response": {"output": "21 C"}}}
    contents = [
        *payload("lost ids")["contents"],
        {"role": "model", "parts": [call]},
        {"role": "user", "parts": [output]},
    ]
    reply = server.post(f"/v1beta/models/{MODEL}:generateContent", {"contents": contents})
    assert reply.json()["candidates"][0]["content"]["parts"] == [{"text": "Warm."}]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind"),
    [
        ("POST", "/v1beta/models/m:generateContent", b"{", 400, "INVALID_ARGUMENT"),
        ("POST", "/v1beta/models/m:countTokens", b"[]", 400, "INVALID_ARGUMENT"),
        ("POST", "/v1beta/models/m:embedContent", b"{}", 400, "INVALID_ARGUMENT"),
        ("POST", "/v1/models/m:embedContent", b"{}", 400, "INVALID_ARGUMENT"),
        ("GET", "/v1beta/models/m:generateContent", None, 405, "INVALID_ARGUMENT"),
    ],
)
def test_a_refused_request_has_an_error_of_the_api(
    server: RunningServer, method: str, path: str, body: bytes | None, status: int, kind: str
) -> None:
    reply = server.request(method, path, body)
    error = reply.json()["error"]
    assert (reply.status, error["code"], error["status"]) == (status, status, kind)


def test_any_name_of_a_model_is_one_line_of_the_log(server: RunningServer) -> None:
    before = server.log_size()
    path = "/v1beta/models/a%3Fb%0A%23c%20d:generateContent"
    assert server.post(path, {"cachedContent": "x"}).status == 400
    reply = server.post(path, {"contents": []})
    assert reply.json()["modelVersion"] == "a?b\n#c d"
    lines = server.log(before).splitlines()
    reason = "this server does not support cachedContent"
    assert lines[0] == f"[mock-llm] unsupported request POST {path}: {reason}"
    assert [line for line in lines if not line.startswith(("[mock-llm] ", "127.0.0.1 "))] == []


def test_a_miss_whose_function_result_has_unsorted_keys_is_logged_with_its_own_digest(
    server: RunningServer, gemini: genai.Client
) -> None:
    before = server.log_size()
    part = types.Part.from_function_response(name="plan", response={"to": "Oslo", "at": 9})
    gemini.models.generate_content(model=MODEL, contents=types.Content(role="user", parts=[part]))
    miss, request = LogParser().feed(server.log(before).encode())[:2]
    assert isinstance(miss, MissLogged)
    assert isinstance(request, RequestLogged)
    assert view(json.loads(request.dump)).digest == miss.digest


def test_a_key_reaches_no_file(server: RunningServer, gemini: genai.Client) -> None:
    ask(gemini, "key in a header", False)
    body = {"contents": payload("key in the URL")["contents"]}
    for method in ("generateContent", "streamGenerateContent", "embedContent"):
        server.post(f"/v1beta/models/{MODEL}:{method}?key={KEY}&alt=sse", body)
    folder = server.log_path.parent
    texts = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert texts
    assert [text for text in texts if KEY in text] == []
    listed = server.request("GET", "/__workbench/exchanges").body
    assert MODEL.encode() in listed
    assert KEY.encode() not in listed


# Holding


def test_a_held_request_hears_blank_lines_and_then_its_answer(tmp_path: Path) -> None:
    with (
        RunningServer(tmp_path, arguments=("--hold",), program=hurried.PROGRAM) as server,
        ThreadPoolExecutor(3) as pool,
        official(server.url) as client,
    ):
        streamed = pool.submit(ask, client, "held", True)
        refused = pool.submit(ask, client, "held, then refused", True)
        plain = pool.submit(ask, client, "held, then refused, plain", False)
        wait_until("held", lambda: len(held(server)) == 3)
        heard_at = hurried.QUIET_SECONDS + 0.5
        wait_until("heard", lambda: min(request["age_s"] for request in held(server)) > heard_at)
        error = {"status": 503, "message": "Too late."}
        answer(server, "held", {"content": "At last."})
        answer(server, "held, then refused", {"error": error})
        answer(server, "held, then refused, plain", {"error": error})
        assert "".join(part.text for part in parts(streamed.result(60))) == "At last."
        with pytest.raises(errors.APIError, match="Too late"):
            refused.result(60)
        # Its client does not ask again after a broken reply: the status was not sent yet.
        with pytest.raises(errors.ServerError, match="503 UNAVAILABLE"):
            plain.result(60)


def held(server: RunningServer) -> Any:
    return server.request("GET", "/__workbench/held").json()
