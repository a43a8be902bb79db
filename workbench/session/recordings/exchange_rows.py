"""The rows of a recording: its exchanges in order, with the checkpoints and forks between them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from workbench.core.formats import FormatError
from workbench.core.recordings.exchanges import CheckpointMark, Exchange
from workbench.core.recordings.labels import reply_line, request_line
from workbench.io.files.path_text import why_unreadable
from workbench.session.lists.filters import FilterLanguage
from workbench.session.lists.list_query import ListQuery, Order
from workbench.session.recordings.index import RecordingIndex

# Exchanges whose lines are kept: some screens full. Their bodies are read back when shown.
_KEPT: Final = 1_000


class ExchangeRow(NamedTuple):
    """An exchange, or what follows it: a checkpoint, a fork.

    Attributes:
        position: of the exchange; 0 for a checkpoint before the first.
        fork: the id of the recording that leaves here.
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
    test: str = ""

    @classmethod
    def of(cls, exchange: Exchange) -> ExchangeFacts:
        return cls(
            exchange.node,
            exchange.source,
            exchange.digest,
            exchange.at_ms,
            request_line(exchange),
            reply_line(exchange),
            test=exchange.test,
        )

    @property
    def text(self) -> str:
        """The text in which a filter searches words."""
        words = (self.node, self.test, self.source, self.digest, self.request, self.reply)
        return " ".join(map(str, words)).casefold()


class ExchangeRows:
    """The rows of one recording. The contents of an exchange are read from its journal on demand. A
    filter searches words in the ``texts`` of exchanges, which are read at their first use.
    """

    def __init__(self, index: RecordingIndex, recording: str) -> None:
        self.recording = recording
        self.texts: dict[int, str] = {}
        self.query = ListQuery({}, FilterLanguage(self._word), [Order("in order")])
        self._index = index
        self._facts_of = lru_cache(_KEPT)(self._read)

    def _word(self, word: str) -> Callable[[ExchangeRow], bool]:
        return lambda row: word in self._text(row)

    def _text(self, row: ExchangeRow) -> str:
        """The text in which a filter searches words."""
        if row.mark is not None:
            is_complete = " complete" if row.mark.is_complete else ""
            return f"checkpoint after {row.mark.after} iteration {row.mark.iteration}{is_complete}"
        if row.fork is not None:
            facts = self._index.facts.get(row.fork)
            return f"fork {facts.name if facts else row.fork}".casefold()
        return self.texts.get(row.position, "")

    @property
    def calls(self) -> int:
        """How many exchanges there are."""
        return self._index.facts[self.recording].calls

    def refresh(self) -> None:
        """Update the rows from the recording as it is now."""
        between: dict[int, list[ExchangeRow]] = {}
        for at, forks in self._index.forks_of(self.recording).items():
            between[at] = [ExchangeRow(at, fork=fork) for fork in forks]
        for mark in self._index.recordings[self.recording].marks:
            between.setdefault(mark.after, []).append(ExchangeRow(mark.after, mark))
        rows: list[ExchangeRow] = []
        following = 1
        for position in sorted(between):
            rows += map(ExchangeRow, range(following, min(position, self.calls) + 1))
            rows += between[position]
            following = max(following, position + 1)
        rows += map(ExchangeRow, range(following, self.calls + 1))
        self.query.set_items({row.key: row for row in rows})

    def facts(self, position: int) -> ExchangeFacts:
        """The facts of the exchange at ``position``."""
        return self._facts_of(self.recording, position)

    def replaced(self, fork: str, at: int) -> str:
        """The reply with which a fork leaves this recording."""
        facts = self._facts_of(fork, at)
        return facts.problem or facts.reply

    def _read(self, recording: str, position: int) -> ExchangeFacts:
        try:
            return ExchangeFacts.of(self._index.recordings[recording].exchange(position))
        except (FormatError, LookupError, OSError) as error:
            return ExchangeFacts(problem=f"cannot be read: {why_unreadable(error)}")

    @property
    def is_read(self) -> bool:
        """True if all texts are read."""
        return len(self.texts) >= self.calls

    def read_texts(self) -> dict[int, str]:
        """The unread texts, by position. Slow, because it reads the recording."""
        exchanges = self._index.recordings[self.recording].exchanges(len(self.texts))
        return {exchange.position: ExchangeFacts.of(exchange).text for exchange in exchanges}
