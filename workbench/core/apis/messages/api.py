"""The Messages API of Anthropic."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from workbench.core.apis.api import (
    API,
    COMPLETION_DETAILS,
    CUSTOM_CALLS,
    TEXT_BESIDE_REFUSAL,
    References,
    UnknownIDError,
)
from workbench.core.apis.messages import write as reply
from workbench.core.apis.messages.read import (
    FINISH_REASONS,
    ends_stream,
    left_out,
    read_message,
    read_reply,
)
from workbench.core.apis.messages.request import NAME, continuing, earlier_id
from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import Profile
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload

_PROFILE: Final = Profile(
    "the Messages API",
    reply.envelope,
    reply.frames,
    reply.error,
    reply.late_error,
    headers=reply.headers,
    waiting=reply.PING,
)


# A request that continues a thread names the message that it follows.


def _ids(payload: Payload) -> list[str]:
    earlier = earlier_id(payload)
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
        return continuing(payload, answer.request, said)
    return payload


def _reply_id(content_type: str, body: bytes) -> str:
    return str(read_message(content_type, body).get("id") or "")


MESSAGES: Final = API(
    name=NAME,
    profiles={"stub": _PROFILE, "openai": _PROFILE},
    read_reply=read_reply,
    assemble=read_reply,
    left_out=left_out,
    ends_stream=ends_stream,
    references=References(_ids, _resolve, _reply_id),
    limits=(CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS),
    finish_reasons=FINISH_REASONS,
)
