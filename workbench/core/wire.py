"""An answer as bytes: the envelope of a plain request, the frames of a stream.

Profile ``stub`` is byte for byte the reference server's: the envelope as Flask's ``jsonify`` writes
it, the frames with Python's default separators, neither with a usage chunk.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal

from workbench.core.reply import Answer

FrameKind = Literal["role", "content", "calls", "finish", "done"]
ProfileName = Literal["stub"]

CONTENT_PIECES: Final = 5
ENVELOPE_TYPE: Final = "application/json"
STREAM_TYPE: Final = "text/event-stream; charset=utf-8"
DONE: Final = b"data: [DONE]\n\n"


@dataclass(frozen=True, slots=True)
class Frame:
    """One server-sent event of a stream.

    Attributes:
        data: its bytes, blank line included.
        piece: what it adds: a piece of content, or of a call's arguments.
        paced: whether a chunk delay comes before it.
    """

    kind: FrameKind
    data: bytes
    piece: str = ""
    paced: bool = False


@dataclass(frozen=True, slots=True)
class Profile:
    """How answers are written; ``created`` is in seconds since the epoch."""

    name: ProfileName
    envelope: Callable[[Answer, int], bytes]
    frames: Callable[[Answer, int], list[Frame]]


def split_content(content: Any, pieces: int = CONTENT_PIECES) -> list[Any]:
    """``content`` cut into pieces of ceil(n / pieces) characters; one empty piece for nothing."""
    if not content:
        return [content]
    size = -(-len(content) // pieces)
    return [content[i : i + size] for i in range(0, len(content), size)]


def completion_id(digest: str) -> str:
    return f"chatcmpl-e2e-{digest[:12]}"


def stub_envelope(answer: Answer, created: int) -> bytes:
    """The body of a plain reply in profile ``stub``."""
    reply = answer.reply
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.tool_calls:
        message["tool_calls"] = reply.tool_calls
    body = {
        "id": completion_id(answer.digest),
        "object": "chat.completion",
        "created": created,
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
        "usage": {
            "prompt_tokens": reply.prompt_tokens,
            "completion_tokens": reply.completion_tokens,
            "total_tokens": reply.prompt_tokens + reply.completion_tokens,
        },
    }
    return json_body(body)


def json_body(value: object) -> bytes:
    """A JSON body as the reference's framework writes it: compact, sorted, ASCII, one line."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii") + b"\n"


def sse(data: object) -> bytes:
    """One server-sent event that carries ``data`` as JSON."""
    text = json.dumps(data, ensure_ascii=False)
    # A lone surrogate has no UTF-8 form; its JSON escape is what backslashreplace writes.
    return b"data: " + text.encode("utf-8", "backslashreplace") + b"\n\n"


def stub_frames(answer: Answer, created: int) -> list[Frame]:
    """The frames of a streamed reply in profile ``stub``."""
    return list(_stub_frames(answer, created))


def _stub_frames(answer: Answer, created: int) -> Iterator[Frame]:
    reply = answer.reply

    def chunk(delta: dict[str, Any], finish_reason: Any = None) -> bytes:
        return sse(
            {
                "id": completion_id(answer.digest),
                "object": "chat.completion.chunk",
                "created": created,
                "model": answer.model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
            }
        )

    yield Frame("role", chunk({"role": "assistant", "content": ""}))
    if reply.tool_calls:
        if reply.argument_frames:
            for delta, piece in _argument_deltas(reply.tool_calls[0], reply.argument_frames):
                yield Frame("calls", chunk({"tool_calls": [delta]}), piece, paced=True)
        else:
            data = chunk({"tool_calls": reply.tool_calls})
            yield Frame("calls", data, _all_arguments(reply.tool_calls), paced=True)
        yield Frame("finish", chunk({}, reply.finish_reason))
    else:
        pieces = split_content(reply.content)
        for piece in pieces[:-1]:
            yield Frame("content", chunk({"content": piece}), piece, paced=True)
        last = chunk({"content": pieces[-1]}, reply.finish_reason)
        yield Frame("content", last, pieces[-1], paced=True)
    yield Frame("done", DONE)


def _argument_deltas(call: dict[str, Any], frames: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The deltas of a directive's one call: later ones are tied to it by their index alone."""
    arguments: str = call["function"]["arguments"]
    middle = len(arguments) // 2
    pieces = {
        "once": [arguments],
        "repeat": [arguments, arguments],
        "delta": [arguments[:middle], arguments[middle:]] if middle else [arguments],
        "truncated": [arguments[:-1]],
    }[frames]
    first = {**call, "function": {**call["function"], "arguments": pieces[0]}}
    yield first, pieces[0]
    for piece in pieces[1:]:
        yield {"index": call["index"], "function": {"arguments": piece}}, piece


def _all_arguments(calls: Any) -> str:
    """The arguments of all calls behind each other, as far as they have the expected shape."""
    if not isinstance(calls, list):
        return ""
    functions = [c.get("function") for c in calls if isinstance(c, dict)]
    arguments = [f.get("arguments") for f in functions if isinstance(f, dict)]
    return "".join(a for a in arguments if isinstance(a, str))


PROFILES: Final[dict[ProfileName, Profile]] = {
    "stub": Profile("stub", stub_envelope, stub_frames),
}


def error_body(message: str, *, code: str, kind: str = "invalid_request_error") -> bytes:
    """An error in the shape of the OpenAI API."""
    return json_body({"error": {"message": message, "type": kind, "param": None, "code": code}})
