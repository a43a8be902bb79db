"""Answers for the tests of the Gemini API, and what real clients and servers sent."""

from __future__ import annotations

from typing import Any

from tests.reference import REFERENCE
from workbench.core.apis.gemini import write as reply
from workbench.core.apis.table import view
from workbench.core.replies.answer import Answer, find_answer

DATA = REFERENCE.parent / "apis" / "gemini"
PLAIN = "application/json"
EVENTS = "text/event-stream"
DIGEST = "0123456789abcdef" * 4


def call(name: str, arguments: str = "{}", id: str | None = "call_1") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def found(**response: Any) -> Answer:
    """The answer of a fixture with this ``response``."""
    asking = view({"api": "gemini", "model": "gemini-3-pro", "contents": {"parts": {"text": "Hi"}}})
    made = find_answer(asking, DIGEST, lambda _: {"response": response})
    assert made.source == "fixture"
    return made


def plain(made: Answer) -> bytes:
    return reply.envelope(made, 7)


def events(made: Answer) -> bytes:
    return b"".join(frame.data for frame in reply.frames(made, 7))


def array(made: Answer) -> bytes:
    return b"".join(frame.data for frame in reply.array_frames(made, 7))
