"""The fixture whose request differs least from a request, among many, and in what it differs."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from heapq import nsmallest
from typing import Final, TypeVar

from workbench.core import requests
from workbench.core.inert import excerpt
from workbench.core.requestdiff import (
    Difference,
    ReadRequest,
    differences,
    likeness,
    shared_messages,
    volatile_kinds,
    words,
)
from workbench.core.requests import Payload
from workbench.core.volatile import Kind

# Requests less alike than this have nothing to do with each other.
THRESHOLD: Final = 0.55
# Of so many that may be the nearest the requests are read and compared.
_COMPARED: Final = 12
# A text is looked up by so many of its words: those whose hashes are the smallest.
_SKETCH: Final = 32
# A description suggests a fixture that names this part of what the user said.
_GUESS_THRESHOLD: Final = 0.75
_GUESS_WORDS: Final = 2
_QUOTED: Final = 60
# What is not the same on another day is not 1.
_ALMOST: Final = 0.99

RequestOf = Callable[[str], Payload | None]
"""Gives the request stored in the fixture of a digest; None where there is none any more."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The fixture that is nearest to a request.

    Attributes:
        digest: of the fixture.
        same_but_volatile: nothing differs but dates, ids and the like: the same request on another
            day.
        score: how much the two are alike, up to 1, which is the same on another day.
        differences: where they differ, from the fixture's request to this one.
        shared, messages: how many of this request's messages the fixture's request has, too.
        others: fixtures that are the same request on another day, too.
        is_guess: the fixture holds no request, and its description suggests it.
    """

    digest: str
    same_but_volatile: bool
    score: float
    differences: tuple[Difference, ...] = ()
    shared: int = 0
    messages: int = 0
    others: tuple[str, ...] = ()
    is_guess: bool = False

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is masked where these two are the same request on another day."""
        return volatile_kinds(self.differences) or () if self.same_but_volatile else ()


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

    def __contains__(self, digest: object) -> bool:
        return digest in self._entries

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
        found.sort(key=lambda digest: (-shared[digest], -common[digest]))
        return found[:_COMPARED]

    def _alike(self, sketch: tuple[int, ...]) -> list[tuple[int, int]]:
        """The messages that have the most words of ``sketch``, with how many of 1000 they share."""
        counts: Counter[int] = Counter()
        for word in sketch:
            counts.update(self._by_word.get(word, {}).keys())
        return [
            (message, 2000 * count // (len(sketch) + len(self._sketches[message])))
            for message, count in counts.items()
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


def find_nearest(
    digest: str,
    payload: Payload,
    index: RequestIndex,
    request_of: RequestOf,
    *,
    is_beside: Callable[[str], bool] | None = None,
) -> Nearest | None:
    """The fixture nearest to a request; None where none has anything to do with it.

    Args:
        digest: of the request; its own fixture is not what is looked for.
        request_of: asked for the few requests that may be the nearest.
        is_beside: tells of a fixture whether it was requested in the same suite run. What is
            requested side by side is not the same request on two days.

    Raises:
        RequestError: the request is nested too deeply.
    """
    request = ReadRequest(payload)
    same = _same(digest, request, index, request_of, is_beside)
    if same:
        return same[0]
    found: list[tuple[int, float, ReadRequest, str]] = []
    for other in index.likely(request):
        stored = request_of(other) if other != digest else None
        if stored is not None:
            read = ReadRequest(stored)
            score = likeness(read, request)
            if score >= THRESHOLD:
                found.append((shared_messages(read, request), score, read, other))
    if not found:
        return _guess(digest, payload, index)
    shared, score, read, other = max(found, key=lambda one: one[:2])
    return Nearest(
        other,
        False,
        min(score, _ALMOST),
        differences(read, request),
        shared=shared,
        messages=len(request.messages),
    )


def find_same(
    digest: str,
    payload: Payload,
    index: RequestIndex,
    request_of: RequestOf,
    *,
    is_beside: Callable[[str], bool] | None = None,
) -> list[Nearest]:
    """The fixtures whose request is this one on another day, those with the fewest differences
    first. Arguments and errors as ``find_nearest``.
    """
    return _same(digest, ReadRequest(payload), index, request_of, is_beside)


def _same(
    digest: str,
    request: ReadRequest,
    index: RequestIndex,
    request_of: RequestOf,
    is_beside: Callable[[str], bool] | None,
) -> list[Nearest]:
    stored = {
        other: ReadRequest(found)
        for other in index.same_but_volatile(request.masked_digest)
        if other != digest and not (is_beside and is_beside(other))
        if (found := request_of(other)) is not None
    }
    count = len(request.messages)
    same = [
        Nearest(
            other,
            True,
            1.0,
            differences(read, request),
            shared=count,
            messages=count,
            others=tuple(one for one in stored if one != other),
        )
        for other, read in stored.items()
    ]
    return sorted(same, key=lambda nearest: len(nearest.differences))


def _guess(digest: str, payload: Payload, index: RequestIndex) -> Nearest | None:
    described = index.described(payload)
    if described is None or described[0] == digest:
        return None
    return Nearest(described[0], False, min(described[1], _ALMOST), is_guess=True)


def sentence(digest: str, nearest: Nearest | None) -> str:
    """Why a request is a miss, in a line: its digest, the nearest fixture, the first difference."""
    start = f"No fixture for {digest}."
    if nearest is None:
        return f"{start} No fixture is like it."
    if nearest.is_guess:
        return f"{start} Perhaps {nearest.digest} was meant for it, by its description."
    known = (
        f"{nearest.digest} is the same request on another day"
        if nearest.same_but_volatile
        else f"The nearest is {nearest.digest} ({nearest.score:.2f})"
    )
    if not nearest.differences:
        return f"{start} {known}."
    more = len(nearest.differences) - 1
    behind = f", and {more} more {'difference' if more == 1 else 'differences'}" if more else ""
    return f"{start} {known}: {describe(nearest.differences[0])}{behind}."


def describe(difference: Difference) -> str:
    """``messages[0] system: 2026-11-19 -> 2026-11-20``; long texts cut short."""
    where = difference.where.removesuffix(".content")
    if difference.role is not None:
        where += f" {excerpt(difference.role, _QUOTED)}"
    before, after = (
        "nothing" if text is None else excerpt(text, _QUOTED) or '""'
        for text in (difference.before, difference.after)
    )
    return f"{where}: {before} -> {after}"
