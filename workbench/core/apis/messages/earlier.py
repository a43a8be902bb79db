"""The earlier message that a request of the Messages API follows: it continues a thread."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core.apis.messages.read import reply_id
from workbench.core.apis.messages.request import continuing, earlier_id
from workbench.core.apis.replies import References, UnknownIDError
from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload


def _ids(payload: Payload) -> list[str]:
    earlier = earlier_id(payload)
    return [] if earlier is None else [earlier]


def _resolve(payload: Payload, answers: Mapping[str, Answer]) -> Payload:
    for earlier in _ids(payload):
        if earlier not in answers:
            # Clients that handle this code then send the whole conversation as a new thread.
            message = f"Thread of message '{earlier}' not found."
            error = ErrorReply(404, message, "not_found_error", "thread_not_found")
            raise UnknownIDError(
                error, "this server does not have the thread that the request continues"
            )
        answer = answers[earlier]
        content, calls = answer.reply.content, answer.reply.tool_calls
        message_before = {"role": "assistant", "content": content, "tool_calls": calls}
        return continuing(payload, answer.request, message_before)
    return payload


REFERENCES: Final = References(_ids, _resolve, reply_id)
