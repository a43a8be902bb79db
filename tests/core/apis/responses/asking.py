"""Requests of the Responses API and their answers, for the tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests import reference
from workbench.core.apis import sse
from workbench.core.apis.responses.write import WRITER
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer

DATA = Path(reference.__file__).parent / "data" / "apis" / "responses"


def call(name: str, arguments: str = "{}", id: str = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def custom_call(name: str, text: str) -> dict[str, Any]:
    return {"id": "call_1", "type": "custom", "custom": {"name": name, "input": text}}


def asked(response: dict[str, Any], **request: Any) -> Answer:
    """What a request is answered from a fixture."""
    asking = view({"api": "responses", "model": "gpt-5", "input": "Hi", **request})
    return find_answer(asking, asking.digest, lambda _digest: {"response": response})


def plain(found: Answer) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(WRITER.envelope(found, 7))
    return value


def stream(found: Answer) -> bytes:
    return b"".join(frame.data for frame in WRITER.frames(found, 7))


def events(data: bytes) -> list[dict[str, Any]]:
    """The data of the events of a stream, each of which names its type twice."""
    found = [(event.kind, json.loads(event.data)) for event in sse.events(data)]
    assert [kind for kind, _ in found] == [data["type"] for _, data in found]
    return [data for _, data in found]
