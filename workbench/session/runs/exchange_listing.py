"""The lines of one run: its exchanges in order, with the checkpoints and forks between them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from workbench.core.runs.exchanges import Exchange, Mark, RunFormatError
from workbench.core.runs.labels import reply_line, request_line
from workbench.session.runs.index import RunBook

# Exchanges whose lines are kept: some screens full. Their bodies are read back when shown.
_KEPT: Final = 1_000


class ExchangeRow(NamedTuple):
    """An exchange, or what stands behind it: a checkpoint, a fork.

    Attributes:
        position: of the exchange; 0 for what stands before the first.
        fork: the id of the run that leaves here.
    """

    position: int
    mark: Mark | None = None
    fork: str | None = None

    @property
    def key(self) -> str:
        if self.mark is not None:
            return f"{self.position} checkpoint {self.mark.checkpoint}"
        return f"{self.position} fork {self.fork}" if self.fork else str(self.position)


@dataclass(frozen=True, slots=True)
class ExchangeFacts:
    """What a line says of an exchange.

    Attributes:
        request: what was asked, in a line.
        problem: why it cannot be read; the rest is empty then.
    """

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

    def says(self, words: Sequence[str]) -> bool:
        """Whether each of ``words``, without case, occurs in the line."""
        line = f"{self.node} {self.source} {self.digest} {self.request} {self.reply}".casefold()
        return all(word in line for word in words)


class ExchangeListing:
    """The lines of a run that is shown. It knows them by their keys, and what an exchange says by
    reading it back.
    """

    def __init__(self, book: RunBook, run: str) -> None:
        self.run = run
        self._book = book
        self._keys: list[str] = []
        # What is no exchange; those are known by their positions.
        self._between: dict[str, ExchangeRow] = {}
        self._facts: OrderedDict[tuple[str, int], ExchangeFacts] = OrderedDict()

    def take(self) -> None:
        """Take in what the run holds now."""
        between: dict[int, list[ExchangeRow]] = {}
        for at, forks in self._book.forks_of(self.run).items():
            between[at] = [ExchangeRow(at, fork=fork) for fork in forks]
        for mark in self._book.runs[self.run].marks:
            between.setdefault(mark.after, []).append(ExchangeRow(mark.after, mark))
        keys: list[str] = []
        calls, following = self._book.facts[self.run].calls, 1
        for position in sorted(between):
            keys += map(str, range(following, min(position, calls) + 1))
            keys += [row.key for row in between[position]]
            following = max(following, position + 1)
        self._keys = [*keys, *map(str, range(following, calls + 1))]
        self._between = {row.key: row for rows in between.values() for row in rows}

    def keys(self, positions: Sequence[int] | None = None) -> list[str]:
        """The keys of all rows, or those of the exchanges at ``positions`` alone."""
        return self._keys if positions is None else [str(number) for number in positions]

    def row(self, key: str) -> ExchangeRow:
        """The row of a key that was given out."""
        return self._between.get(key) or ExchangeRow(int(key))

    def facts(self, position: int) -> ExchangeFacts:
        """What the exchange at ``position`` says."""
        return self._facts_of(self.run, position)

    def replaced(self, fork: str, at: int) -> str:
        """The reply with which a fork leaves this run."""
        facts = self._facts_of(fork, at)
        return facts.problem or facts.reply

    def _facts_of(self, run: str, position: int) -> ExchangeFacts:
        known = self._facts.get((run, position))
        if known is None:
            known = self._facts[run, position] = self._read(run, position)
            if len(self._facts) > _KEPT:
                self._facts.popitem(last=False)
        return known

    def _read(self, run: str, position: int) -> ExchangeFacts:
        try:
            return ExchangeFacts.of(self._book.runs[run].exchange(position))
        except (RunFormatError, LookupError, OSError) as error:
            return ExchangeFacts(problem=f"cannot be read: {error}")

    def matching(self, text: str, after: int = 0) -> list[int]:
        """The positions of the exchanges behind the one at ``after`` whose lines have all words of
        ``text``. Slow: it reads the run.
        """
        words = text.casefold().split()
        found = self._book.runs[self.run].exchanges(after)
        return [exchange.position for exchange in found if ExchangeFacts.of(exchange).says(words)]
