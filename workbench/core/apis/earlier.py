"""Earlier requests and their answers, to which later requests refer by id.

The ids of replies hold the digests of their requests, and so an answer that is not in memory can be
found in its fixture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload

# Limit of all kept requests together, as JSON.
MAX_BYTES: Final = 8 * 1024 * 1024
# A digest, and the number of an item in its reply.
_ID: Final = r"[a-z]+_([0-9a-f]{64})\d*"


class UnknownIDError(LookupError):
    """A request refers to an id that is not known here.

    Attributes:
        reason: of the unsupported request, in words that follow its path and a colon.
    """

    def __init__(self, reply: ErrorReply, reason: str) -> None:
        super().__init__(reply.message)
        self.reply = reply
        self.reason = reason


class References(NamedTuple):
    """How the requests of an API refer to earlier ones.

    Attributes:
        resolve: a request with what it refers to in it, so that it can be read alone. It is given
            the answers by the ids. Raises UnknownIDError.
        reply_id: the id of a reply, from content type and body. Raises NotAReplyError.
        forwarded: the body to send to another server, which does not know the ids of this one's
            replies. Its arguments are the body, the resolved request, and a function that says
            whether an id is one of these. None: the ids are sent, and clients handle one that is
            not known.
    """

    ids: Callable[[Payload], list[str]]
    resolve: Callable[[Payload, Mapping[str, Answer]], Payload]
    reply_id: Callable[[str, bytes], str]
    forwarded: Callable[[Payload, Payload, Callable[[str], bool]], Payload] | None = None


class EarlierAnswers:
    """The last answers, and those that ``lookup`` finds by the digest of their request."""

    def __init__(self, lookup: Callable[[str], Answer | None]) -> None:
        self._lookup = lookup
        # By ("id", the id that another server gave to its reply) or ("digest", our digest).
        self._kept: dict[tuple[str, str], tuple[Answer, int]] = {}
        self._size = 0

    def add(self, answer: Answer, size: int, reply_id: str = "") -> None:
        """Keep an answer.

        Args:
            size: of its request, in bytes.
            reply_id: the id of its reply, if another server made it.
        """
        key = ("id", reply_id) if reply_id else ("digest", answer.digest)
        self._forget(key)
        self._kept[key] = answer, size
        self._size += size
        while self._size > MAX_BYTES:
            self._forget(next(iter(self._kept)))

    def _forget(self, key: tuple[str, str]) -> None:
        _, size = self._kept.pop(key, (None, 0))
        self._size -= size

    def find(self, ids: Iterable[str]) -> dict[str, Answer]:
        """The answers that are known, by the ids of their replies or of items in these."""
        found = {}
        for given in ids:
            match = re.fullmatch(_ID, given)
            kept = self._kept.get(("id", given))
            answer = kept[0] if kept else self._find(match[1]) if match else None
            if answer is not None:
                found[given] = answer
        return found

    def is_own(self, given: str) -> bool:
        """Whether an id is that of a reply made here, or of an item in one."""
        return ("id", given) not in self._kept and re.fullmatch(_ID, given) is not None

    def _find(self, digest: str) -> Answer | None:
        kept = self._kept.get(("digest", digest))
        return kept[0] if kept else self._lookup(digest)
