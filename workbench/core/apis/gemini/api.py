"""Gemini's generateContent."""

from __future__ import annotations

from typing import Final

from workbench.core.apis.api import API, CUSTOM_CALLS, TEXT_BESIDE_REFUSAL
from workbench.core.apis.gemini import write as reply
from workbench.core.apis.gemini.read import FINISH_REASONS, ends_stream, left_out, read_reply
from workbench.core.apis.gemini.request import NAME
from workbench.core.apis.ignored import IgnoredOption
from workbench.core.json.values import mapping
from workbench.core.replies.http_reply import ENVELOPE_TYPE, Profile
from workbench.core.requests.view import RequestView

_PROFILE: Final = Profile(
    "the Gemini API",
    reply.envelope,
    reply.frames,
    reply.error,
    reply.late_error,
    stream_type="text/event-stream",
    # Its clients take comments for JSON.
    waiting=b"\r\n\r\n",
)
_ARRAY: Final = _PROFILE._replace(
    writes_as="the Gemini API, streams as arrays",
    frames=reply.array_frames,
    late_error=reply.late_array_error,
    stream_type=ENVELOPE_TYPE,
)


def _other_profile(request: RequestView) -> Profile | None:
    """The profile that writes a stream as an array, for URLs that do not ask for events."""
    return _ARRAY if request.payload.get("alt") == "json" else None


def _ignored(request: RequestView) -> list[IgnoredOption]:
    wanted = mapping(request.payload.get("generationConfig")).get("responseLogprobs")
    return ["logprobs"] if wanted else []


GEMINI: Final = API(
    name=NAME,
    profiles={"stub": _PROFILE, "openai": _PROFILE},
    read_reply=read_reply,
    assemble=read_reply,
    left_out=left_out,
    ends_stream=ends_stream,
    # Earlier models give a reason for the end in each chunk.
    may_go_on=True,
    other_profile=_other_profile,
    ignored=_ignored,
    limits=(CUSTOM_CALLS, TEXT_BESIDE_REFUSAL),
    finish_reasons=FINISH_REASONS,
)
