"""Answers for the tests of the Ollama API."""

from __future__ import annotations

import json
from typing import Any

from workbench.core.apis.ollama.write import WRITER
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer
from workbench.core.replies.http_reply import HTTPReply


def call(name: str, arguments: str = "{}", id: str | None = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(endpoint: str = "chat", **response: Any) -> Answer:
    """The answer of a fixture with this ``response``."""
    request = view({"api": "ollama", "endpoint": endpoint, "model": "llama3.2"})
    return find_answer(request, "0" * 64, lambda _: {"response": response})


def sent(made: Answer, *, stream: bool) -> HTTPReply:
    return WRITER.reply(made, 7, stream=stream)


def lines(made: Answer) -> list[Any]:
    """The objects of a stream."""
    return [json.loads(line) for line in sent(made, stream=True).body.splitlines()]
