"""Credentials that a request carries anywhere but in what is hashed: no mode of the server writes
them to its log, its standard error, a fixture, a journal or anything else in the project.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import pytest

from tests.cases import each_case
from tests.scripted_server import ScriptedServer
from tests.server.running import RunningServer, wait_until
from tests.server.scripted_upstream import head
from workbench.core.digest import digest
from workbench.core.json.values import mapping

_numbers = count(1)


class Asked(NamedTuple):
    """A request that carries a credential."""

    body: dict[str, Any] = {}  # noqa: RUF012
    text: str = ""
    headers: dict[str, str] = {}  # noqa: RUF012
    query: str = ""
    prefix: str = ""
    parts: tuple[str, ...] = ()
    path: str = "/v1/chat/completions"
    raw: bytes | None = None


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def base64_of(secret: str) -> str:
    return base64.b64encode(secret.encode()).decode()


HEADERS = (
    "Authorization",
    "X-Vercel-Protection-Bypass",
    "X-Access",
    "X-License",
    "api-key",
    "x-goog-api-key",
    "X-My-Token",
    "X-My-Secret",
    "X-Session-Id",
    "X-Session-Token",
    "JSESSIONID",
)


def _header_of(name: str) -> Callable[[str], Asked]:
    return lambda secret: Asked(text=f"it is {secret}", headers={name: secret})


PLACES: dict[str, Callable[[str], Asked]] = {
    "api_key": lambda s: Asked({"api_key": s}),
    "apiKey": lambda s: Asked({"apiKey": s}),
    "extra_headers": lambda s: Asked({"extra_headers": {"Authorization": f"Bearer {s}"}}),
    "any extra header": lambda s: Asked({"extra_headers": {"X-Tenant": s}}),
    "headers as pairs": lambda s: Asked({"extra": {"headers": [["X-Access", s]]}}),
    "headers as text": lambda s: Asked({"extra": {"headers": f"X-License: {s}"}}),
    "a pair": lambda s: Asked({"metadata": {"list": [{"name": "X-Api-Key", "value": s}]}}),
    "a tool's headers": lambda s: Asked({"tools": [{"type": "mcp", "headers": {"x-a": s}}]}),
    "a tool's authorization": lambda s: Asked({"tools": [{"type": "mcp", "authorization": s}]}),
    "a tool's URL": lambda s: Asked(
        {"tools": [{"type": "mcp", "server_url": f"https://u:{s}@host.example/mcp"}]}
    ),
    "a tool's query": lambda s: Asked(
        {"tools": [{"type": "mcp", "server_url": f"https://host.example/mcp?apiKey={quote(s)}"}]}
    ),
    "mcp_servers": lambda s: Asked({"mcp_servers": [{"authorization_token": s}]}),
    "a key of a message": lambda s: Asked({"messages": [{"role": "user", "api_key": s}]}),
    "aws": lambda s: Asked({"aws_secret_access_key": s, "aws_session_token": s}),
    "deep": lambda s: Asked({"metadata": {"a": [{"b": {"client_secret": {"value": s}}}]}}),
    "JSON in a text": lambda s: Asked({"metadata": {"config": json.dumps({"api_key": s})}}),
    "Bearer in a text": lambda s: Asked({"metadata": {"config": f"Bearer {s}"}}),
    "base64": lambda s: Asked({"api_key": base64_of(s)}),
    "repeated in a text": lambda s: Asked({"api_key": s}, text=f"my key is {s}"),
    "a path parameter": lambda s: Asked(path=f"/v1/chat/completions;key={quote(s)}"),
    "an encoded path parameter": lambda s: Asked(path=f"/v1/chat%3Bkey%3D{quote(s)}/completions"),
    "a parameter of another path": lambda s: Asked(path=f"/v1/models;token={quote(s, '')}"),
    "a parameter that is sent in a header, too": lambda s: Asked(
        path=f"/v1/models;token={quote(s)}", headers=bearer(s)
    ),
    "the model in a path": lambda s: Asked(
        {"contents": [{"parts": [{"text": "hi"}]}]},
        path=f"/v1beta/models/{quote(s, '')}:generateContent",
        headers={"x-goog-api-key": s},
    ),
    "a URL as the path": lambda s: Asked(path=f"//u:{quote(s, '')}@host.example/v1/models"),
    "an API's path": lambda s: Asked(path=f"/v1beta/{quote(s)}/x", headers=bearer(s)),
    "the name": lambda s: Asked(prefix=f"/as/{quote(s, '')}", headers=bearer(s)),
    "a key in the name": lambda s: Asked(prefix=f"/as/api_key={quote(s, '')}"),
    "the node": lambda s: Asked(headers={"X-Workbench-Node": s, **bearer(s)}),
    "the run": lambda s: Asked(headers={"X-Workbench-Run": s, **bearer(s)}),
    "query": lambda s: Asked(query=f"?key={quote(s, '')}"),
    "query, its name encoded": lambda s: Asked(query=f"?%61pi%5Fkey={quote(s, '')}"),
    "query, repeated": lambda s: Asked(query=f"?x-api-key={quote(s, '')}", text=f"use {s}"),
    "query, encoded twice": lambda s: Asked(query=f"?api%255Fkey={quote(s, '')}", text=f"use {s}"),
    "content type": lambda s: Asked(headers={"Content-Type": f"text/plain; key={s}"}),
    "content type of JSON": lambda s: Asked(headers={"Content-Type": f"application/json; k={s}"}),
    "content encoding": lambda s: Asked(headers={"Content-Encoding": f"br; key={s}"}),
    "not JSON": lambda s: Asked(raw=f'{{"api_key": "{s}"'.encode(), headers=bearer(s)),
    "an unknown id": lambda s: Asked(
        {"previous_response_id": f"resp_{s}", "input": "hi"},
        path="/v1/responses",
        headers=bearer(s),
    ),
    "responses": lambda s: Asked(
        {"input": "hi", "tools": [{"type": "mcp", "headers": {"a": s}}], "api_key": s},
        path="/v1/responses",
    ),
    "messages": lambda s: Asked(
        {"max_tokens": 9, "mcp_servers": [{"authorization_token": s}]}, path="/v1/messages"
    ),
    "gemini": lambda s: Asked(
        {"contents": [{"parts": [{"text": "hi"}]}], "apiKey": s},
        path="/v1beta/models/m:generateContent",
        query=f"?key={quote(s, '')}",
    ),
    "Bedrock": lambda s: Asked(
        {"messages": [{"content": [{"text": "hi"}]}], "requestMetadata": {"api_key": s}},
        path="/model/a.b-v1:0/converse",
        headers={
            "Authorization": f"AWS4-HMAC-SHA256 Credential={s}/20261128/us-east-1/bedrock/a, "
            f"SignedHeaders=content-type;host, Signature={s}",
            "X-Amz-Security-Token": s,
        },
    ),
    "ollama": lambda s: Asked(
        {"prompt": "hi", "options": {"api_key": s}}, path="/api/generate", headers=bearer(s)
    ),
    "embeddings": lambda s: Asked({"input": "hi", "api_key": s}, path="/v1/embeddings"),
    "unsupported": lambda s: Asked({"api_key": s}, path="/v1/rerank", headers=bearer(s)),
    "a directive": lambda s: Asked(text=f"MOCK_LLM_EMIT={{bad {s}", headers=bearer(s)),
    **{f"a prompt with {name}": _header_of(name) for name in HEADERS},
    "a prompt with a cookie": lambda s: Asked(text=s, headers={"Cookie": f"a=b; sid={s}"}),
    "a prompt in base64": lambda s: Asked(text=base64_of(f"k={s}"), headers=bearer(s)),
    "a prompt that is percent-encoded": lambda s: Asked(
        text="".join(f"%{ord(c):02X}" for c in s), headers=bearer(s)
    ),
    "a prompt with JSON in JSON": lambda s: Asked(
        text=json.dumps({"a": json.dumps(s.replace("S", "\\u0053"))}), headers=bearer(s)
    ),
    "a prompt in pieces": lambda s: Asked(parts=(s[:9], s[9:]), headers=bearer(s)),
}
MODES = ("plain", "openai", "strict", "hold", "record", "replay")


class Running(NamedTuple):
    """A server, and the folder of all that it may write."""

    server: RunningServer
    folder: Path
    mode: str


@pytest.fixture(scope="module", params=MODES)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    mode: str = request.param
    folder = tmp_path_factory.mktemp(mode)
    (folder / "pyproject.toml").touch()
    said = json.dumps(
        {"choices": [{"index": 0, "message": {"content": "yes"}, "finish_reason": "stop"}]}
    ).encode()
    with ScriptedServer(lambda client, _: client.sendall(head() + said)) as upstream:
        arguments = {
            "openai": ("--profile", "openai"),
            "strict": ("--strict",),
            "hold": ("--hold", "0.02"),
            "record": ("--record", "--upstream", f"{upstream.url}/v1"),
            "replay": ("--replay", str(journal(folder))),
        }.get(mode, ())
        with RunningServer(folder, arguments=arguments, working_folder=folder) as server:
            yield Running(server, folder, mode)


def journal(folder: Path) -> Path:
    """A run of one exchange that every test differs from."""
    path = folder / "recorded.jsonl"
    payload = {"model": "m", "messages": [{"role": "user", "content": "recorded"}]}
    exchange = {
        "type": "exchange",
        "position": 1,
        "node": "",
        "call": 1,
        "at_ms": 0,
        "ms": 0,
        "source": "recorded",
        "digest": digest(payload),
        "stream": False,
        "request": payload,
        "reply": {"status": 200, "content_type": "application/json", "body": "{}"},
    }
    lines = [{"type": "run", "format": 1, "id": "a", "name": "a", "started": "2026-01-01"}]
    lines += [{**exchange, "position": at, "call": at} for at in range(1, 200)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def ask(server: RunningServer, asked: Asked, number: int) -> None:
    text = f"question {number}: {asked.text}"
    content = [{"type": "text", "text": part} for part in asked.parts] or text
    messages = [{"role": "user", "content": content}]
    for extra in mapping(asked.body).get("messages", ()):
        messages[0].update(extra)
    body = json.dumps({"model": "m", **asked.body, "messages": messages}).encode()
    headers = {"Content-Type": "application/json", **asked.headers}
    path = f"{asked.prefix}{asked.path}{asked.query}"
    server.request("POST", path, asked.raw or body, headers)


def kept(running: Running, secret: str) -> list[str]:
    """Where a secret is to be found, in any encoding that is tried here."""
    inner = base64_of(f"{secret}")[:-4]
    forms = {secret, secret[9:], quote(secret), quote(secret, ""), inner, base64_of(f"k={secret}")}
    forms |= {"".join(f"%{ord(c):02X}" for c in secret), secret.replace("S", "\\u0053")}
    files = [path for path in running.folder.rglob("*") if path.is_file()]
    texts = {str(path): path.read_text("utf-8", "replace") for path in files}
    for name in ("exchanges", "misses", "held"):
        texts[name] = running.server.request("GET", f"/__workbench/{name}").body.decode()
    return [name for name, text in texts.items() if any(form in text for form in forms)]


@each_case("place", PLACES)
def test_a_credential_is_written_nowhere(running: Running, place: str) -> None:
    number = next(_numbers)
    secret = f"Very+{number:04}/Secret=Thing"  # that no pattern knows
    before = running.server.log_size()
    ask(running.server, PLACES[place](secret), number)
    wait_until("logged", lambda: "HTTP/1.1" in running.server.log(before))
    assert kept(running, secret) == []
    assert "Traceback" not in running.server.log(before)


@pytest.mark.parametrize("running", ["plain"], indirect=True)
def test_what_is_logged_has_the_digest_that_is_logged(running: Running) -> None:
    before = running.server.log_size()
    payload = {
        "model": "m",
        "api_key": "Very+Secret/Thing",
        "messages": [{"role": "user", "content": "the password is long", "token": "abcdefgh"}],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "log_in",
                    "parameters": {
                        "type": "object",
                        "properties": {"password": {"type": "string", "description": "secret"}},
                    },
                },
            }
        ],
    }
    running.server.chat(payload)
    hash_line, dump_line = running.server.log(before).splitlines()[:2]
    dump = json.loads(dump_line.removeprefix("[mock-llm] request: "))
    assert hash_line.endswith(digest(payload))
    assert digest(dump) == digest(payload)
    assert dump["api_key"] == dump["messages"][0]["token"] == "…"
    assert dump["tools"] == payload["tools"]


@pytest.mark.parametrize("running", ["plain"], indirect=True)
def test_a_request_that_repeats_its_key_is_not_shown_and_says_so(running: Running) -> None:
    before = running.server.log_size()
    payload = {"model": "m", "messages": [{"role": "user", "content": "is Very+Secret/K ok?"}]}
    running.server.chat(payload, bearer("Very+Secret/K"))
    lines = running.server.log(before).splitlines()
    assert lines[0] == f"[mock-llm] unknown fixture hash {digest(payload)}"
    assert f"the request of {digest(payload)} is not shown" in lines[1]


@pytest.mark.parametrize("running", ["plain"], indirect=True)
@pytest.mark.parametrize("key", ["workbench", "test-key", "not-needed", "short"])
def test_a_placeholder_is_no_credential(running: Running, key: str) -> None:
    before = running.server.log_size()
    payload = {"model": "m", "messages": [{"role": "user", "content": f"about {key}"}]}
    running.server.chat(payload, bearer(key))
    assert f"about {key}" in running.server.log(before)
