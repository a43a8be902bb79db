"""The rows of the list: misses, and the requests that the server does not speak."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workbench.core.apis.chat import request as requests
from workbench.core.apis.chat.request import Payload
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import short
from workbench.core.replies.answer import FALLBACK_TEXT

# More than the widest row has room for.
SUMMARY_CHARACTERS = 240


@lru_cache(maxsize=4096)
def kept_once(value: Any) -> Any:
    """An equal value that was given before, so that equal ones are kept once."""
    return value


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list shows of a request without loading it.

    Attributes:
        tools: the names of those it offers.
        quotes_fallback: an answer in it is the fallback, so that it goes away when an earlier turn
            is answered.
    """

    model: str
    last_user_text: str
    turn: int
    stream: bool
    tools: tuple[str, ...]
    quotes_fallback: bool

    @classmethod
    def of(cls, payload: Payload) -> Summary:
        answers = list(requests.messages_of("assistant", payload))
        return cls(
            model=kept_once(requests.model(payload)),
            last_user_text=requests.last_user_text(payload)[:SUMMARY_CHARACTERS],
            turn=1 + len(answers),
            stream=requests.asks_stream(payload),
            tools=kept_once(tuple(tool.name for tool in requests.tools(payload))),
            quotes_fallback=any(FALLBACK_TEXT in answer.text for answer in answers),
        )


@dataclass(frozen=True, slots=True)
class Dump:
    """A request found in a log, in the spool.

    Attributes:
        variant: tells dumps of one digest apart by what the digest leaves out and a reply depends
            on: the offered tools and the response format.
        conversation: tells its messages; empty where it has none.
    """

    digest: str
    variant: bytes
    conversation: bytes
    place: int
    summary: Summary


@dataclass(slots=True)
class Row:
    """Requests that are counted together, and what the log says of them.

    Attributes:
        key: tells the row from all others.
        first_seen, last_seen: local times in ISO 8601, where access lines told them.
        run: the suite run it was last seen in, from 1.
        runs: all it was seen in, as bits.
        source: who wrote of it last, where many write one log; "" where nobody is named.
        asked: a number that grows with every request of any row: which was seen last.
    """

    key: str
    first_seen: str | None = None
    last_seen: str | None = None
    run: int = 1
    runs: int = 0
    asked: int = 0
    source: str = ""

    @property
    def count(self) -> int:
        """How often it was asked."""
        raise NotImplementedError

    @property
    def name(self) -> str:
        """What a person calls it."""
        raise NotImplementedError

    @property
    def summary(self) -> Summary | None:
        """What the request says, where that is known."""
        return None


@dataclass(slots=True)
class Miss(Row):
    """A digest that had no fixture; its key is the digest.

    Attributes:
        dumps: one for each variant, in the order seen.
    """

    hash_lines: int = 0
    dump_lines: int = 0
    dumps: tuple[Dump, ...] = ()

    @property
    def digest(self) -> str:
        return self.key

    @property
    def name(self) -> str:
        return short(self.key)

    @property
    def count(self) -> int:
        """Hash lines and dump lines are the same requests."""
        return max(self.hash_lines, self.dump_lines)

    @property
    def summary(self) -> Summary | None:
        return self.dumps[0].summary if self.dumps else None


@dataclass(slots=True)
class Unsupported(Row):
    """A request that the server does not speak: it has no digest, and no fixture answers it."""

    request: UnsupportedRequest = field(kw_only=True)
    lines: int = 0

    @property
    def count(self) -> int:
        return self.lines

    @property
    def name(self) -> str:
        return self.request.line
