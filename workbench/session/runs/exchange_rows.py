"""The rows of one run: its exchanges in order, with the checkpoints and forks between them."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

from workbench.core.models import FormatError
from workbench.core.runs.exchanges import CheckpointMark, Exchange
from workbench.core.runs.labels import reply_line, request_line
from workbench.session.lists.filters import Filter, FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.runs.index import RunIndex

# Exchanges whose lines are kept: some screens full. Their bodies are read back when shown.
_KEPT: Final = 1_000


class ExchangeRow(NamedTuple):
    """An exchange, or what follows it: a checkpoint, a fork.

    Attributes:
        position: of the exchange; 0 for a checkpoint before the first.
        fork: the id of the run that leaves here.
    """

    position: int
    mark: CheckpointMark | None = None
    fork: str | None = None

    @property
    def is_exchange(self) -> bool:
        return self.mark is None and self.fork is None

    @property
    def key(self) -> str:
        if self.mark is not None:
            return f"{self.position} checkpoint {self.mark.checkpoint}"
        return f"{self.position} fork {self.fork}" if self.fork else str(self.position)


class ExchangeFacts(NamedTuple):
    """The content of an exchange's line; only ``problem`` if it cannot be read."""

    node: str = ""
    source: str = ""
    digest: str | None = None
    at_ms: float = 0.0
    request: str = ""
    reply: str = ""
    problem: str = ""

    @classmethod
    def of(cls, exchange: Exchange) -> ExchangeFacts:
        return cls(
            exchange.node,
            exchange.source,
            exchange.digest,
            exchange.at_ms,
            request_line(exchange),
            reply_line(exchange),
        )

    @property
    def text(self) -> str:
        """What a filter looks for words in."""
        return f"{self.node} {self.source} {self.digest} {self.request} {self.reply}".casefold()


LANGUAGE: Final[FilterLanguage[ExchangeFacts]] = FilterLanguage(
    lambda word: lambda facts: word in facts.text
)


def exchange_query() -> ListQuery[ExchangeRow]:
    """A list of exchanges, without any yet. Its filter reads the run, and is worked out apart."""
    return ListQuery({}, None, [Order("in order")])


class ExchangeRows:
    """The rows of one run: what an exchange says is read back from its journal when it is asked."""

    def __init__(self, index: RunIndex, run: str) -> None:
        self.run = run
        self.query = exchange_query()
        self._index = index
        self._facts_of = lru_cache(_KEPT)(self._read)

    @property
    def calls(self) -> int:
        """How many exchanges there are."""
        return self._index.facts[self.run].calls

    def refresh(self) -> None:
        """Update the rows from the run as it is now."""
        between: dict[int, list[ExchangeRow]] = {}
        for at, forks in self._index.forks_of(self.run).items():
            between[at] = [ExchangeRow(at, fork=fork) for fork in forks]
        for mark in self._index.runs[self.run].marks:
            between.setdefault(mark.after, []).append(ExchangeRow(mark.after, mark))
        rows: list[ExchangeRow] = []
        following = 1
        for position in sorted(between):
            rows += map(ExchangeRow, range(following, min(position, self.calls) + 1))
            rows += between[position]
            following = max(following, position + 1)
        rows += map(ExchangeRow, range(following, self.calls + 1))
        self.query.set_items({row.key: row for row in rows})

    def show_only(self, text: str, positions: Collection[int] | None) -> None:
        """Show the exchanges that ``matching(text)`` found, or all rows."""
        if positions is None:
            self.query.set_filter(Filter())
        else:
            found = set(map(str, positions))
            self.query.set_filter(Filter(text, (lambda row: row.key in found,)))

    def facts(self, position: int) -> ExchangeFacts:
        """What the exchange at ``position`` says."""
        return self._facts_of(self.run, position)

    def replaced(self, fork: str, at: int) -> str:
        """The reply with which a fork leaves this run."""
        facts = self._facts_of(fork, at)
        return facts.problem or facts.reply

    def _read(self, run: str, position: int) -> ExchangeFacts:
        try:
            return ExchangeFacts.of(self._index.runs[run].exchange(position))
        except (FormatError, LookupError, OSError) as error:
            return ExchangeFacts(problem=f"cannot be read: {error}")

    def matching(self, text: str, after: int = 0) -> list[int]:
        """The positions of the exchanges after the one at ``after`` that match a filter. Slow: it
        reads the run.
        """
        wanted = LANGUAGE.parse(text)
        exchanges = self._index.runs[self.run].exchanges(after)
        return [e.position for e in exchanges if wanted.matches(ExchangeFacts.of(e))]
