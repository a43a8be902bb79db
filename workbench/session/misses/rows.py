"""The rows of the list: misses, and the requests that the server does not speak."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import takewhile
from typing import Any, NamedTuple

from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import short
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.requests.conversations import conversation_id
from workbench.core.requests.messages import Message
from workbench.core.requests.view import RequestView
from workbench.core.text.inert import excerpt

# More than the widest row has room for; as much as a narrow one has; as much as leaves half of it.
SUMMARY_CHARACTERS = 240
BRIEF_CHARACTERS = 30
OPENING_CHARACTERS = 16


@lru_cache(maxsize=4096)
def kept_once(value: Any) -> Any:
    """An equal value that was given before, so that equal values take memory once."""
    return value


class Summary(NamedTuple):
    """The facts about a request that a list shows without loading it.

    Attributes:
        opening: of a later turn, how the user's first text begins.
        added: what came after the last answer, where that is not the user's text: the results of
            tools.
        ending: how a long text of the user ends.
        system: how the instructions begin.
        before: how the last answer begins.
        choice: which calls it demands.
        conversation: the same for all turns of one conversation; "" where it has no messages.
        quotes_fallback: an earlier answer in it is the fallback: it will not be asked again once
            that turn is answered.
    """

    model: str
    opening: str
    last_user_text: str
    added: str
    ending: str
    system: str
    before: str
    choice: str
    conversation: str
    turn: int
    tools: tuple[str, ...]
    quotes_fallback: bool
    api: str

    @classmethod
    def of(cls, request: RequestView) -> Summary:
        text, answers = request.last_user_text, request.answers
        return cls(
            model=kept_once(request.model),
            opening=kept_once(excerpt(_opening(request), OPENING_CHARACTERS)) if answers else "",
            last_user_text=text[:SUMMARY_CHARACTERS],
            added=_added(request)[:SUMMARY_CHARACTERS] if answers else "",
            ending=text[-BRIEF_CHARACTERS:] if len(text) > BRIEF_CHARACTERS else "",
            system=kept_once(_system(request)[:BRIEF_CHARACTERS]),
            before=_said(answers[-1])[:BRIEF_CHARACTERS] if answers else "",
            choice=kept_once(request.tool_choice.name or request.tool_choice.mode),
            conversation=kept_once(conversation_id(request)),
            turn=1 + len(answers),
            tools=kept_once(tuple(tool.name for tool in request.tools)),
            quotes_fallback=any(map(is_fallback, answers)),
            api=request.api,
        )


def _opening(request: RequestView) -> str:
    return next((m.text for m in request.messages if m.role == "user"), "")


def _added(request: RequestView) -> str:
    """What a later turn adds, unless the user said it."""
    messages = request.messages
    last = takewhile(lambda message: message.role != "assistant", messages[::-1])
    added = [] if messages[-1].role == "user" else [f"{m.role} {m.text}" for m in last]
    return "  ".join(reversed(added))


def _system(request: RequestView) -> str:
    roles = ("system", "developer")
    return next((m.text for m in request.messages if m.role in roles), "")


def _said(answer: Message) -> str:
    return ", ".join(call.brief for call in answer.tool_calls) or answer.text


def is_fallback(answer: Message) -> bool:
    """Whether an answer that a request quotes is the fallback."""
    return FALLBACK_TEXT in answer.text


class Dump(NamedTuple):
    """A request found in a log, in the spool.

    Attributes:
        variant: a hash of what the digest leaves out and a reply depends on: the offered tools and
            the response format.
        form: the digest of its canonical form, by which equivalent requests are found.
        messages: a hash of its messages; empty where it has none.
        quoted: the answers in it: of each a hash of the messages before, and its marks.
        place: where it is in the spool.
    """

    digest: str
    form: str
    variant: bytes
    messages: bytes
    quoted: tuple[tuple[bytes, frozenset[int]], ...]
    place: int
    summary: Summary


@dataclass(slots=True)
class ListedRequest:
    """A row of the list: a request that was logged, however often.

    Attributes:
        key: a digest, or the text of an unsupported request.
        lines: how many lines name it.
        first_seen, last_seen: local times in ISO 8601, if the log has access lines.
        run: the suite run it was last seen in, from 1.
        runs: all suite runs it was seen in, as bits.
        tests: the tests that sent it, as far as the log says, in the order seen.
        source: the prefix of its last line, where several programs write one log; "" for none.
        asked: a number that grows with every request of any row: the highest was seen last.
    """

    key: str
    lines: int = 0
    first_seen: str | None = None
    last_seen: str | None = None
    run: int = 1
    runs: int = 0
    asked: int = 0
    source: str = ""
    tests: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How often it was asked."""
        return self.lines

    @property
    def name(self) -> str:
        """Its name in messages."""
        return short(self.key)

    @property
    def summary(self) -> Summary | None:
        """What the request says; None where that is not known."""
        return None

    @property
    def conversation(self) -> str:
        """The same for all turns of a conversation; "" where it is not known."""
        return self.summary.conversation if self.summary is not None else ""

    @property
    def turn(self) -> int:
        """Which turn of its conversation it is, from 1; 0 where it is not known."""
        return self.summary.turn if self.summary is not None else 0


@dataclass(slots=True)
class Miss(ListedRequest):
    """A digest that had no fixture; its key is the digest, its dumps are one for each variant.

    Attributes:
        broken_in: the folder of its fixture, as the log says it, which the server could not load
            when it was last asked; None where it found none.
    """

    dump_lines: int = 0
    dumps: tuple[Dump, ...] = ()
    broken_in: str | None = None

    @property
    def digest(self) -> str:
        return self.key

    @property
    def count(self) -> int:
        """Lines with its hash and lines with its dump are the same requests."""
        return max(self.lines, self.dump_lines)

    @property
    def summary(self) -> Summary | None:
        return self.dumps[0].summary if self.dumps else None


@dataclass(slots=True)
class Unsupported(ListedRequest):
    """A request that the server does not support: it has no digest, and no fixture answers it."""

    request: UnsupportedRequest = field(kw_only=True)

    @property
    def name(self) -> str:
        return self.request.line
