"""Turns that will not be requested again, since they quote an old answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from workbench.core.fixture.changed_answer import fixture_marks
from workbench.core.misses.index import MissIndex
from workbench.core.misses.turns import MissTurns
from workbench.core.replies.response import FixtureError
from workbench.io.fixture.store import FixtureStore


class OutdatedTurns:
    """Compares the answers that turns quote with the fixtures of the earlier turns."""

    def __init__(
        self,
        store: FixtureStore,
        misses: MissIndex,
        turns: MissTurns,
        taken_back: Mapping[str, frozenset[int]],
    ) -> None:
        self._store = store
        self._misses = misses
        self._turns = turns
        self._taken_back = taken_back
        self._outdated: set[str] = set()

    def __contains__(self, digest: str) -> bool:
        return digest in self._outdated

    def __iter__(self) -> Iterator[str]:
        return iter(self._outdated)

    def after(self, digest: str) -> list[str]:
        """The later turns of the conversation of a miss."""
        miss = self._misses.misses.get(digest)
        conversation = miss.conversation if miss is not None else None
        return self._turns.later_turns.get(conversation, []) if conversation else []

    def look_at(self, digests: Iterable[str]) -> set[str]:
        """Compare the answers that these turns quote; returns the turns whose state changed."""
        changed = {d for d in digests if self._is_outdated(d) != (d in self._outdated)}
        self._outdated ^= changed
        return changed

    def _is_outdated(self, digest: str) -> bool:
        miss = self._misses.misses[digest]
        return any(
            self._is_replaced(miss.conversation, messages, marks)
            for dump in miss.dumps[:1]
            for messages, marks in dump.quoted
        )

    def _is_replaced(
        self, conversation: str | None, messages: bytes, quoted: frozenset[int]
    ) -> bool:
        """True if the earlier turn with these messages now has another answer, or its answer was
        undone. Several misses can have the same messages; it is enough that one of them gives the
        answer.
        """
        digests = self._misses_of(conversation, messages)
        names = [name for digest in digests for name in self._store.names_of(digest)]
        answers = [answer for name in names if (answer := self._answer(name)) is not None]
        if answers:
            return all(quoted.isdisjoint(answer) for answer in answers)
        undone = [self._taken_back.get(digest, frozenset()) for digest in digests]
        return not quoted.isdisjoint(frozenset().union(*undone))

    def _misses_of(self, conversation: str | None, messages: bytes) -> list[str]:
        """The misses of a conversation that have these messages."""
        return [
            digest
            for digest in self._turns.with_messages(messages)
            if self._misses.misses[digest].conversation == conversation
        ]

    def _answer(self, name: str) -> frozenset[int] | None:
        """The marks of the answers that a fixture gives; None where it cannot be used."""
        try:
            fixture = self._store.load(name)
        except FixtureError:
            return None
        return None if fixture is None else fixture_marks(fixture)
