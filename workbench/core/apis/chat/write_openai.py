"""Profile ``openai``: replies in the format of OpenAI's chat completions API.

Based on raw recordings of 2024 and 2025: the envelope is indented and the chunks are compact. A
single call is in the delta with the role, several calls have a delta each, and arguments follow in
further deltas. The finish reason has its own chunk, and so has the usage if the request asks for
it. Of the values that change with every request, only the request id and the fingerprint are kept,
made from the digest; the random padding (``obfuscation``) is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from workbench.core.apis.chat.write_stub import DONE, completion_id, late_error
from workbench.core.apis.openai_errors import openai_error
from workbench.core.apis.sse import CONTENT_TYPE
from workbench.core.json.values import compact_bytes, indented, mapping, mappings, string
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import argument_pieces, split_content
from workbench.core.replies.fixture_form import USAGE_DETAILS
from workbench.core.replies.http_reply import Frame, FrameKind, Headers, Writer
from workbench.core.replies.response import ErrorReply, NeutralReply


def envelope(answer: Answer, created: int, *, no_content: str | None = None) -> bytes:
    """The body of a plain reply.

    Args:
        no_content: the content where it is empty beside calls or a refusal.
    """
    reply = answer.reply
    message: dict[str, Any] = {
        "role": "assistant",
        "content": _content(reply, no_content),
        **({"tool_calls": _without_indexes(reply.tool_calls)} if reply.tool_calls else {}),
        "refusal": reply.refusal or None,
        "annotations": [],
    }
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    choice = {
        "index": 0,
        "message": message,
        "logprobs": None,
        "finish_reason": reply.end_reason,
    }
    return indented(
        {
            "id": completion_id(answer.digest),
            "object": "chat.completion",
            "created": created,
            "model": answer.request.echoed_model,
            "choices": [choice],
            "usage": _usage(answer),
            **_served_by(answer),
        },
    )


def _content(reply: NeutralReply, no_content: str | None) -> Any:
    is_left_out = (reply.tool_calls or reply.refusal) and not reply.content
    return no_content if is_left_out else reply.content


def _without_indexes(calls: Any) -> Any:
    """The calls without the index, which only a stream has."""
    return [_without_index(call) for call in calls] if isinstance(calls, list) else calls


def _without_index(call: Any) -> Any:
    """A call without its index, which is about the stream and not about the call."""
    return {k: v for k, v in call.items() if k != "index"} if isinstance(call, dict) else call


def _usage(answer: Answer) -> dict[str, Any]:
    """The counts, with their details as the fixture has them."""
    usage = answer.reply.usage or {}
    details = {key: usage[key] for key in USAGE_DETAILS if usage.get(key) is not None}
    return {
        "prompt_tokens": answer.prompt_tokens,
        "completion_tokens": answer.completion_tokens,
        "total_tokens": answer.total_tokens,
        "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": 0,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
        **details,
    }


def _served_by(answer: Answer) -> dict[str, str]:
    return {"service_tier": "default", "system_fingerprint": f"fp_{answer.digest[:10]}"}


def frames(answer: Answer, created: int, *, whole_calls: bool = False) -> Iterator[Frame]:
    """The frames of a streamed reply.

    Args:
        whole_calls: put all calls in one frame.
    """
    reply = answer.reply
    head = {
        "id": completion_id(answer.digest),
        "object": "chat.completion.chunk",
        "created": created,
        "model": answer.request.echoed_model,
        **_served_by(answer),
    }
    no_usage = {"usage": None} if answer.request.include_usage else {}

    def frame(
        kind: FrameKind, delta: Any, piece: Any = "", note: str = "", reason: Any = None
    ) -> Frame:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        data = _event({**head, "choices": [choice], **no_usage})
        return Frame(kind, data, piece, note, reason)

    texts, calls = (
        list(_text_deltas(reply)),
        list(_whole_calls(reply) if whole_calls else _call_deltas(reply)),
    )
    role = _role(reply)
    role_note = f"content={json.dumps(role['content'])}"
    if not texts and sum(kind == "call" for kind, *_ in calls) == 1:
        _kind, delta, piece, note = calls.pop(0)
        delta = {**role, **delta, "refusal": None}
        yield frame("role", delta, piece, f"{role_note} call {note}".rstrip())
    else:
        yield frame("role", role, note=role_note)
    for kind, delta, piece, note in [*texts, *calls]:
        yield frame(kind, delta, piece, note)
    yield frame("finish", {}, reason=reply.end_reason)
    if answer.request.include_usage:
        usage = _usage(answer)
        yield Frame("usage", _event({**head, "choices": [], "usage": usage}), note=_counts(usage))
    yield Frame("done", DONE)


def _role(reply: NeutralReply) -> dict[str, Any]:
    """The first delta, which has the role."""
    role: dict[str, Any] = {"role": "assistant"}
    if reply.refusal and not reply.content:
        return {**role, "content": None, "refusal": ""}
    if reply.tool_calls and not reply.content:
        return {**role, "content": None}
    return {**role, "content": "", "refusal": None}


_Delta = tuple[FrameKind, dict[str, Any], Any, str]


def _text_deltas(reply: NeutralReply) -> Iterator[_Delta]:
    """Kind, delta, piece and note for each frame of text."""
    texts: list[tuple[FrameKind, str, Any]] = [
        ("reasoning", "reasoning_content", reply.reasoning),
        ("refusal", "refusal", reply.refusal),
        ("content", "content", reply.content),
    ]
    for kind, key, text in texts:
        for piece in split_content(text) if text else []:
            yield kind, {key: piece}, piece, ""


def _counts(usage: dict[str, Any]) -> str:
    prompt, completion, total = (usage[key] for key in list(usage)[:3])
    return f"{prompt} + {completion} = {total} tokens"


def _call_deltas(reply: NeutralReply) -> Iterator[_Delta]:
    """Kind, delta, piece and note for each frame of the calls. A value without the shape of a call
    is sent unchanged in its place.
    """
    calls = reply.tool_calls or []
    if not isinstance(calls, list):
        yield "call", {"tool_calls": calls}, "", ""
        return
    for index, call in enumerate(calls):
        function = mapping(mapping(call).get("function"))
        arguments = function.get("arguments")
        if not isinstance(call, dict):
            yield "call", {"tool_calls": [call]}, "", ""
        elif not isinstance(arguments, str):
            yield "call", {"tool_calls": [{"index": index, **_without_index(call)}]}, "", ""
        else:
            begun = {"function": {**function, "arguments": ""}}
            header = {"index": index, **_without_index(call), **begun}
            yield "call", {"tool_calls": [header]}, "", string(function.get("name"))
            for piece in argument_pieces(arguments, reply.argument_frames):
                more = {"index": index, "function": {"arguments": piece}}
                yield "argument", {"tool_calls": [more]}, piece, ""


def _whole_calls(reply: NeutralReply) -> Iterator[_Delta]:
    calls = [{"index": index, **call} for index, call in enumerate(mappings(reply.tool_calls))]
    if calls:
        yield "calls", {"tool_calls": calls}, "".join(call.arguments for call in reply.calls), ""


def _event(data: object) -> bytes:
    return b"data: " + compact_bytes(data) + b"\n\n"


def error(reply: ErrorReply) -> bytes:
    """The body of an error."""
    return indented(openai_error(reply), indent=4)


def headers(answer: Answer) -> Headers:
    """The id by which clients name a request that failed."""
    return (("x-request-id", f"req_{answer.digest[:32]}"),)


OPENAI: Final = Writer(
    "the OpenAI API", envelope, frames, error, late_error, CONTENT_TYPE, headers=headers
)
