"""The change from one request to another, as a value that can be found in other pairs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple, Self

from workbench.core.requests.differences import Difference, ReadRequest, json_text
from workbench.core.requests.text_differences import changes
from workbench.core.requests.volatile import masked


class ChangedWords(NamedTuple):
    """Words that were replaced; None where a message or a value was added, or is gone."""

    before: str | None
    after: str | None


@dataclass(frozen=True)
class RequestChange:
    """The words that differ in two requests, wherever they are. Dates, ids and other volatile spans
    do not count. A setting such as the model counts as a whole.

    Attributes:
        words: each pair once; none where only volatile spans differ.
    """

    words: tuple[ChangedWords, ...]

    @classmethod
    def of(cls, differing: Iterable[Difference]) -> Self:
        return cls(tuple(dict.fromkeys(chain.from_iterable(map(_words, differing)))))

    @property
    def record(self) -> list[dict[str, str | None]]:
        """The words as a JSON value."""
        return [pair._asdict() for pair in self.words]

    def explains(self, differing: Iterable[Difference], before: ReadRequest) -> bool:
        """True if this change, applied to ``before`` wherever possible, leads to the other request.

        Args:
            differing: the differences from ``before`` to the other request.
        """
        words = RequestChange.of(differing).words
        if not words or not set(words) <= set(self.words):
            return False
        settings = map(json_text, before.view.canonical.settings.values())
        text = "\n".join([*before.texts, *settings])
        others = (other.before for other in self.words if other not in words)
        return all(other and other not in text for other in others)

    def rest(self, request: ReadRequest) -> str:
        """The text of a request without the words of this change: equal for two requests whose
        differences it explains, so that these are found without comparing all with all.
        """
        words = {masked(word) for pair in self.words for word in pair if word and word.strip()}
        text = masked("\n".join(request.texts))
        if words:
            longest_first = sorted(words, key=len, reverse=True)
            text = re.sub("|".join(map(re.escape, longest_first)), "", text)
        return "".join(text.split())


def is_volatile(difference: Difference) -> bool:
    """True if a difference is only volatile text, not a part of the change."""
    return difference.kind is not None and difference.role is not None


def _words(difference: Difference) -> Iterator[ChangedWords]:
    before, after = difference.before_text, difference.after_text
    if is_volatile(difference):
        return
    if difference.role is None:
        yield ChangedWords(before or difference.before, after or difference.after)
    elif not before and not after:
        yield ChangedWords(difference.before, difference.after)
    else:
        for part in changes(before, after, is_joined=False):
            if part.kind is None:
                old = before[part.before_start : part.before_end]
                yield ChangedWords(old, after[part.after_start : part.after_end])
