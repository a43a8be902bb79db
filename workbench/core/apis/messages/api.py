"""The Messages API of Anthropic."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.api import API, COMPLETION_DETAILS, CUSTOM_CALLS, TEXT_BESIDE_REFUSAL
from workbench.core.apis.messages.earlier import THREADS
from workbench.core.apis.messages.read import ends_stream, left_out, read_reply
from workbench.core.apis.messages.reply import (
    PING,
    envelope,
    error,
    frames,
    headers,
    late_error,
)
from workbench.core.apis.messages.request import NAME
from workbench.core.replies.http_reply import Profile

_PROFILE: Final = Profile(
    "the Messages API",
    envelope,
    frames,
    error,
    late_error,
    headers=headers,
    waiting=PING,
)
MESSAGES: Final = API(
    name=NAME,
    profiles={"stub": _PROFILE, "openai": _PROFILE},
    read_reply=read_reply,
    assemble=read_reply,
    left_out=left_out,
    ends_stream=ends_stream,
    references=THREADS,
    limits=(CUSTOM_CALLS, TEXT_BESIDE_REFUSAL, COMPLETION_DETAILS),
)
