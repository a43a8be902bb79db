"""An index of stored requests, which finds those that are like another request."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter, defaultdict
from heapq import nlargest, nsmallest
from operator import itemgetter
from typing import Final, NamedTuple, TypeVar

from workbench.core.requests.differences import ReadRequest, words
from workbench.core.requests.view import RequestView

# How many candidates for the nearest are read and compared.
_LIKELY: Final = 8
# How many messages that have words in common with a message are considered.
_ALIKE: Final = 200
# A text is looked up by this many of its words: those with the smallest hashes.
_SKETCH: Final = 32
# A description suggests its fixture if it has this part of the user's words.
_GUESS_THRESHOLD: Final = 0.75
_GUESS_WORDS: Final = 2


class _Entry(NamedTuple):
    """The data that the index keeps of one fixture."""

    masked_digest: str
    messages: tuple[int, ...]


class RequestIndex:
    """The requests of fixtures, searched for parts shared with another request.

    Contains hashes, not strings. A message in several requests is kept once.
    """

    def __init__(self) -> None:
        self._entries: dict[str, _Entry] = {}
        self._descriptions: dict[str, frozenset[str]] = {}
        self._by_masked_digest: defaultdict[str, dict[str, None]] = defaultdict(dict)
        # Messages and words by their hashes.
        self._by_message: dict[int, dict[str, None]] = {}
        self._sketches: dict[int, tuple[int, ...]] = {}
        self._by_word: defaultdict[int, dict[int, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, digest: str, view: RequestView) -> None:
        """Add or replace the request of a fixture. Raises RequestError."""
        self.remove(digest)
        request = ReadRequest(view)
        hashes = [_hash(text) for text in request.masked]
        self._entries[digest] = _Entry(request.masked_digest, tuple(hashes))
        self._by_masked_digest[request.masked_digest][digest] = None
        for number, message in enumerate(hashes):
            if message not in self._by_message:
                self._by_message[message] = {}
                self._sketches[message] = _sketch(request.texts[number])
                for word in self._sketches[message]:
                    self._by_word[word][message] = None
            self._by_message[message][digest] = None

    def add_description(self, digest: str, text: str) -> None:
        """Add or replace the description of a fixture that has no request."""
        self.remove(digest)
        self._descriptions[digest] = frozenset(words(text))

    def remove(self, digest: str) -> None:
        """Forget a fixture, if it is known."""
        self._descriptions.pop(digest, None)
        entry = self._entries.pop(digest, None)
        if entry is None:
            return
        _discard(self._by_masked_digest, entry.masked_digest, digest)
        for message in set(entry.messages):
            if _discard(self._by_message, message, digest):
                for word in self._sketches.pop(message):
                    _discard(self._by_word, word, message)

    def masked_digest(self, digest: str) -> str | None:
        """The masked digest of the request of a fixture; None if the fixture has no request."""
        entry = self._entries.get(digest)
        return entry.masked_digest if entry is not None else None

    def same_but_volatile(self, masked_digest: str) -> list[str]:
        """The fixtures whose requests have this masked digest, the first added first."""
        return list(self._by_masked_digest.get(masked_digest, ()))

    def likely(self, request: ReadRequest) -> list[str]:
        """The few candidates for the nearest fixture: those that share the most messages and, among
        these, those whose other messages have the most words in common with the rest.
        """
        shared: Counter[str] = Counter()
        common: Counter[str] = Counter()
        for number, message in enumerate(map(_hash, request.masked)):
            if message in self._by_message:
                shared.update(self._by_message[message].keys())
            else:
                for other, part in self._alike(_sketch(request.texts[number])):
                    for digest in self._by_message[other]:
                        common[digest] += part
        candidates = [*shared, *(digest for digest in common if digest not in shared)]
        return nsmallest(_LIKELY, candidates, key=lambda digest: (-shared[digest], -common[digest]))

    def _alike(self, sketch: tuple[int, ...]) -> list[tuple[int, int]]:
        """The messages that have the most words of ``sketch``, with their share in thousandths."""
        counts: Counter[int] = Counter()
        for word in sketch:
            counts.update(self._by_word.get(word, {}).keys())
        return [
            (message, 2000 * count // (len(sketch) + len(self._sketches[message])))
            for message, count in nlargest(_ALIKE, counts.items(), key=itemgetter(1))
        ]

    def described(self, request: RequestView) -> tuple[str, float] | None:
        """The fixture without a request whose description has the largest part of the user's words,
        and that part; None where it is too small.
        """
        user_words = set(words(request.last_user_text))
        if len(user_words) < _GUESS_WORDS:
            return None
        length = sum(map(len, user_words))
        best: tuple[float, str] = (0.0, "")
        for digest, described in self._descriptions.items():
            part = sum(map(len, user_words & described)) / length
            # Among equal ones, the shortest description wins.
            best = max(best, (part - len(described) / 1_000_000, digest))
        return (best[1], best[0]) if best[0] >= _GUESS_THRESHOLD else None


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def _discard(groups: dict[_Key, dict[_Value, None]], key: _Key, value: _Value) -> bool:
    """Remove ``value`` from its group, and an empty group. Return True if it was the last."""
    group = groups[key]
    del group[value]
    if not group:
        del groups[key]
    return not group


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())


def _sketch(text: str) -> tuple[int, ...]:
    """The smallest hashes of a string's words: similar strings have many in common."""
    hashes = {zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words(text))}
    return tuple(nsmallest(_SKETCH, hashes))
