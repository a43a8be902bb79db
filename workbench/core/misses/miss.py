"""A miss: a request without a fixture, or one that no fixture can answer."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.requests.conversations import conversation_id
from workbench.core.requests.equivalence import Forms
from workbench.core.requests.view import RequestView
from workbench.core.text.digests import short

if TYPE_CHECKING:
    from workbench.core.misses.row_texts import RowTexts

ROW_CHARACTERS: Final = 240
"""More than the widest row of a list has room for."""


@lru_cache(maxsize=4096)
def interned(value: Any) -> Any:
    """An equal value that was seen before, so that equal values take memory once."""
    return value


@dataclass(slots=True, kw_only=True)
class RequestFacts:
    """Facts about a request that every list of misses shows.

    Attributes:
        model: The model in the request. null if the log does not contain the request.
        last_user_text: The last message of the user. null if the log does not contain the request.
        api: The name of the API, such as "chat" or "messages".
        turn: The turn of the conversation, from 1. null if the log does not contain the request.
        conversation: An ID that all turns of one conversation share.
    """

    model: str | None = None
    last_user_text: str | None = None
    api: str | None = "chat"
    turn: int | None = None
    conversation: str | None = None


def request_facts(request: RequestView) -> RequestFacts:
    """Facts about a request, with as much of the user's text as a row has room for."""
    return RequestFacts(
        model=interned(request.model),
        last_user_text=request.last_user_text[:ROW_CHARACTERS],
        api=request.api,
        turn=request.turn,
        conversation=interned(conversation_id(request)) or None,
    )


class Dump(NamedTuple):
    """A request of a miss, kept in a place for dumps.

    Attributes:
        variant: a hash of parts outside the digest that a reply depends on: the offered tools and
            the response format.
        place: where it is kept.
        facts: facts about it; the user's text is short enough for a row.
        forms: the digests of its canonical form, by which equivalent requests are found. Empty on a
            server, which does not compare misses, like the attributes below.
        messages: a hash of its messages; empty without messages.
        quoted: the answers in it: for each a hash of the messages before, and its marks.
    """

    digest: str
    variant: str
    place: int
    facts: RequestFacts
    forms: Forms = Forms("", "")
    messages: bytes = b""
    quoted: tuple[tuple[bytes, frozenset[int]], ...] = ()
    texts: RowTexts | None = None


@dataclass(slots=True, kw_only=True)
class MissFacts(RequestFacts):
    """Facts about every miss, in every list.

    Attributes:
        count: How often the request was sent: the same digest, or the same method and path.
        first_seen, last_seen: Local time, null if unknown. Commands print it in RFC 3339 with the
            offset.
        run: The last suite run that sent the request, from 1.
        tests: The tests that sent the request, if known, in the order seen.
        hosts: The hosts of an intercepted request, except the usual host of its API.
    """

    count: int
    first_seen: str | None
    last_seen: str | None
    run: int = 1
    tests: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def facts(self) -> dict[str, Any]:
        """These values by their names."""
        return {each.name: getattr(self, each.name) for each in fields(MissFacts)}


@dataclass(slots=True)
class Miss(MissFacts):
    """A request without a fixture, however often it was sent.

    Attributes:
        key: its digest, or the text of an unsupported request.
        unsupported: the request if no fixture can answer it; None if it has a digest.
        lines: how many log lines mention it.
        dump_lines: how many contain its dump.
        runs: all suite runs it was seen in, as bits.
        order: a number that grows with every request: the highest was seen last.
        source: the prefix of its last line in a log of several programs, or "".
        dumps: its requests, one for each variant.
        broken_in: the folder of its fixture, from the log, if the server could not load it at the
            last request; None if there was no fixture.
    """

    key: str
    unsupported: UnsupportedRequest | None = None
    lines: int = 0
    dump_lines: int = 0
    runs: int = 0
    order: int = 0
    source: str = ""
    dumps: tuple[Dump, ...] = ()
    broken_in: str | None = None

    @property
    def digest(self) -> str:
        """The key of a miss that has a digest."""
        return self.key

    @property
    def name(self) -> str:
        """Its name in messages."""
        return short(self.key) if self.unsupported is None else self.unsupported.line

    @property
    def texts(self) -> RowTexts | None:
        """The text of its request in a row, besides the facts; None if the request is unknown."""
        return self.dumps[0].texts if self.dumps else None

    @property
    def is_later_turn(self) -> bool:
        """True if it certainly continues a conversation."""
        return self.turn is not None and self.turn > 1

    def keep(self, dump: Dump) -> None:
        """Keep one request for each variant, and the facts of the first."""
        if not self.dumps:
            for each in fields(RequestFacts):
                setattr(self, each.name, getattr(dump.facts, each.name))
        if all(kept.variant != dump.variant for kept in self.dumps):
            self.dumps += (dump,)
