"""Threads of the Messages API: a request that continues one names the message that it follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core.apis.earlier import References, UnknownIDError
from workbench.core.apis.messages import request
from workbench.core.apis.messages.read import read_message
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload


def _ids(payload: Payload) -> list[str]:
    earlier = request.earlier_id(payload)
    return [] if earlier is None else [earlier]


def _resolve(payload: Payload, answers: Mapping[str, Answer]) -> Payload:
    for earlier in _ids(payload):
        if earlier not in answers:
            # Clients that know this code send the whole conversation then, as a new thread.
            message = f"Thread of message '{earlier}' not found."
            error = ErrorReply(404, message, "not_found_error", "thread_not_found")
            raise UnknownIDError(error, "the thread that it continues is not known to this server")
        answer = answers[earlier]
        content, calls = answer.reply.content, answer.reply.tool_calls
        said = {"role": "assistant", "content": content, "tool_calls": calls}
        return request.continuing(payload, answer.request, said)
    return payload


def _reply_id(content_type: str, body: bytes) -> str:
    return str(read_message(content_type, body).get("id") or "")


THREADS: Final = References(_ids, _resolve, _reply_id)
