"""Write an answer as a reply of Ollama's chat or generate, whole or as a stream of lines.

Each piece of text has a line. All calls are in one line, because some clients merge calls from
several lines into one. The list of models and the facts about the server are here as well.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from workbench.core.apis.ndjson import CONTENT_TYPE
from workbench.core.apis.ollama.request import is_generate
from workbench.core.apis.replies import (
    COMPLETION_DETAILS,
    CUSTOM_CALLS,
    TEXT_BESIDE_REFUSAL,
    Circumstances,
    ModelLists,
)
from workbench.core.json.values import compact, line_encoded
from workbench.core.replies.answer import Answer
from workbench.core.replies.cutting import split_content
from workbench.core.replies.http_reply import Frame, FrameKind, Writer
from workbench.core.replies.response import ErrorReply, NeutralReply

LIMITS: Final = (CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS)
# Chat's finish reasons as the API's. Other values are sent and read unchanged.
_DONE_REASONS: Final = {"tool_calls": "stop", "function_call": "stop"}
# In nanoseconds; clients divide counts by them.
_LOADED: Final = 1_000_000
_TOKEN: Final = 10_000_000

# How models are listed.
_MODIFIED: Final = "1970-01-01T00:00:00Z"
_EXPIRES: Final = "9999-12-31T23:59:59Z"
_SIZE: Final = 4_000_000_000
_CONTEXT: Final = 131_072
_DETAILS: Final = {
    "parent_model": "",
    "format": "gguf",
    "family": "workbench",
    "families": ["workbench"],
    "parameter_size": "8B",
    "quantization_level": "Q4_K_M",
}
# Some clients check the template for support of tools.
_TEMPLATE: Final = "{{ .System }} {{ .Tools }} {{ .Prompt }} {{ .Response }}"

VERSION: Final = "0.20.0"

Values = dict[str, Any]


def envelope(answer: Answer, created: int) -> bytes:
    """The body of a plain reply."""
    reply = answer.reply
    more: Values = {"thinking": reply.reasoning, "tool_calls": _calls(reply)}
    message = _message(answer, _text(reply), {key: value for key, value in more.items() if value})
    return _line({**_begun(answer, created), **message, **_end(answer)})


def frames(answer: Answer, created: int) -> Iterator[Frame]:
    """The frames of a streamed reply."""
    begun = _begun(answer, created)
    for kind, piece, text, more in _pieces(answer.reply):
        value = {**begun, **_message(answer, text, more), "done": False}
        yield Frame(kind, _line(value), piece)
    end = _end(answer)
    value = {**begun, **_message(answer, "", {}), **end}
    yield Frame("finish", _line(value), finish_reason=end["done_reason"])


def _pieces(reply: NeutralReply) -> Iterator[tuple[FrameKind, str, str, Values]]:
    """Kind, piece, text and further values of each frame except the last."""
    for piece in filter(None, split_content(reply.reasoning)):
        yield "reasoning", piece, "", {"thinking": piece}
    kind: FrameKind = "refusal" if reply.refusal else "content"
    for piece in filter(None, split_content(_text(reply))):
        yield kind, piece, piece, {}
    if calls := _calls(reply):
        written = "".join(compact(call["function"]["arguments"]) for call in calls)
        yield "calls", written, "", {"tool_calls": calls}


def _begun(answer: Answer, created: int) -> dict[str, Any]:
    at = datetime.fromtimestamp(created, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"model": answer.request.echoed_model, "created_at": at}


def _message(answer: Answer, text: str, more: Values) -> dict[str, Any]:
    """The model's text and further values in the format of chat or generate."""
    if is_generate(answer.request.payload):
        return {"response": text, **more}
    return {"message": {"role": "assistant", "content": text, **more}}


def _end(answer: Answer) -> dict[str, Any]:
    """Why the reply ends, and what it counts."""
    reason = answer.reply.end_reason
    prompt, completion = answer.prompt_tokens, answer.completion_tokens
    durations = {
        "load_duration": _LOADED,
        "prompt_eval_count": prompt,
        "prompt_eval_duration": prompt * _TOKEN,
        "eval_count": completion,
        "eval_duration": completion * _TOKEN,
    }
    total = _LOADED + (prompt + completion) * _TOKEN
    done = {"done": True, "done_reason": _DONE_REASONS.get(str(reason), reason)}
    return {**done, "total_duration": total, **durations}


def _text(reply: NeutralReply) -> str:
    """The text. A call that cannot be read, and a refusal, are sent as text."""
    unread = [
        f'{{"name": {compact(call.name)}, "arguments": {call.arguments}}}'
        for call in reply.function_calls
        if call.arguments_object is None
    ]
    return "".join([reply.refusal or reply.text, *unread])


def _calls(reply: NeutralReply) -> list[dict[str, Any]]:
    """The calls whose arguments are a JSON object: the API has no others."""
    calls: list[dict[str, Any]] = []
    for call in reply.function_calls:
        if (arguments := call.arguments_object) is not None:
            function = {"index": len(calls), "name": call.name, "arguments": arguments}
            calls.append({**({"id": call.id} if call.id else {}), "function": function})
    return calls


def _line(value: object) -> bytes:
    return line_encoded(compact(value)) + b"\n"


# Errors


def error(reply: ErrorReply) -> bytes:
    """The body of an error, which is a string."""
    return _line({"error": reply.message})


def late_error(reply: ErrorReply, answer: Answer) -> list[Frame]:  # noqa: ARG001
    """An error as a line of a stream."""
    return [Frame("error", error(reply))]


WRITER: Final = Writer(
    "the Ollama API",
    envelope,
    frames,
    error,
    late_error,
    stream_type=CONTENT_TYPE,
    # A line would be read as JSON; blanks before it are not.
    waiting=b" ",
)
# The two endpoints share digests, and write replies differently.
_GENERATE: Final = WRITER._replace(writes_as="the Ollama API, generate")


def writer_for(circumstances: Circumstances) -> Writer:
    """The writer of a reply."""
    request = circumstances.request
    return _GENERATE if request is not None and is_generate(request.payload) else WRITER


def _several(names: Iterable[str]) -> dict[str, Any]:
    return {"models": [_listed(name) for name in names]}


def _listed(name: str) -> dict[str, Any]:
    """A model in the list of all models and of the loaded ones."""
    return {
        "name": name,
        "model": name,
        "modified_at": _MODIFIED,
        "size": _SIZE,
        "digest": hashlib.sha256(name.encode("utf-8", "backslashreplace")).hexdigest(),
        "details": _DETAILS,
        "expires_at": _EXPIRES,
        "size_vram": _SIZE,
        "context_length": _CONTEXT,
    }


def _single(name: str) -> dict[str, Any]:  # noqa: ARG001
    """The description of any model, without its name, which is in the body of the request."""
    return {
        "license": "",
        "modelfile": "",
        "parameters": "",
        "template": _TEMPLATE,
        "details": _DETAILS,
        "model_info": {
            "general.architecture": "workbench",
            "general.parameter_count": 8_000_000_000,
            "workbench.context_length": _CONTEXT,
            "workbench.embedding_length": 768,
        },
        "capabilities": ["completion", "tools", "vision", "thinking", "embedding"],
        "modified_at": _MODIFIED,
    }


MODELS: Final = ModelLists(_several, _single)
