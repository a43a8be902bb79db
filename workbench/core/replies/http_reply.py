"""What goes over a connection in reply to one request, and in which parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from workbench.core.apis.chat.request import Payload
from workbench.core.apis.embeddings import Embeddings
from workbench.core.replies.answer import Answer
from workbench.core.replies.delivery import ErrorReply

# ``reasoning``, ``refusal`` and ``content`` are pieces of a text; ``calls`` has whole calls,
# ``call`` the head of one and ``argument`` a piece of its arguments; ``body`` is a plain reply's,
# ``error`` an error behind the status of a stream.
# fmt: off
FrameKind = Literal[
    "role", "reasoning", "refusal", "content", "calls", "call", "argument", "finish", "usage",
    "done", "body", "error",
]
# fmt: on
# Kinds whose frames have a piece of a text each.
TEXT_KINDS: Final[tuple[FrameKind, ...]] = ("reasoning", "refusal", "content", "argument")
ProfileName = Literal["stub", "openai"]
Headers = tuple[tuple[str, str], ...]

ENVELOPE_TYPE: Final = "application/json"
STREAM_TYPE: Final = "text/event-stream; charset=utf-8"
DONE: Final = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event of a stream; the body of a plain reply is one frame, too.

    Attributes:
        data: its bytes; of an event the blank line included.
        piece: what it adds: a piece of content, or of a call's arguments.
        note: what else it says, for people.
        finish_reason: the one it carries, if it does.
        paced: whether a chunk delay comes before it.
    """

    kind: FrameKind
    data: bytes
    piece: Any = ""
    note: str = ""
    finish_reason: Any = None
    paced: bool = False


@dataclass(frozen=True, slots=True)
class HTTPReply:
    """A whole reply of the server.

    Attributes:
        status: 0 where the connection is closed without a reply.
        frames: the body, in the parts it is sent in.
        headers: those beside the content type.
        is_cut: the connection is closed behind the frames, and what belongs there never comes.
    """

    status: int
    content_type: str
    frames: Sequence[Frame]
    headers: Headers = ()
    is_cut: bool = False

    @property
    def body(self) -> bytes:
        return b"".join([frame.data for frame in self.frames])

    @property
    def is_stream(self) -> bool:
        return self.content_type == STREAM_TYPE

    @property
    def head(self) -> str:
        """``200 text/event-stream``, and further headers that say something of the reply."""
        if not self.status:
            return "no reply"
        said = [f"{name}: {value}" for name, value in self.headers if name == RETRY_AFTER]
        return "   ".join([f"{self.status} {self.content_type.split(';')[0]}", *said])

    @property
    def end(self) -> str:
        """How it breaks off, "" where it does not."""
        if not self.is_cut:
            return ""
        if not self.status:
            return "the connection is closed before anything is sent"
        if not self.is_stream:
            return "then the connection is closed before the body"
        count = len(self.frames)
        return f"then the connection is closed after {count} frame{'s' * (count != 1)}"


RETRY_AFTER: Final = "Retry-After"


@dataclass(frozen=True, slots=True)
class Profile:
    """How replies are written; ``created`` is in seconds since the epoch.

    Attributes:
        writes_as: whose way of writing it is.
        headers: of the reply to a request.
        embeddings: the reply to a request for embeddings; raises RequestError.
    """

    name: ProfileName
    writes_as: str
    envelope: Callable[[Answer, int], bytes]
    frames: Callable[[Answer, int], list[Frame]]
    error: Callable[[ErrorReply], bytes]
    headers: Callable[[Answer], Headers]
    embeddings: Callable[[Payload], Embeddings]


def completion_id(digest: str) -> str:
    return f"chatcmpl-e2e-{digest[:12]}"
