"""Write an answer in the format of the Responses API: a response, a stream of events, or an error.

A stream begins with the response. Its items follow one after the other, each with a beginning, its
pieces and an end. The last event repeats all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis.openai_errors import openai_error
from workbench.core.apis.responses import response_object
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.json.values import compact_bytes
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import argument_pieces, split_content
from workbench.core.replies.http_reply import Frame, FrameKind, Headers, Writer
from workbench.core.replies.response import ErrorReply, NeutralReply

_Data = dict[str, Any]

# Items begin without what their pieces bring.
_EMPTY: Final[_Data] = {"content": [], "arguments": "", "input": "", "summary": []}
# The events and the key of what a call is given.
_CALLS: Final = {
    "function_call": ("response.function_call_arguments", "arguments"),
    "custom_tool_call": ("response.custom_tool_call_input", "input"),
}
_PADDED: Final = 16


class _Events:
    """Writes events, each with its number.

    Args:
        padding: what pieces of text are padded with; "" pads none.
    """

    def __init__(self, padding: str = "") -> None:
        self._padding = padding
        self._count = 0

    def event(self, type: str, data: _Data, kind: FrameKind = "event", note: str = "") -> Frame:
        """An event without a piece of text."""
        return Frame(kind, self._write(type, data), note=note or type)

    def text(
        self, type: str, kind: FrameKind, pieces: list[str], key: str, at: _Data
    ) -> Iterator[Frame]:
        """A text in pieces, and then whole, under ``key``."""
        for piece in pieces:
            data = {**at, "delta": piece}
            if self._padding:
                data["obfuscation"] = self._padding[: -len(piece) % _PADDED]
            yield Frame(kind, self._write(f"{type}.delta", data), piece)
        yield self.event(f"{type}.done", {**at, key: "".join(pieces)})

    def _write(self, type: str, data: _Data) -> bytes:
        numbered = {"type": type, **data, "sequence_number": self._count}
        self._count += 1
        return b"event: %b\ndata: %b\n\n" % (type.encode("ascii"), compact_bytes(numbered))


def envelope(answer: Answer, created: int) -> bytes:
    """The body of a plain reply."""
    items = response_object.items(answer)
    return compact_bytes(response_object.finished(answer, created, items)) + b"\n"


def frames(answer: Answer, created: int) -> Iterator[Frame]:
    """The frames of a streamed reply."""
    events = _Events(_padding(answer))
    yield from _beginning(events, answer, created)
    items = response_object.items(answer)
    for index, item in enumerate(items):
        yield from _item(events, index, item, answer.reply)
    whole = response_object.finished(answer, created, items)
    end = events.event(f"response.{whole['status']}", {"response": whole}, "finish")
    yield end._replace(finish_reason=answer.reply.end_reason)


def late_error(error: ErrorReply, answer: Answer) -> list[Frame]:
    """An error in a stream whose status 200 was sent. Clients look for the beginning first."""
    events = _Events()
    failed = {"response": response_object.failed(error, answer, 0)}
    return [
        *_beginning(events, answer, 0),
        events.event("error", openai_error(error), "error", error.message),
        events.event("response.failed", failed),
    ]


def _padding(answer: Answer) -> str:
    """The padding that hides the lengths of pieces; "" if the request declines it."""
    options = answer.request.payload.get("stream_options")
    is_off = isinstance(options, dict) and options.get("include_obfuscation") is False
    return "" if is_off else answer.digest


def _beginning(events: _Events, answer: Answer, created: int) -> Iterator[Frame]:
    begun = {"response": response_object.response(answer, created, "in_progress")}
    yield events.event("response.created", begun)
    yield events.event("response.in_progress", begun)


def _item(events: _Events, index: int, item: _Data, reply: NeutralReply) -> Iterator[Frame]:
    begun = {key: _EMPTY.get(key, value) for key, value in item.items()}
    if "status" in item:
        begun["status"] = "in_progress"
    kind: FrameKind = "call" if item["type"] in _CALLS else "event"
    added = {"output_index": index, "item": begun}
    yield events.event("response.output_item.added", added, kind, item.get("name", ""))
    at = {"item_id": item["id"], "output_index": index}
    match item["type"]:
        case "reasoning":
            yield from _reasoning(events, item, at)
        case "message":
            yield from _message(events, item, at)
        case _:
            yield from _call(events, item, at, reply)
    yield events.event("response.output_item.done", {"output_index": index, "item": item})


def _reasoning(events: _Events, item: _Data, at: _Data) -> Iterator[Frame]:
    text = "response.reasoning_summary_text"
    for index, part in enumerate(item["summary"]):
        at = {**at, "summary_index": index}
        begun = {**part, "text": ""}
        yield events.event("response.reasoning_summary_part.added", {**at, "part": begun})
        yield from events.text(text, "reasoning", split_content(part["text"]), "text", at)
        yield events.event("response.reasoning_summary_part.done", {**at, "part": part})


def _message(events: _Events, item: _Data, at: _Data) -> Iterator[Frame]:
    for index, part in enumerate(item["content"]):
        at = {**at, "content_index": index}
        key = "refusal" if part["type"] == "refusal" else "text"
        yield events.event("response.content_part.added", {**at, "part": {**part, key: ""}})
        pieces = split_content(part[key])
        if key == "refusal":
            yield from events.text("response.refusal", "refusal", pieces, key, at)
        else:
            about = {**at, "logprobs": []}
            yield from events.text("response.output_text", "content", pieces, key, about)
        yield events.event("response.content_part.done", {**at, "part": part})


def _call(events: _Events, item: _Data, at: _Data, reply: NeutralReply) -> Iterator[Frame]:
    event, key = _CALLS[item["type"]]
    pieces = argument_pieces(item[key], reply.argument_frames)
    # A directive may request arguments that no client can read; then all events contain them.
    item[key] = "".join(pieces)
    yield from events.text(event, "argument", pieces, key, at)


# Errors


def error(reply: ErrorReply) -> bytes:
    """The body of an error."""
    return compact_bytes(openai_error(reply)) + b"\n"


def headers(answer: Answer) -> Headers:
    """The version of the API, and the id by which clients name a request that failed."""
    return (("openai-version", "2020-10-01"), ("x-request-id", f"req_{answer.digest[:32]}"))


WRITER: Final = Writer(
    "the Responses API",
    envelope,
    frames,
    error,
    late_error,
    CONTENT_TYPE,
    headers=headers,
    repeats_request=True,
)
