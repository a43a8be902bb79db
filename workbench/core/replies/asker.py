"""Which answer of a sequence comes next: a fixture may begin with answers that are given once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence

from workbench.core.replies.response import NeutralReply


class Asker:
    """Who gets the answers of each sequence one after the other: a test, or the whole run of a
    suite. Safe for threads: no two requests get the same answer that is given once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # How many answers it got of each fixture that has several.
        self._taken: Counter[str] = Counter()

    def take(self, name: str, replies: Sequence[NeutralReply]) -> NeutralReply:
        """The next of the ``replies`` of the fixture ``name``; the last one again and again."""
        if len(replies) == 1:
            return replies[0]
        with self._lock:
            number = self._taken[name]
            self._taken[name] += 1
        return replies[min(number, len(replies) - 1)]

    def put_back(self, name: str) -> None:
        """Give the answer that was taken last once more: it could not be sent."""
        with self._lock:
            if self._taken[name]:  # else the fixture has one reply only
                self._taken[name] -= 1

    def begin_again(self) -> None:
        """Begin each sequence with its first answer."""
        with self._lock:
            self._taken.clear()
