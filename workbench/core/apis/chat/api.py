"""The chat completions API."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.api import API
from workbench.core.apis.chat.read import assemble, ends_stream, left_out, read_reply
from workbench.core.apis.chat.request import NAME
from workbench.core.apis.chat.write_openai import OPENAI
from workbench.core.apis.chat.write_stub import STUB
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.replies.response import FINISH_REASONS
from workbench.core.requests.view import RequestView


def _ignored(request: RequestView) -> list[IgnoredOption]:
    found: list[IgnoredOption] = []
    if request.stream and request.include_usage:
        found.append("include_usage")
    if request.payload.get("logprobs"):
        found.append("logprobs")
    return found


CHAT: Final = API(
    name=NAME,
    profiles={"stub": STUB, "openai": OPENAI},
    read_reply=read_reply,
    assemble=assemble,
    left_out=left_out,
    ends_stream=ends_stream,
    ignored=_ignored,
    finish_reasons={reason: reason for reason in FINISH_REASONS},
)
