"""Stored requests, to be found by what they share with another request."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter, defaultdict
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from operator import itemgetter
from typing import Final, TypeVar

from workbench.core.apis.chat import request as requests
from workbench.core.apis.chat.request import Payload
from workbench.core.requests.differences import ReadRequest, words

# Of so many that may be the nearest the requests are read and compared.
_LIKELY: Final = 8
# Of so many messages that have words in common with one the likeness is asked.
_ALIKE: Final = 200
# A text is looked up by so many of its words: those whose hashes are the smallest.
_SKETCH: Final = 32
# A description suggests a fixture that names this part of what the user said.
_GUESS_THRESHOLD: Final = 0.75
_GUESS_WORDS: Final = 2


@dataclass(frozen=True, slots=True)
class _Entry:
    """What the index keeps of one fixture."""

    masked_digest: str
    messages: tuple[int, ...]


class RequestIndex:
    """The requests of fixtures, to be found by what they share with another request.

    Holds hashes, not texts. Messages are kept once, however many requests have them.
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

    def add(self, digest: str, payload: Payload) -> None:
        """Take in the request of a fixture, instead of the one known. Raises RequestError."""
        self.remove(digest)
        request = ReadRequest(payload)
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
        """Take in a fixture that holds no request: ``text`` is what it says of itself."""
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
        """The masked digest of the request of a fixture; None where it holds none."""
        entry = self._entries.get(digest)
        return entry.masked_digest if entry is not None else None

    def same_but_volatile(self, masked_digest: str) -> list[str]:
        """The fixtures whose requests have this masked digest, those known longest first."""
        return list(self._by_masked_digest.get(masked_digest, ()))

    def likely(self, request: ReadRequest) -> list[str]:
        """A few fixtures among which the nearest is: those that share the most messages, and of
        these the ones whose other messages have the most words in common with the rest.
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
        found = [*shared, *(digest for digest in common if digest not in shared)]
        return nsmallest(_LIKELY, found, key=lambda digest: (-shared[digest], -common[digest]))

    def _alike(self, sketch: tuple[int, ...]) -> list[tuple[int, int]]:
        """The messages that have the most words of ``sketch``, with how many of 1000 they share."""
        counts: Counter[int] = Counter()
        for word in sketch:
            counts.update(self._by_word.get(word, {}).keys())
        return [
            (message, 2000 * count // (len(sketch) + len(self._sketches[message])))
            for message, count in nlargest(_ALIKE, counts.items(), key=itemgetter(1))
        ]

    def described(self, payload: Payload) -> tuple[str, float] | None:
        """The fixture without a request whose description says the most of what the user said, and
        which part of it; None where none says enough.
        """
        said = set(words(requests.last_user_text(payload)))
        length = sum(map(len, said))
        best: tuple[float, str] = (0.0, "")
        for digest, described in self._descriptions.items() if len(said) >= _GUESS_WORDS else ():
            part = sum(map(len, said & described)) / length
            # Of those that say as much, the one that says least besides.
            best = max(best, (part - len(described) / 1_000_000, digest))
        return (best[1], best[0]) if best[0] >= _GUESS_THRESHOLD else None


_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


def _discard(groups: dict[_Key, dict[_Value, None]], key: _Key, value: _Value) -> bool:
    """Take ``value`` out of its group; returns whether it was the last, and the group is gone."""
    group = groups[key]
    del group[value]
    if not group:
        del groups[key]
    return not group


def _hash(text: str) -> int:
    data = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())


def _sketch(text: str) -> tuple[int, ...]:
    """Some of the words of a text, by their hashes: the same ones of texts that are alike."""
    hashes = {zlib.crc32(word.encode("utf-8", "surrogatepass")) for word in set(words(text))}
    return tuple(nsmallest(_SKETCH, hashes))
