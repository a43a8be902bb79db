"""Reads a reply of version 1 of Cohere's chat as the ``response`` of a fixture."""

from __future__ import annotations

from typing import Any, Final

from workbench.core.apis import ndjson
from workbench.core.apis.cohere.write import COUNTS, FAILED, FINISH_REASONS
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    error_reply,
    fixture_response,
    reply_object,
)
from workbench.core.json.values import compact
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

# Keys that are not part of the answer.
_ABOUT_REPLY: Final = ("response_id", "generation_id", "chat_history", "is_search_required")


def is_reply(value: dict[str, Any]) -> bool:
    """True if an object is a reply of version 1, or the first event of its stream."""
    return "event_type" in value or ("text" in value and "message" not in value)


def read(content_type: str, body: bytes) -> Reading:
    """A reply as the ``response`` of a fixture. Calls have the id null.

    Raises:
        NotAReplyError: it is an error, not such a reply, or a stream that broke off.
    """
    reply = _Reply()
    if ndjson.is_stream(content_type, body):
        lines = [line for line in ndjson.lines(body) if line.strip()]
        objects = [ReplyObject(reply_object(line, f"line {n}")) for n, line in enumerate(lines)]
        for event in objects:
            reply.add_event(event)
    else:
        objects = [ReplyObject(reply_object(body, "the body"))]
        reply.end(objects[0])
        reply.text = objects[0].text("text")
    return Reading.of(reply.response(), objects)


class _Reply:
    """A reply, of which events are added."""

    def __init__(self) -> None:
        self.text = ""
        self._calls: list[ReplyObject] = []
        self._usage: dict[str, Any] = {}
        self._reason: str | None = None

    def add_event(self, event: ReplyObject) -> None:
        event.skip(("is_finished", "generation_id"))
        match event.text("event_type"):
            case "stream-start":
                pass
            case "text-generation":
                self.text += event.text("text")
            case "tool-calls-chunk":
                self.text += event.text("text")
                event.skip(("tool_call_delta",))
            case "tool-calls-generation":
                event.skip(("text",))
                self._calls = event.objects("tool_calls", "tool_calls.")
            case "stream-end":
                if event.take("finish_reason") == FAILED:
                    raise error_reply(event.take("error") or FAILED, "the stream")
                response = event.mapping("response")
                response.skip(("text",))
                if self._calls:
                    response.skip(("tool_calls",))
                self.end(response)
            case kind:
                event.take_all()
                event.leave(f"{kind or 'unknown'} events")

    def end(self, reply: ReplyObject) -> None:
        """Take the values of a whole reply beside its text."""
        reply.skip(_ABOUT_REPLY)
        self._calls = reply.objects("tool_calls", "tool_calls.") or self._calls
        self._reason = reply.text("finish_reason") or "COMPLETE"
        meta = reply.mapping("meta", "meta.")
        meta.skip(("api_version", "billed_units", "warnings"))
        tokens = meta.mapping("tokens", "meta.tokens.")
        for name, key in COUNTS.items():
            if (count := tokens.count(key)) is not None:
                self._usage[name] = count

    def response(self) -> dict[str, Any]:
        """As the ``response`` of a fixture. Raises NotAReplyError if it is not whole."""
        if self._reason is None:
            raise NotAReplyError("the stream broke off: it has no stream-end")
        reason = FINISH_REASONS.get(self._reason, self._reason)
        return fixture_response(
            self.text,
            map(_call, self._calls),
            "tool_calls" if self._calls and reason == "stop" else reason,
            self._usage,
            refusal="",
            reasoning="",
        )


def _call(call: ReplyObject) -> dict[str, Any]:
    return chat_call(None, call.text("name"), compact(call.take("parameters") or {}))
