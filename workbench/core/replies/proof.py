"""Check that streaming and other clients get the same answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from workbench.core.replies.fixture_form import RESPONSE_FORM
from workbench.core.replies.http_reply import ENVELOPE_TYPE
from workbench.core.replies.response import NotAReplyError


class Proof(NamedTuple):
    """A stream, put together as a client does, compared with the plain reply.

    Attributes:
        received: what a client has in the end, as the ``response`` of a fixture; {} for a stream
            that is not a reply.
        differences: what does not match, one sentence each; empty when everything matches.
    """

    received: Mapping[str, Any]
    differences: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.differences


def prove(
    assemble: Callable[[str, bytes], dict[str, Any]],
    stream_type: str,
    stream: bytes,
    envelope: bytes,
) -> Proof:
    """Compare a stream with the plain reply to the same request, both as they are sent.

    Args:
        assemble: of the API; it reads only bytes, so that a mistake in writing frames shows.
        stream_type: the content type of the stream.
    """
    try:
        received = assemble(stream_type, stream)
        plain = assemble(ENVELOPE_TYPE, envelope)
    except NotAReplyError as error:
        return Proof({}, (str(error),))
    if "usage" not in received:  # a stream of the reference stub has no counts
        plain.pop("usage", None)
    differing = [key for key in RESPONSE_FORM.names if received.get(key) != plain.get(key)]
    return Proof(received, tuple(_difference(key, received) for key in differing))


def _difference(key: str, received: Mapping[str, Any]) -> str:
    if key == "content" and not received["content"] and received.get("tool_calls"):
        return "content is lost when this is streamed, because only the calls are sent"
    if key == "tool_calls":
        return "tool calls differ: a client merges the frames into other calls"
    return f"{key} differs"
