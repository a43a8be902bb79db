"""How the requests of an API refer to earlier ones: by the ids of their replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from workbench.core.replies.answer import Answer
from workbench.core.replies.response import ErrorReply
from workbench.core.requests.view import Payload


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
