"""A model's server, for what records from one: streams in pieces over time, or answers at once."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.server.running import PATIENCE_SECONDS

WORDS = ["A stub ", "walks ", "into ", "a bar. ", "Ünïcödé ☂"]
KEY = "sk-proj-aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW2xY4zA6bC8dE0fG"


class Model(BaseHTTPRequestHandler):
    """A model's server: streams in pieces over time, or answers at once."""

    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.asked.append((payload, {k.lower(): v for k, v in self.headers.items()}))
        if (text := payload["messages"][-1]["content"]) == "fail":
            self._whole(429, {"error": {"message": "slow down", "type": "t", "code": "c"}})
        elif text == "busy" and (count := self._count("busy")) < 3:
            self._whole((429, 503)[count - 1], {"error": {"message": "busy"}})
        elif text == "no reply":
            self._whole(200, {"hello": "world"})
        elif payload.get("stream"):
            self._stream(breaks=text == "break", waits=text == "wait")
        else:
            message: dict[str, Any] = {"role": "assistant", "content": self._content(text)}
            if text == "cite":
                message["annotations"] = [{"type": "url_citation"}]
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            usage = {"prompt_tokens": 5, "completion_tokens": 6, "total_tokens": 11}
            self._whole(200, {"id": "x", "choices": [choice], "usage": usage})

    def _count(self, text: str) -> int:
        """How often a text was asked."""
        return sum(payload["messages"][-1]["content"] == text for payload, _ in self.server.asked)

    def _content(self, text: str) -> str:
        return KEY if text == "tell me the key" else "".join(WORDS)

    def _whole(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status == 429:
            self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, *, breaks: bool, waits: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for word in WORDS:
            self._chunk({"choices": [{"index": 0, "delta": {"content": word}}]})
            time.sleep(0.02)
            if breaks:
                self.close_connection = True
                return
            if waits:
                self.server.goes_on.wait(PATIENCE_SECONDS)
        self._chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self._write(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, value: dict[str, Any]) -> None:
        text = json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, **value})
        self._write(b"data: " + text.encode() + b"\n\n")

    def _write(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing is to be said."""


class Server(ThreadingHTTPServer):
    """Attributes:
    asked: each request with its headers.
    goes_on: a reply to "wait" is streamed on when this is set.
    """

    asked: list[tuple[dict[str, Any], dict[str, str]]]
    goes_on: threading.Event
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A client that hung up, as those that are killed do: nothing is to be said."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


@contextmanager
def running_model() -> Iterator[Server]:
    """A model's server, in a thread."""
    with Server(("127.0.0.1", 0), Model) as server:
        server.asked, server.goes_on = [], threading.Event()
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.goes_on.set()
            server.shutdown()
            thread.join()
