"""Replays the replies of a recording."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any, NamedTuple

from workbench.core.json.divergence import Divergence
from workbench.core.recordings.exchanges import Exchange, comparable
from workbench.core.requests.equivalence import Forms, without_call_ids
from workbench.core.text.common_prefix import prefix_length


class Taken(NamedTuple):
    """A recorded exchange whose reply answers a request.

    Attributes:
        call: the number of requests of the node in this replay.
        divergence: the first difference from the recorded request; None if they are the same.
        expected: the exchange that was next, if the request belongs to another one; else None.
    """

    exchange: Exchange
    call: int
    divergence: Divergence | None = None
    expected: Exchange | None = None

    def __str__(self) -> str:
        """The difference from the recording, or ""."""
        here = f"{_called(self.exchange.node)}, call {self.call}"
        if self.divergence is not None:
            return f"{here}: differs from exchange {self.exchange.position}: {self.divergence}"
        if self.expected is not None:
            return (
                f"{here}: out of order: this is exchange {self.exchange.position}; "
                f"expected exchange {self.expected.position}"
            )
        return ""


class MissingReplyError(LookupError):
    """In a replay, no recorded reply is left for a call.

    Attributes:
        node: name of the node.
        call: number of the call of the node, from 1.
        nearest: the most similar recorded exchange, or None.
        divergence: the first difference from it, or None.
    """

    def __init__(
        self,
        node: str,
        call: int,
        reason: str,
        nearest: Exchange | None,
        divergence: Divergence | None,
    ) -> None:
        # The arguments, so that it can be pickled.
        super().__init__(node, call, reason, nearest, divergence)
        self.node = node
        self.call = call
        self.nearest = nearest
        self.divergence = divergence
        self._reason = reason

    def __str__(self) -> str:
        text = f"{_called(self.node)}, call {self.call}: {self._reason}."
        if self.nearest is None:
            return text
        differs = f"which differs at {self.divergence}" if self.divergence else "the same request"
        return f"{text} Nearest: exchange {self.nearest.position}, {differs}"


class RecordedReplies:
    """The replies of some exchanges of a recording; each is used once.

    The k-th call of a node gets its k-th reply. If a later call of the node was recorded with the
    same request, that reply is used instead, because the order of concurrent calls varies.
    """

    def __init__(self, exchanges: Iterable[Exchange]) -> None:
        self._all = list(exchanges)
        self._waiting: dict[str, list[Exchange]] = {}
        self._forms: dict[int, Forms] = {}
        self._calls: Counter[str] = Counter()
        for exchange in self._all:
            self._waiting.setdefault(exchange.node, []).append(exchange)
            self._forms[exchange.position] = _forms(exchange.request, exchange.digest)

    def take(self, node: str, request: Any, digest: str | None = None) -> Taken:
        """The reply to the next call of ``node``.

        Args:
            request: the payload of an LLM call, or the arguments of another call.
            digest: of the payload.

        Raises:
            MissingReplyError: none is left.
        """
        self._calls[node] += 1
        call = self._calls[node]
        waiting = self._waiting.get(node)
        if not waiting:
            raise self._missing(node, call, request, digest)
        expected = waiting[0]
        same = self._same(waiting, _forms(request, digest))
        if same is None:
            waiting.remove(expected)
            return Taken(expected, call, _divergence(expected, request, digest))
        waiting.remove(same)
        is_in_turn = same is expected or _overlap(same, expected)
        return Taken(same, call, expected=None if is_in_turn else expected)

    def _same(self, waiting: list[Exchange], forms: Forms) -> Exchange | None:
        """The first exchange with a request, or else with one that is equivalent."""
        own = (e for e in waiting if self._forms[e.position].form == forms.form)
        alike = (e for e in waiting if self._forms[e.position].are_equivalent(forms))
        return next(chain(own, alike), None)

    def unused(self) -> list[Exchange]:
        """The exchanges whose replies were not used, in the order of the recording."""
        left = {exchange.position for waiting in self._waiting.values() for exchange in waiting}
        return [exchange for exchange in self._all if exchange.position in left]

    @property
    def are_used_up(self) -> bool:
        """True if there were replies, and each was used."""
        return bool(self._all) and not self.unused()

    def _missing(self, node: str, call: int, request: Any, digest: str | None) -> MissingReplyError:
        own = [exchange for exchange in self._all if exchange.node == node]
        if own:
            count = f"{len(own)} replies" if len(own) > 1 else "1 reply"
            reason = f"the recording has {count} for it, and all are used"
        elif self._all:
            names = ", ".join(sorted({_called(e.node) for e in self._all}))
            reason = f"the recording has no such call, only calls of {names}"
        else:
            reason = "the recording has no reply that can be replayed"
        text = _forms(request, digest).form
        nearest = max(
            [each for each in own or self._all if _is_comparable(each, digest)],
            key=lambda exchange: prefix_length(self._forms[exchange.position].form, text),
            default=None,
        )
        nearest_difference = _divergence(nearest, request, digest) if nearest else None
        return MissingReplyError(node, call, reason, nearest, nearest_difference)


def _overlap(first: Exchange, second: Exchange) -> bool:
    """True if two calls were concurrent. Calls are recorded when they end."""
    return first.at_ms < second.at_ms + second.ms and second.at_ms < first.at_ms + first.ms


def _called(node: str) -> str:
    return node or "a call without a node"


def _forms(request: Any, digest: str | None) -> Forms:
    value = comparable(request, digest)
    text = _text(value)
    if digest is None or not isinstance(request, dict):
        return Forms(text, text)
    numbered = without_call_ids(value)
    return Forms(text, text if numbered == value else _text(numbered))


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def _divergence(exchange: Exchange, request: Any, digest: str | None) -> Divergence | None:
    if not _is_comparable(exchange, digest):
        return None
    return exchange.difference(request, digest)


def _is_comparable(exchange: Exchange, digest: str | None) -> bool:
    """True if the exchange has a request to compare, of an LLM call or of another one. Handwritten
    replies may have none, or only the text of a prompt.
    """
    return exchange.request is not None and (exchange.digest is None) == (digest is None)
