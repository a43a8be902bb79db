"""The Responses API."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.api import API
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.apis.responses import write as reply
from workbench.core.apis.responses import write_stream as stream
from workbench.core.apis.responses.earlier import REFERENCES
from workbench.core.apis.responses.read import (
    FINISH_REASONS,
    assemble,
    ends_stream,
    left_out,
    read_reply,
)
from workbench.core.apis.responses.request import NAME
from workbench.core.replies.http_reply import Profile
from workbench.core.requests.view import RequestView

PROFILE: Final = Profile(
    "the Responses API",
    reply.envelope,
    stream.frames,
    reply.error,
    stream.late_error,
    headers=reply.headers,
    repeats_request=True,
)


def _ignored(request: RequestView) -> list[IgnoredOption]:
    """Many clients always ask for the encrypted reasoning, which replies have."""
    wanted = request.payload.get("include")
    others = {*map(str, wanted)} - {reply.ENCRYPTED} if isinstance(wanted, list) else ()
    found: list[IgnoredOption] = ["include"] if others else []
    if request.payload.get("top_logprobs"):
        found.append("logprobs")
    return found


RESPONSES: Final = API(
    name=NAME,
    profiles={"stub": PROFILE, "openai": PROFILE},
    read_reply=read_reply,
    assemble=assemble,
    left_out=left_out,
    ends_stream=ends_stream,
    references=REFERENCES,
    ignored=_ignored,
    finish_reasons=FINISH_REASONS,
)
