"""Group misses by conversation, and order the turns of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from workbench.core.apis.table import view
from workbench.core.misses.miss import Miss
from workbench.core.requests.conversations import beginnings
from workbench.core.requests.view import Payload


class MissTurns:
    """Finds the earlier and the later turns of misses by their messages.

    Attributes:
        later_turns: by conversation, the misses that are not its first turn.
    """

    def __init__(self) -> None:
        self.later_turns: defaultdict[str, list[str]] = defaultdict(list)
        self._by_messages: defaultdict[bytes, list[str]] = defaultdict(list)
        self._digests: set[str] = set()

    def add(self, misses: Iterable[Miss]) -> list[Miss]:
        """Add the misses whose requests have become known, and return them in the order of the
        requests.
        """
        new = [miss for miss in misses if miss.dumps and miss.digest not in self._digests]
        new.sort(key=lambda miss: miss.dumps[0].place)
        for miss in new:
            self._digests.add(miss.digest)
            self._by_messages[miss.dumps[0].messages].append(miss.digest)
            if miss.conversation and miss.is_later_turn:
                self.later_turns[miss.conversation].append(miss.digest)
        return new

    def earlier(self, payload: Payload) -> list[tuple[str, int]]:
        """The earlier turns of a request, shortest first: each one's digest and its number of
        messages, with which the request begins.
        """
        hashes = list(beginnings(view(payload)))[:-1]
        return [
            (self._by_messages[key][0], number)
            for number, key in enumerate(hashes, start=1)
            if key in self._by_messages
        ]

    def turn_before(self, payload: Payload) -> tuple[str, int] | None:
        """The last of the earlier turns of a request; None for the first turn of a conversation."""
        earlier = self.earlier(payload) if view(payload).turn > 1 else []
        return earlier[-1] if earlier else None

    def with_messages(self, messages: bytes) -> Sequence[str]:
        """The misses whose messages have this hash."""
        return self._by_messages.get(messages, ())
