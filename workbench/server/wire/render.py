"""Writes replies, once for the same answer within a second."""

from __future__ import annotations

from typing import Final, NamedTuple

from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import HTTPReply, Profile
from workbench.core.replies.response import NeutralReply

MAX_ENTRIES: Final = 256
MAX_BYTES: Final = 64 * 1024


class _Rendered(NamedTuple):
    reply: NeutralReply
    created: int
    sent: HTTPReply


class Renderer:
    """Writes answers and remembers the last ones.

    A busy suite asks the same again and again. A remembered reply is used only while the fixture's
    objects are the ones it was made of; a fixture that was read again has new ones.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str, bool, bool, bytes], _Rendered] = {}

    def reply(
        self,
        profile: Profile,
        answer: Answer,
        created: int,
        *,
        stream: bool,
        repeated: bytes = b"",
    ) -> HTTPReply:
        """The HTTP reply for ``answer``; ``repeated`` is the request, where a reply repeats parts
        of it.
        """
        key = (profile.writes_as, answer.digest, stream, answer.request.include_usage, repeated)
        known = self._known.get(key)
        if known is not None and known.created == created and _is_same(known.reply, answer.reply):
            return known.sent
        sent = profile.reply(answer, created, stream=stream)
        if len(repeated) + sum([len(frame.data) for frame in sent.frames]) <= MAX_BYTES:
            if len(self._known) >= MAX_ENTRIES:
                self._known.clear()
            self._known[key] = _Rendered(answer.reply, created, sent)
        return sent


def _is_same(one: NeutralReply, other: NeutralReply) -> bool:
    """Whether two answers have equal values of equal types: 1, 1.0 and true are equal in Python,
    but not in JSON. The model is not compared: it is part of the digest.
    """
    return (
        one.content is other.content
        and one.tool_calls is other.tool_calls
        and one.finish_reason is other.finish_reason
        and one.prompt_tokens == other.prompt_tokens
        and one.completion_tokens == other.completion_tokens
        and one.usage is other.usage
        and one.refusal is other.refusal
        and one.reasoning is other.reasoning
        and one.argument_frames == other.argument_frames
        and one.delivery is other.delivery
    )
