"""Reads the replies of fixtures and writes them, each once while it stays the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from workbench.core.replies.answer import Answer
from workbench.core.replies.http_reply import HTTPReply, Writer
from workbench.core.replies.response import NeutralReply, fixture_replies

MAX_ENTRIES: Final = 256
MAX_BYTES: Final = 64 * 1024


class _Written(NamedTuple):
    reply: NeutralReply
    created: int
    sent: HTTPReply


class Renderer:
    """Reads and writes replies, with a cache.

    A busy suite sends the same requests again and again. The cached data of a fixture is used only
    while the store returns the same object; a file that was read again is a new object.
    """

    def __init__(self) -> None:
        # By the identity of the fixture, which is kept beside its reply and so stays unique.
        self._read: dict[int, tuple[Mapping[str, Any], tuple[NeutralReply, ...]]] = {}
        self._written: dict[tuple[Writer, str, bool, bool, bytes], _Written] = {}

    def read(self, fixture: Mapping[str, Any]) -> tuple[NeutralReply, ...]:
        """The replies of a fixture. Raises FixtureError as ``fixture_replies``."""
        entry = self._read.get(id(fixture))
        if entry is None:
            if len(self._read) >= MAX_ENTRIES:
                self._read.clear()
            entry = self._read[id(fixture)] = fixture, fixture_replies(fixture)
        return entry[1]

    def reply(
        self,
        writer: Writer,
        answer: Answer,
        created: int,
        *,
        stream: bool,
        repeated: bytes = b"",
    ) -> HTTPReply:
        """The HTTP reply for ``answer``; ``repeated`` is the request, where a reply repeats parts
        of it.
        """
        has_usage = stream and answer.request.include_usage
        key = (writer, answer.digest, stream, has_usage, repeated)
        written = self._written.get(key)
        if written is not None and written.created == created and written.reply is answer.reply:
            return written.sent
        sent = writer.reply(answer, created, stream=stream)
        if len(repeated) + sum([len(frame.data) for frame in sent.frames]) <= MAX_BYTES:
            if len(self._written) >= MAX_ENTRIES:
                self._written.clear()
            self._written[key] = _Written(answer.reply, created, sent)
        return sent
