"""Reads a reply of Ollama's chat or generate as the ``response`` of a fixture."""

from __future__ import annotations

import json
from typing import Any, Final

from workbench.core.apis import ndjson
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    arguments_text,
    fixture_response,
    reply_object,
)
from workbench.core.json.values import mapping
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

FINISH_REASONS: Final = {"stop": "stop", "length": "length"}
# Keys that are not part of the answer, or that the server writes for each reply.
_ABOUT_REPLY: Final = (
    *("model", "created_at", "remote_model", "remote_host", "context"),
    *("total_duration", "load_duration", "prompt_eval_duration", "eval_duration"),
)
_USAGE: Final = {"prompt_eval_count": "prompt_tokens", "eval_count": "completion_tokens"}


class _Reply:
    """A reply, of which frames are added."""

    def __init__(self) -> None:
        self.content = self.reasoning = self.finish_reason = ""
        self.calls: list[dict[str, Any]] = []
        self.usage: dict[str, Any] = {}
        self.is_done = False

    def add(self, frame: ReplyObject) -> None:
        frame.skip(_ABOUT_REPLY)
        self.content += frame.text("response")
        self._add_message(frame)
        self._add_message(frame.mapping("message", "message."))
        self.is_done = frame.take("done") is True or self.is_done
        self.finish_reason = frame.text("done_reason") or self.finish_reason
        for key, name in _USAGE.items():
            if (count := frame.count(key)) is not None:
                self.usage[name] = count

    def _add_message(self, message: ReplyObject) -> None:
        message.skip(("role",))
        self.content += message.text("content")
        self.reasoning += message.text("thinking")
        self.calls += map(_call, message.objects("tool_calls", "tool_calls."))

    def response(self) -> dict[str, Any]:
        """As the ``response`` of a fixture. Raises NotAReplyError if it is not whole."""
        if not self.is_done:
            raise NotAReplyError('it is not a whole reply: no part of it has "done": true')
        reason = FINISH_REASONS.get(self.finish_reason, self.finish_reason) or "stop"
        return fixture_response(
            self.content,
            self.calls,
            "tool_calls" if self.calls and reason == "stop" else reason,
            self.usage,
            refusal="",
            reasoning=self.reasoning,
        )


def _call(call: ReplyObject) -> dict[str, Any]:
    call.skip(("type",))
    function = call.mapping("function", "tool_calls.function.")
    function.skip(("index", "description"))
    arguments = arguments_text(function.take("arguments"))
    return chat_call(call.text("id") or None, function.text("name"), arguments)


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:  # noqa: ARG001
    """A reply as the ``response`` of a fixture. Calls without an id have the id null.

    Raises:
        NotAReplyError: it is an error, not such a reply, or a stream that broke off.
    """
    reply, frames = _Reply(), _frames(content_type, body)
    for frame in frames:
        reply.add(frame)
    return Reading.of(reply.response(), frames)


def _frames(content_type: str, body: bytes) -> list[ReplyObject]:
    """The lines of a stream, or the whole body.

    Raises:
        NotAReplyError: one of them is not an object, or reports an error.
    """
    if not ndjson.is_stream(content_type, body):
        return [ReplyObject(reply_object(body, "the body"))]
    lines = [line for line in ndjson.lines(body) if line.strip()]
    return [ReplyObject(reply_object(line, f"frame {number}")) for number, line in enumerate(lines)]


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last line of a stream was received, which has ``done``."""
    last = bytes(body[body.rstrip().rfind(b"\n") + 1 :])
    if b'"done"' not in last:
        return False
    try:
        return mapping(json.loads(last)).get("done") is True
    except (ValueError, RecursionError):
        return False
