"""A reply as it is sent over HTTP, and what writes an answer as one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

from workbench.core.json.values import compact, encoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.text.wording import counted

# ``reasoning``, ``refusal`` and ``content`` are pieces of text; ``calls`` has whole calls, ``call``
# the head of one and ``argument`` a piece of its arguments; ``body`` is a plain reply's,
# ``error`` an error after the status of a stream, ``event`` an event without a piece.
# fmt: off
FrameKind = Literal[
    "role", "reasoning", "refusal", "content", "calls", "call", "argument", "finish", "usage",
    "done", "body", "error", "event",
]
# fmt: on
# The kinds whose frames each have a piece of text.
TEXT_KINDS: Final[tuple[FrameKind, ...]] = ("reasoning", "refusal", "content", "argument")
_PACED_KINDS: Final[tuple[FrameKind, ...]] = (*TEXT_KINDS, "calls", "call")
Headers = tuple[tuple[str, str], ...]

ENVELOPE_TYPE: Final = "application/json"
RETRY_AFTER: Final = "Retry-After"


class Frame(NamedTuple):
    """One frame of a stream, such as a server-sent event, or the body of a plain reply.

    Attributes:
        data: its bytes, with the end of the frame.
        piece: the piece of content, or of a call's arguments, that it adds.
        note: its other content, for people.
    """

    kind: FrameKind
    data: bytes
    piece: Any = ""
    note: str = ""
    finish_reason: Any = None

    @property
    def paced(self) -> bool:
        """True if a chunk delay precedes it, because it contains a part of the answer."""
        return self.kind in _PACED_KINDS


def typed_event(kind: FrameKind, name: str, piece: str = "", **data: Any) -> Frame:
    """A server-sent event whose name is also the ``type`` in its data. If it adds no text, its note
    is the name.
    """
    event = encoded(f"event: {name}\ndata: {compact({'type': name, **data})}\n\n")
    return Frame(kind, event, note=name) if kind == "event" else Frame(kind, event, piece)


@dataclass
class HTTPReply:
    """A whole reply of the server.

    Attributes:
        status: 0 if the connection is closed without a reply.
        content_type: "" without a body.
        frames: the body, in the parts in which it is sent.
        is_cut: the connection is closed after the frames, before the reply is complete.
    """

    status: int
    content_type: str
    frames: Sequence[Frame]
    headers: Headers = ()
    is_cut: bool = False
    is_stream: bool = False

    @cached_property
    def body(self) -> bytes:
        return b"".join([frame.data for frame in self.frames])

    @property
    def head(self) -> str:
        """``200 text/event-stream``, and ``Retry-After`` where it is sent."""
        if not self.status:
            return "no reply"
        waits = [f"{name}: {value}" for name, value in self.headers if name == RETRY_AFTER]
        return "   ".join([f"{self.status} {self.content_type.split(';')[0]}", *waits])

    @property
    def end(self) -> str:
        """How it is cut off; "" where it is not."""
        if not self.is_cut:
            return ""
        if not self.status:
            return "the connection is closed before anything is sent"
        if not self.is_stream:
            return "then the connection is closed before the body"
        count = len(self.frames)
        return f"then the connection is closed after {counted(count, 'frame')}"


class Writer(NamedTuple):
    """Writes the replies of an API; ``created`` is in seconds since the epoch.

    Attributes:
        writes_as: the name of the imitated API or provider.
        envelope: the body of a plain reply.
        frames: the frames of a streamed reply.
        error: the body of an error.
        error_headers: headers of an error, beside the reply's headers.
        late_error: an error in a stream whose status was sent already.
        stream_type: the content type of a stream.
        headers: headers of the reply to a request.
        counts: the token counts of prompt and completion in its replies.
        waiting: sent while a client waits for a stream; clients ignore it.
        is_late_error_cut: True if the connection is closed after such an error: where an API has no
            event for it, some clients take an error for the end of the stream.
        repeats_request: True if replies repeat values of the request that are not in its digest.
    """

    writes_as: str
    envelope: Callable[[Answer, int], bytes]
    frames: Callable[[Answer, int], Iterable[Frame]]
    error: Callable[[ErrorReply], bytes]
    late_error: Callable[[ErrorReply, Answer], list[Frame]]
    stream_type: str
    headers: Callable[[Answer], Headers] = lambda answer: ()  # noqa: ARG005
    error_headers: Callable[[ErrorReply], Headers] = lambda error: ()  # noqa: ARG005
    counts: Callable[[Answer], tuple[int, int]] = lambda answer: (
        answer.prompt_tokens,
        answer.completion_tokens,
    )
    waiting: bytes = b": no fixture yet, held\n\n"
    is_late_error_cut: bool = False
    repeats_request: bool = False

    def reply(self, answer: Answer, created: int, *, stream: bool) -> HTTPReply:
        delivery, headers = answer.reply.delivery, self.headers(answer)
        if delivery.error is not None:
            return self.error_reply(delivery.error, headers)
        if stream:
            kind, frames = self.stream_type, list(self.frames(answer, created))
        else:
            kind, frames = ENVELOPE_TYPE, [Frame("body", self.envelope(answer, created))]
        if delivery.disconnect_after is None:
            return HTTPReply(200, kind, frames, headers, is_stream=stream)
        if delivery.disconnect_after == 0:
            return HTTPReply(0, kind, [], is_cut=True, is_stream=stream)
        left = frames[: delivery.disconnect_after] if stream else []
        return HTTPReply(200, kind, left, headers, is_cut=True, is_stream=stream)

    def error_reply(self, error: ErrorReply, headers: Headers = ()) -> HTTPReply:
        """The reply for an error, whether or not a stream was requested."""
        headers = (*headers, *self.error_headers(error))
        if error.retry_after is not None:
            headers = (*headers, (RETRY_AFTER, str(error.retry_after)))
        frame = Frame("body", self.error(error))
        return HTTPReply(error.status, ENVELOPE_TYPE, [frame], headers)

    def late_reply(self, error: ErrorReply, answer: Answer) -> HTTPReply:
        """The frames for an error in a stream whose status 200 was sent already."""
        frames, is_cut = self.late_error(error, answer), self.is_late_error_cut
        return HTTPReply(200, self.stream_type, frames, is_cut=is_cut, is_stream=True)


def json_body(value: object) -> bytes:
    """A JSON body as the reference stub's framework writes it: compact, sorted, ASCII, one line."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"
