"""Reads a reply of Cohere's chat, plain or streamed, as the ``response`` of a fixture."""

from __future__ import annotations

import json
from typing import Any, Final

from workbench.core.apis import ndjson
from workbench.core.apis.cohere import read_v1
from workbench.core.apis.cohere.write import COUNTS, FINISH_REASONS
from workbench.core.apis.reading import (
    Reading,
    ReplyObject,
    StreamEvent,
    arguments_text,
    error_reply,
    fixture_response,
    read_stream,
    reply_object,
)
from workbench.core.apis.sse import is_stream
from workbench.core.json.values import decoded, json_type, mapping, mappings, string
from workbench.core.replies.response import NotAReplyError
from workbench.core.requests.messages import chat_call

_TEXTS: Final = ("text", "thinking")
_DONE: Final = b"[DONE]"


def _reply(content_type: str, body: bytes) -> tuple[dict[str, Any], list[ReplyObject]]:
    """A reply as one that is not streamed, and the events that it was read from."""
    if is_stream(content_type, body):
        events = read_stream(body, "event").events
        return _put_together(events), [event.data for event in events]
    if ndjson.is_stream(content_type, body):
        events = read_stream(_as_events(body), "line").events
        return _put_together(events), [event.data for event in events]
    reply = reply_object(body, "the body")
    if isinstance(reply.get("message"), str):
        raise error_reply(reply, "the body")
    return reply, []


class _Items:
    """The blocks or the calls of a stream, and the last one with each number: some upstreams give
    several one number.
    """

    def __init__(self) -> None:
        self.items: list[dict[str, Any]] = []
        self.last: dict[int | None, dict[str, Any]] = {}

    def begin(self, index: int | None, value: object) -> dict[str, Any]:
        self.last[index] = dict(mapping(value))
        self.items.append(self.last[index])
        return self.last[index]


def _as_events(lines: bytes) -> bytes:
    """Convert lines of JSON, for clients that accept only JSON, to events."""
    return b"".join(b"data: %b\n\n" % line for line in lines.splitlines() if line.strip())


def _put_together(events: list[StreamEvent]) -> dict[str, Any]:
    """The reply of a stream."""
    message: dict[str, Any] = {}
    end: dict[str, Any] = {}
    plan = ""
    blocks, calls = _Items(), _Items()
    citations = []
    for event in events:
        data, where = event.data, event.where
        data.skip(("type", "id"))
        index = data.count("index")
        delta = data.mapping("delta")
        part = delta.mapping("message")
        match event.kind:
            case "message-start" if not message:
                message = part.take_all()
                plan += string(message.get("tool_plan"))
                for number, block in enumerate(mappings(message.get("content"))):
                    blocks.begin(number, block)
                for number, call in enumerate(mappings(message.get("tool_calls"))):
                    calls.begin(number, call)
            case "content-start":
                blocks.begin(index, part.take("content"))
            case "content-delta":
                block = blocks.last.get(index) or blocks.begin(index, {})
                _add_text(block, part.mapping("content", "content."), where)
            case "tool-plan-delta":
                plan += part.text("tool_plan")
            case "tool-call-start":
                calls.begin(index, part.take("tool_calls"))
            case "tool-call-delta":
                piece = part.mapping("tool_calls", "tool_calls.")
                _add_arguments(calls.last.get(index), piece, where)
            case "citation-start":
                citations.append(part.take("citations"))
            case "content-end" | "tool-call-end" | "citation-end":
                pass
            case "message-end":
                end = delta.take_all()
            case kind:
                data.take_all()
                data.leave(f"{kind or 'unknown'} events")
    if not end:
        raise NotAReplyError("the stream broke off: it has no message-end")
    lists = {"content": blocks.items, "tool_calls": calls.items}
    return {"message": {**message, "citations": citations, "tool_plan": plan, **lists}, **end}


def _add_text(block: dict[str, Any], content: ReplyObject, where: str) -> None:
    content.skip(("type",))
    for key in filter(content.is_given, _TEXTS):
        block[key] = _joined(block.get(key), content.take(key), f"{where}: {key}")


def _add_arguments(call: dict[str, Any] | None, piece: ReplyObject, where: str) -> None:
    if call is None:
        raise NotAReplyError(f"{where} adds to a call that was not started")
    function = mapping(call.get("function"))
    added = piece.mapping("function", "tool_calls.function.").take("arguments")
    arguments = _joined(function.get("arguments"), added, f"{where}: arguments")
    call["function"] = {**function, "arguments": arguments}


def _joined(before: object, piece: object, what: str) -> str:
    if not isinstance(piece, str):
        raise NotAReplyError(f"{what} is {json_type(piece)}, not a string")
    return string(before) + piece


# As a fixture's response


def read(content_type: str, body: bytes, *, as_client: bool = False) -> Reading:  # noqa: ARG001
    """A reply as the ``response`` of a fixture. The plan of the tools is its content.

    Raises:
        NotAReplyError: it is an error, not such a reply, or a stream that broke off.
    """
    if read_v1.is_reply(_first_object(body)):
        return read_v1.read(content_type, body)
    value, events = _reply(content_type, body)
    reply = ReplyObject(value)
    reply.skip(("id",))
    reason = reply.take("finish_reason")
    if failure := reply.take("error"):
        raise error_reply(failure, "the reply")
    if not reply.is_object("message") or not isinstance(reason, str):
        raise NotAReplyError("it is not a reply of chat: it has no message, or no finish_reason")
    message = reply.mapping("message")
    message.skip(("role",))
    texts = {"text": message.text("content"), "thinking": ""}
    for block in message.objects("content", "content."):
        block.skip(("type",))
        for key in texts:
            texts[key] += block.text(key)
    response = fixture_response(
        message.text("tool_plan") + texts["text"],
        [_call(call) for call in message.objects("tool_calls", "tool_calls.")],
        FINISH_REASONS.get(reason, reason),
        _usage(reply.mapping("usage", "usage.")),
        refusal="",
        reasoning=texts["thinking"],
    )
    return Reading.of(response, [reply, *events])


def _first_object(body: bytes) -> dict[str, Any]:
    """A body, or the first line of a stream of lines, if that is an object; else an empty one."""
    first = body.lstrip().partition(b"\n")[0] if ndjson.is_stream("", body) else body
    return mapping(decoded(first.decode("utf-8", "replace")))


def _call(call: ReplyObject) -> dict[str, Any]:
    call.skip(("type",))
    function = call.mapping("function", "tool_calls.function.")
    arguments = arguments_text(function.take("arguments"))
    return chat_call(call.take("id"), function.take("name"), arguments)


def _usage(usage: ReplyObject) -> dict[str, Any]:
    """The token counts. The billed counts are lower, because the API adds to prompts."""
    tokens = usage.mapping("tokens", "usage.tokens.")
    billed = usage.mapping("billed_units", "usage.billed_units.")
    counts: dict[str, Any] = {}
    for name, key in COUNTS.items():
        count, charged = tokens.count(key), billed.count(key)
        if count is not None and charged not in (None, count):
            usage.leave("usage.billed_units")
        count = charged if count is None else count
        if count is not None:
            counts[name] = count
    if cached := usage.count("cached_tokens"):
        counts["prompt_tokens_details"] = {"cached_tokens": cached}
    return counts


def ends_stream(body: bytes | bytearray) -> bool:
    """True if the last event of a stream was received: the end of the message, which a mark may
    follow.
    """
    if not body.endswith((b"\n\n", b"\r\n\r\n")):
        return False
    # A line end is escaped in JSON text: this is an event, not text that a reply quotes.
    last = bytes(body[max(body.rfind(b"\ndata:"), 0) :]).strip().removeprefix(b"data:").strip()
    if last == _DONE:
        return True
    try:
        return mapping(json.loads(last)).get("type") == "message-end"
    except (ValueError, RecursionError):
        return False
