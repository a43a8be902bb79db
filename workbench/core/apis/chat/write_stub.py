"""Profile ``stub``: replies byte for byte as the reference stub writes them.

The envelope is in the format of Flask's ``jsonify``; the frames have Python's default separators.
There is no usage chunk.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis.openai_errors import openai_error
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.json.values import encoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import split_arguments, split_content
from workbench.core.replies.http_reply import Frame, Writer, json_body
from workbench.core.replies.response import ErrorReply, NeutralReply
from workbench.core.requests.view import estimate_tokens

DONE: Final = b"data: [DONE]\n\n"


def envelope(answer: Answer, created: int) -> bytes:
    """The body of a plain reply."""
    reply = answer.reply
    message: dict[str, Any] = {"role": "assistant", "content": reply.content}
    if reply.tool_calls:
        message["tool_calls"] = reply.tool_calls
    prompt, completion = counts(answer)
    body = {
        "id": completion_id(answer.digest),
        "object": "chat.completion",
        "created": created,
        "model": answer.request.echoed_model,
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(reply)}],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    }
    return json_body(body)


def _reason(reply: NeutralReply) -> Any:
    """The finish reason: also beside calls ``stop``, where none is given."""
    return reply.finish_reason or "stop"


def counts(answer: Answer) -> tuple[int, int]:
    """How many tokens the prompt and the completion have; of calls and refusals, none."""
    reply = answer.reply
    prompt, completion = reply.prompt_tokens, reply.completion_tokens
    return (
        estimate_tokens(answer.request.prompt_text) if prompt is None else prompt,
        estimate_tokens(reply.content) if completion is None else completion,
    )


def completion_id(digest: str) -> str:
    return f"chatcmpl-e2e-{digest[:12]}"


def sse(data: object) -> bytes:
    """One server-sent event that carries ``data`` as JSON."""
    return b"data: " + encoded(json.dumps(data, ensure_ascii=False)) + b"\n\n"


def frames(answer: Answer, created: int) -> Iterator[Frame]:
    """The frames of a streamed reply."""
    reply = answer.reply
    reason = _reason(reply)

    def chunk(delta: dict[str, Any], finish_reason: Any = None) -> bytes:
        return sse(
            {
                "id": completion_id(answer.digest),
                "object": "chat.completion.chunk",
                "created": created,
                "model": answer.request.echoed_model,
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
            }
        )

    yield Frame("role", chunk({"role": "assistant", "content": ""}), note='content=""')
    if reply.tool_calls:
        if reply.argument_frames:
            # A directive's one call: its later deltas are tied to it only by their index.
            call = reply.tool_calls[0]
            function = call["function"]
            first, *more = split_arguments(function["arguments"], reply.argument_frames)
            begun = {**call, "function": {**function, "arguments": first}}
            yield Frame("calls", chunk({"tool_calls": [begun]}), first)
            for piece in more:
                delta = {"index": call["index"], "function": {"arguments": piece}}
                yield Frame("calls", chunk({"tool_calls": [delta]}), piece)
        else:
            data = chunk({"tool_calls": reply.tool_calls})
            arguments = "".join(call.arguments for call in reply.calls)
            yield Frame("calls", data, arguments)
        yield Frame("finish", chunk({}, reason), finish_reason=reason)
    else:
        pieces = split_content(reply.content)
        for piece in pieces[:-1]:
            yield Frame("content", chunk({"content": piece}), piece)
        last = chunk({"content": pieces[-1]}, reason)
        yield Frame("content", last, pieces[-1], finish_reason=reason)
    yield Frame("done", DONE)


def error(reply: ErrorReply) -> bytes:
    """The body of an error, in the shape of the OpenAI API."""
    return json_body(openai_error(reply))


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error as an event of a stream, in either profile."""
    return [Frame("error", b"data: " + error(reply) + b"\n")]


STUB: Final = Writer(
    "the reference stub", envelope, frames, error, late_error, CONTENT_TYPE, counts=counts
)
