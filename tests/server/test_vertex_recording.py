"""The official clients of Vertex AI are recorded from an upstream that has its paths alone, and
answered from what was recorded.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

import pytest
from anthropic import AnthropicVertex
from google import genai
from google.genai.types import HttpOptions
from google.oauth2.credentials import Credentials

from tests.server.promoting import ANSWER
from tests.server.running import RunningServer
from tests.server.test_other_providers import claude_agent, gemini_agent

TOKEN: Final = "ya29." + "Q3x8AbCdEfGh12Jk45Lm"
CITIES: Final = ("Rome", "Oslo")
GOOGLE: Final = r"/v1beta1/(projects/p/locations/us-central1/)?publishers/google/models/[^/:]+:"
ANTHROPIC: Final = r"/v1/projects/p/locations/us-east5/publishers/anthropic/models/[^/:]+:"


class Vertex(BaseHTTPRequestHandler):
    """Calls the tool for each city in turn, then answers."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert TOKEN in (self.headers["x-goog-api-key"] or self.headers["authorization"])
        if re.fullmatch(f"{GOOGLE}generateContent", self.path):
            self._send("application/json", json.dumps(self._gemini(asked)))
        elif re.fullmatch(rf"{GOOGLE}streamGenerateContent\?alt=sse", self.path):
            self._send("text/event-stream", f"data: {json.dumps(self._gemini(asked))}\r\n\r\n")
        elif re.fullmatch(f"{ANTHROPIC}(streamR|r)awPredict", self.path):
            assert asked["anthropic_version"]
            assert "model" not in asked
            message = self._claude(asked)
            if asked.get("stream"):
                self._send("text/event-stream", "".join(_events(message)))
            else:
                self._send("application/json", json.dumps(message))
        else:
            self._send("text/html", f"no {self.path}", 404)

    def _gemini(self, asked: dict[str, Any]) -> dict[str, Any]:
        parts = [part for content in asked["contents"] for part in content["parts"]]
        turn = sum("functionResponse" in part for part in parts)
        part: dict[str, Any] = {"text": ANSWER}
        if turn < len(CITIES):
            part = {"functionCall": {"name": "get_weather", "args": {"city": CITIES[turn]}}}
        return {
            "candidates": [
                {
                    "content": {"role": "model", "parts": [part]},
                    "finishReason": "STOP",
                    "avgLogprobs": -0.01,
                }
            ],
            "usageMetadata": {
                "promptTokenCount": 9,
                "candidatesTokenCount": 5,
                "totalTokenCount": 14,
                "trafficType": "ON_DEMAND",
                "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 9}],
            },
            "modelVersion": "gemini-2.5-flash",
            "createTime": "2026-11-20T10:14:02.123456Z",
            "responseId": "Wq4AadCvFpyF",
        }

    def _claude(self, asked: dict[str, Any]) -> dict[str, Any]:
        turn = len(asked["messages"]) // 2
        block: dict[str, Any] = {"type": "text", "text": ANSWER}
        if turn < len(CITIES):
            called = {"name": "get_weather", "input": {"city": CITIES[turn]}}
            block = {"type": "tool_use", "id": f"toolu_vrtx_0{turn}", **called}
        return {
            "id": f"msg_vrtx_0{turn}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5-20250929",
            "content": [block],
            "stop_reason": "tool_use" if turn < len(CITIES) else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 9, "output_tokens": 5},
        }

    def _send(self, content_type: str, body: str, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        pass


def _events(message: dict[str, Any]) -> Iterator[str]:
    """A message as the events of a stream."""
    (block,) = message["content"]
    begun: dict[str, Any] = {"type": "text", "text": ""}
    delta = {"type": "text_delta", "text": ANSWER}
    if block["type"] == "tool_use":
        begun = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    for event in (
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": begun},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ):
        yield f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


@pytest.fixture(scope="module")
def upstream() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Vertex)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def claude(url: str, *, stream: bool) -> str:
    with AnthropicVertex(
        base_url=f"{url}/v1",
        project_id="p",
        region="us-east5",
        access_token=TOKEN,
        max_retries=0,
    ) as client:
        return claude_agent(client, stream=stream)


def gemini(url: str, *, stream: bool) -> str:
    with genai.Client(
        vertexai=True,
        project="p",
        location="us-central1",
        credentials=Credentials(TOKEN),  # type: ignore[no-untyped-call]
        http_options=HttpOptions(base_url=url),
    ) as client:
        return gemini_agent(client, stream=stream)


def gemini_by_key(url: str, *, stream: bool) -> str:
    options = HttpOptions(base_url=url)
    with genai.Client(vertexai=True, api_key=TOKEN, http_options=options) as client:
        return gemini_agent(client, stream=stream)


@contextmanager
def recording(folder: Path, upstream: str) -> Iterator[RunningServer]:
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    arguments = ("--record", "--upstream", upstream)
    with RunningServer(folder, arguments=arguments, working_folder=folder) as server:
        yield server


@pytest.mark.parametrize(("stream", "base_path"), [(False, ""), (True, "/v1")])
@pytest.mark.parametrize("agent", [claude, gemini, gemini_by_key])
def test_an_agent_is_recorded_and_answered_from_what_was_recorded(
    tmp_path: Path, upstream: str, agent: Callable[..., str], stream: bool, base_path: str
) -> None:
    with recording(tmp_path / "recorded", upstream + base_path) as recorder:
        assert agent(recorder.url, stream=stream) == ANSWER
        assert "no fixture saved for" not in recorder.log()
    assert len(list(recorder.fixtures.glob("*.json"))) == len(CITIES) + 1
    written = "".join(p.read_text() for p in (tmp_path / "recorded").rglob("*") if p.is_file())
    assert TOKEN not in written
    (tmp_path / "served").mkdir()
    with RunningServer(tmp_path / "served", fixtures=recorder.fixtures) as server:
        for streams in (False, True):
            assert agent(server.url, stream=streams) == ANSWER
        assert "unknown fixture hash" not in server.log()
