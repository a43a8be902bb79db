"""How alike two requests are, and where they differ: in what the digest counts, else in tools."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final

from workbench.core.digest import ID_KEYS
from workbench.core.json.divergence import MISSING, side_by_side
from workbench.core.requests.equivalence import message_form
from workbench.core.requests.messages import INSTRUCTION_ROLES, Message
from workbench.core.requests.text_differences import WORD, Change, changes, compared
from workbench.core.requests.view import RequestView
from workbench.core.requests.volatile import VolatileKind, masked_digest, masked_message
from workbench.core.text.inert import excerpt, visible_blanks

# How much of a message is read to compare it with others.
_READ_CHARACTERS: Final = 100_000
# The weight of each setting; messages weigh 2 (one character) to 11 (a thousand).
_SETTING_WEIGHT: Final = 0.5
# Instructions count less than questions.
_INSTRUCTION_PART: Final = 0.5

# Where words around a difference are looked for, in characters on each side of it.
_AROUND: Final = 24
_WORDS_BEFORE: Final = re.compile(r"\S+\s*")
_WORDS_AFTER: Final = re.compile(r"\s*\S+")

Pair = tuple[int | None, int | None]
"""The numbers of two messages that correspond; None where one has no counterpart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two requests differ.

    Attributes:
        where: path such as ``messages[0].content`` or ``model`` in the request ``after``; for a
            removed message, in the request ``before``.
        before, after: the two values: for strings the part that changed, for other values their
            JSON; None if there is no value.
        before_start, after_start: start of the part in the string at ``where``, in characters.
        kind: the kind of volatile text, if only volatile text changed.
        before_text, after_text: the whole strings; "" for other values.
    """

    where: str
    role: str | None
    before: str | None
    after: str | None
    before_start: int = 0
    after_start: int = 0
    kind: VolatileKind | None = None
    before_text: str = ""
    after_text: str = ""

    @property
    def is_blank(self) -> bool:
        """True if both are strings that differ only in white space."""
        before, after = self.before, self.after
        return before is not None and after is not None and before.split() == after.split()

    def sides(self, width: int) -> tuple[str, str]:
        """The two values, each on one line of at most ``width`` characters: changed words with the
        words around them, and white space made visible where nothing else differs.
        """
        before, after, shown = self.before, self.after, excerpt
        if self.is_blank:
            shown = visible_blanks
        elif self.kind is None:
            before = _with_words_around(before, self.before_text, self.before_start)
            after = _with_words_around(after, self.after_text, self.after_start)
        before_side, after_side = (
            "nothing" if text is None else shown(text, width) or '""' for text in (before, after)
        )
        return before_side, after_side


def _with_words_around(part: str | None, text: str, start: int) -> str | None:
    """A part of ``text`` with up to two words on each side; for a value that is not a string, the
    value.
    """
    if part is None or not text:
        return part
    ahead, behind = text[:start].lstrip(), text[start + len(part) :].rstrip()
    head = "".join(_WORDS_BEFORE.findall(ahead[-_AROUND:])[-2:])
    tail = "".join(_WORDS_AFTER.findall(behind[:_AROUND])[:2])
    return f"{'…' * (head != ahead)}{head}{part}{tail}{'…' * (tail != behind)}"


@dataclass(frozen=True)
class ReadRequest:
    """A request prepared for comparison; its messages are known by their numbers."""

    view: RequestView

    @property
    def messages(self) -> list[Message]:
        return self.view.messages

    @cached_property
    def forms(self) -> list[dict[str, Any]]:
        """Each message as all equivalent ones would be written: one that echoes a reply does not
        count as changed.
        """
        return [message_form(message) or message for message in self.view.canonical.messages]

    @cached_property
    def masked(self) -> list[str]:
        """The masked text of each message. Raises RequestError."""
        return [masked_message(message) for message in self.forms]

    @cached_property
    def texts(self) -> list[str]:
        """The text and the calls of each message."""
        return [
            "\n".join(
                [
                    *(part.text for part in message.parts),
                    *(text for call in message.tool_calls for text in (call.name, call.arguments)),
                ]
            )
            for message in self.messages
        ]

    @cached_property
    def masked_digest(self) -> str:
        """Raises RequestError."""
        return masked_digest(self.view, self.masked)

    def role(self, number: int) -> str:
        return self.messages[number].role

    def weight(self, number: int) -> float:
        """How much message ``number`` counts: it grows with the logarithm of its length."""
        weight = 1 + math.log2(1 + len(self.texts[number]))
        return weight * (_INSTRUCTION_PART if self.role(number) in INSTRUCTION_ROLES else 1)


def pairs(before: ReadRequest, after: ReadRequest) -> list[Pair]:
    """The messages of two requests side by side, in order."""
    numbers: list[Pair] = []
    for _, b1, b2, a1, a2 in compared(before.masked, after.masked):
        numbers += zip_longest(range(b1, b2), range(a1, a2))
    return numbers


def shared_messages(before: ReadRequest, after: ReadRequest) -> int:
    """How many messages are the same except for volatile spans."""
    return (Counter(before.masked) & Counter(after.masked)).total()


def likeness(before: ReadRequest, after: ReadRequest) -> float:
    """How alike two requests are: 0 is not at all, 1 is the same except for volatile spans.

    The part of their weight that they share. Messages that correspond share as much of their
    weight as they have words in common.
    """
    shared = total = 0.0
    settings = after.view.canonical.settings
    for key, value in before.view.canonical.settings.items():
        total += 2 * _SETTING_WEIGHT
        shared += 2 * _SETTING_WEIGHT * (value == settings[key])
    for b, a in pairs(before, after):
        weight = (0 if b is None else before.weight(b)) + (0 if a is None else after.weight(a))
        total += weight
        if b is not None and a is not None and before.role(b) == after.role(a):
            is_same = before.masked[b] == after.masked[a]
            shared += weight * (is_same or text_likeness(before.texts[b], after.texts[a]))
    return shared / total


def text_likeness(before: str, after: str) -> float:
    """The fraction of the characters of two strings in words that both contain, 0 to 1."""
    old, new = Counter(words(before)), Counter(words(after))
    length = _length(old) + _length(new)
    return 2 * _length(old & new) / length if length else 0.0


def words(text: str) -> list[str]:
    """The words by which strings are compared; for a very long string the first ones."""
    return re.findall(WORD, text[:_READ_CHARACTERS].casefold())


def _length(counted: Counter[str]) -> int:
    return sum(len(word) * count for word, count in counted.items())


def differences(
    before: ReadRequest, after: ReadRequest, *, one_by_one: bool = False
) -> tuple[Difference, ...]:
    """Where two requests differ, in the order of their messages; the settings last. Requests with
    the same number of messages may be compared one by one. How they are written counts only if
    nothing else differs, and then the tools and the output format, which the digest leaves out.
    """
    changed: list[Difference] = []
    settings = after.view.canonical.settings
    are_equivalent = before.forms == after.forms and before.view.canonical.settings == settings
    aligned = [(n, n) for n in range(len(after.messages))] if one_by_one else pairs(before, after)
    for b, a in aligned:
        if b is None or a is None:
            changed += _unpaired(before, b, after, a)
        elif are_equivalent or before.forms[b] != after.forms[a]:
            changed += _message_differences(before, b, after, a, as_written=are_equivalent)
    for key, value in before.view.canonical.settings.items():
        changed += _value_differences(key, None, value, settings[key])
    if not changed:
        changed += _value_differences("", None, before.view.demands, after.view.demands)
    return tuple(changed)


def _message_differences(
    before: ReadRequest, b: int, after: ReadRequest, a: int, *, as_written: bool
) -> Iterator[Difference]:
    old, new = before.view.canonical.messages[b], after.view.canonical.messages[a]
    if not as_written:
        contents = old["content"], new["content"]
        old, new = before.forms[b], after.forms[a]
        if isinstance(contents[0], list) and isinstance(contents[1], list):
            # By their parts: the form of a single text has none.
            old, new = old | {"content": contents[0]}, new | {"content": contents[1]}
    message = after.messages[a]
    yield from _value_differences(message.where, message.role, old, new)


def _unpaired(
    before: ReadRequest, b: int | None, after: ReadRequest, a: int | None
) -> Iterator[Difference]:
    """A message that only one of two requests has."""
    if b is not None:
        gone = before.messages[b]
        yield Difference(gone.where, gone.role, _summary(gone), None)
    elif a is not None:
        added = after.messages[a]
        yield Difference(added.where, added.role, None, _summary(added))


def _summary(message: Message) -> str:
    """The text of a message and the calls it makes."""
    calls = [f"calls {call.name}({call.arguments})" for call in message.tool_calls]
    return "\n".join([part.text for part in message.parts if part.text] + calls)


def _value_differences(
    where: str, role: str | None, before: Any, after: Any
) -> Iterator[Difference]:
    for place, old, new in side_by_side(before, after, where):
        if not (isinstance(old, str) and isinstance(new, str)):
            texts = _text(old), _text(new)
            if texts[0] != texts[1]:
                yield Difference(place, role, *texts)
        elif old != new and place.rpartition(".")[2] in ID_KEYS:
            yield Difference(place, role, old, new, kind="call-id", before_text=old, after_text=new)
        elif old != new:
            yield from (_changed(place, role, old, new, change) for change in changes(old, new))


def _changed(where: str, role: str | None, old: str, new: str, change: Change) -> Difference:
    return Difference(
        where,
        role,
        old[change.before_start : change.before_end],
        new[change.after_start : change.after_end],
        change.before_start,
        change.after_start,
        change.kind,
        before_text=old,
        after_text=new,
    )


def _text(value: object) -> str | None:
    return None if value is MISSING else json_text(value)


def json_text(value: object) -> str:
    """A value as shown in differences: a string unchanged, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def volatile_kinds(differing: Sequence[Difference]) -> tuple[VolatileKind, ...] | None:
    """The kinds of all differences, each once; None where one is not volatile."""
    kinds = dict.fromkeys(difference.kind for difference in differing)
    return None if None in kinds else tuple(kind for kind in kinds if kind is not None)
