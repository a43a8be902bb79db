"""An answer as bytes: what the server sends, the preview shows and a verification expects.

How replies look is a profile's: ``stub`` writes what the reference server does, ``openai`` what the
real API does. ``http_reply`` is the one way from an answer to what goes over the connection.
"""

from __future__ import annotations

import json
from typing import Final

from workbench.core.apis.chat.openai import OPENAI
from workbench.core.apis.chat.stub import STUB, error_body, json_body
from workbench.core.replies.answer import Answer
from workbench.core.replies.delivery import ErrorReply
from workbench.core.replies.http_reply import (
    DONE,
    ENVELOPE_TYPE,
    RETRY_AFTER,
    STREAM_TYPE,
    TEXT_KINDS,
    Frame,
    FrameKind,
    Headers,
    HTTPReply,
    Profile,
    ProfileName,
)

__all__ = [
    "DEFAULT_PROFILE",
    "DONE",
    "ENVELOPE_TYPE",
    "PROFILES",
    "RETRY_AFTER",
    "STREAM_TYPE",
    "TEXT_KINDS",
    "Frame",
    "FrameKind",
    "HTTPReply",
    "Profile",
    "ProfileName",
    "behind_status",
    "error_body",
    "error_reply",
    "http_reply",
    "json_body",
]

PROFILES: Final[dict[ProfileName, Profile]] = {"stub": STUB, "openai": OPENAI}
DEFAULT_PROFILE: Final[ProfileName] = "stub"


def http_reply(profile: Profile, answer: Answer, created: int, *, stream: bool) -> HTTPReply:
    """What is sent for an answer.

    Args:
        created: the time it carries, in seconds since the epoch.
        stream: whether the request asks for a stream.
    """
    delivery, headers = answer.reply.delivery, profile.headers(answer)
    if delivery.error is not None:
        return error_reply(profile, delivery.error, headers)
    if stream:
        kind, frames = STREAM_TYPE, profile.frames(answer, created)
    else:
        kind, frames = ENVELOPE_TYPE, [Frame("body", profile.envelope(answer, created))]
    if delivery.disconnect_after is None:
        return HTTPReply(200, kind, frames, headers)
    if delivery.disconnect_after == 0:
        return HTTPReply(0, kind, [], is_cut=True)
    left = frames[: delivery.disconnect_after] if stream else []
    return HTTPReply(200, kind, left, headers, is_cut=True)


def error_reply(profile: Profile, error: ErrorReply, headers: Headers = ()) -> HTTPReply:
    """What is sent for an error, whether a stream was asked for or not."""
    if error.retry_after is not None:
        headers = (*headers, (RETRY_AFTER, str(error.retry_after)))
    return HTTPReply(error.status, ENVELOPE_TYPE, [Frame("body", profile.error(error))], headers)


def behind_status(reply: HTTPReply) -> HTTPReply:
    """What is left of a reply to a stream whose status was sent already: an error is an event."""
    if reply.is_stream:
        return reply
    data = json.dumps(json.loads(reply.body), separators=(",", ":")).encode("ascii")
    event = Frame("error", b"data: " + data + b"\n\n")
    return HTTPReply(200, STREAM_TYPE, [event])
