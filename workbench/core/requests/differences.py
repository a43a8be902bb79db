"""How much two requests are alike, and where they differ: only what the digest counts."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import Any, Final

from workbench.core.apis.chat import request
from workbench.core.apis.chat.request import Payload
from workbench.core.digest import canonical_messages
from workbench.core.inert import excerpt, visible_blanks
from workbench.core.requests.text_differences import WORD, changes, compared
from workbench.core.requests.volatile import combined_digest, masked_message
from workbench.core.requests.volatile_kinds import Kind

# Deeper values are compared as their JSON text.
_MOST_DEPTH: Final = 30
# Of a message no more is read to tell how much it is like another.
_READ_CHARACTERS: Final = 100_000
# What model and tool_choice weigh, each; messages weigh 2 (one character) to 11 (a thousand).
_SETTING_WEIGHT: Final = 0.5
# What a program says to every model tells less than what it asks.
_INSTRUCTION_ROLES: Final = frozenset({"system", "developer"})
_INSTRUCTION_PART: Final = 0.5
_SETTINGS: Final = ("model", "tool_choice")
_MESSAGE_KEYS: Final = ("role", "content", "name", "tool_call_id", "tool_calls")
# The values by which a request ties results to calls: volatile whatever they look like.
_ID_KEYS: Final = frozenset({"id", "tool_call_id"})
_ABSENT: Final = object()

Pair = tuple[int | None, int | None]
"""The numbers of two messages that stand for each other; None where one has no counterpart."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two requests differ.

    Attributes:
        where: as ``messages[0].content`` or ``model``; the number is the one in ``after``, and of a
            message that is gone the one in ``before``.
        role: of the message.
        before, after: what stands there: of texts the part that changed, of other values their
            JSON; None where there is nothing.
        before_start, after_start: where the part begins in the text at ``where``, in characters.
        kind: what both are, where only something volatile changed.
        before_text, after_text: the whole texts, of which these are parts; "" where they are none.
    """

    where: str
    role: str | None
    before: str | None
    after: str | None
    before_start: int = 0
    after_start: int = 0
    kind: Kind | None = None
    before_text: str = field(default="", repr=False)
    after_text: str = field(default="", repr=False)

    @property
    def is_blank(self) -> bool:
        """Whether the two sides are texts that differ in white space alone."""
        before, after = self.before, self.after
        return before is not None and after is not None and before.split() == after.split()

    def sides(self, width: int) -> tuple[str, str]:
        """What stands before and after, each on one line of at most ``width`` characters; white
        space is to be seen where nothing else differs.
        """
        shown = visible_blanks if self.is_blank else excerpt
        before, after = (
            "nothing" if text is None else shown(text, width) or '""'
            for text in (self.before, self.after)
        )
        return before, after


@dataclass(frozen=True)
class ReadRequest:
    """A request as it is compared."""

    payload: Payload

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        return canonical_messages(self.payload.get("messages"))

    @cached_property
    def places(self) -> list[int]:
        """Where each of ``messages`` stands in the payload's list."""
        given = self.payload.get("messages")
        listed = given if isinstance(given, list) else []
        return [place for place, message in enumerate(listed) if isinstance(message, dict)]

    @cached_property
    def masked(self) -> list[str]:
        """The masked text of each message. Raises RequestError."""
        return [masked_message(message) for message in self.messages]

    @cached_property
    def texts(self) -> list[str]:
        """What each message says: its text, the calls it makes."""
        return ["\n".join(_strings(m["content"], m.get("tool_calls"))) for m in self.messages]

    @cached_property
    def masked_digest(self) -> str:
        """Raises RequestError."""
        return combined_digest(self.payload, self.masked)

    def role(self, number: int) -> str:
        role = self.messages[number].get("role")
        return role if isinstance(role, str) else "?"

    def weight(self, number: int) -> float:
        """How much message ``number`` counts: long ones more, but not as much more as long."""
        weight = 1 + math.log2(1 + len(self.texts[number]))
        return weight * (_INSTRUCTION_PART if self.role(number) in _INSTRUCTION_ROLES else 1)


def pairs(before: ReadRequest, after: ReadRequest) -> list[Pair]:
    """The messages of two requests side by side, in order."""
    found: list[Pair] = []
    for _, b1, b2, a1, a2 in compared(before.masked, after.masked):
        found += zip_longest(range(b1, b2), range(a1, a2))
    return found


def shared_messages(before: ReadRequest, after: ReadRequest) -> int:
    """How many messages are the same but for what is volatile."""
    return (Counter(before.masked) & Counter(after.masked)).total()


def likeness(before: ReadRequest, after: ReadRequest) -> float:
    """How much two requests are alike: 0 is not at all, 1 is but for volatile spans the same.

    The part of their weight that they share. Messages that stand for each other share as much of
    it as their words are the same.
    """
    shared = total = 0.0
    for key in _SETTINGS:
        total += 2 * _SETTING_WEIGHT
        shared += 2 * _SETTING_WEIGHT * (before.payload.get(key) == after.payload.get(key))
    for b, a in pairs(before, after):
        weight = (0 if b is None else before.weight(b)) + (0 if a is None else after.weight(a))
        total += weight
        if b is not None and a is not None and before.role(b) == after.role(a):
            is_same = before.masked[b] == after.masked[a]
            shared += weight * (is_same or text_likeness(before.texts[b], after.texts[a]))
    return shared / total


def text_likeness(before: str, after: str) -> float:
    """Which part of the characters of two texts stands in words that both have, 0 to 1."""
    one, other = Counter(words(before)), Counter(words(after))
    length = _length(one) + _length(other)
    return 2 * _length(one & other) / length if length else 0.0


def words(text: str) -> list[str]:
    """The words by which a text is told from others; of a very long one those it begins with."""
    return WORD.findall(text[:_READ_CHARACTERS].casefold())


def _strings(*values: Any) -> Iterator[str]:
    """All strings in ``values`` that are no ids, however deep."""
    waiting = list(reversed(values))
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict):
            waiting += [value[key] for key in reversed(value) if key not in _ID_KEYS | {"type"}]


def _length(counted: Counter[str]) -> int:
    return sum(len(word) * count for word, count in counted.items())


def differences(
    before: ReadRequest, after: ReadRequest, *, one_by_one: bool = False
) -> tuple[Difference, ...]:
    """Where two requests differ, in the order of their messages; model and tool_choice last.

    Args:
        one_by_one: they have as many messages, and each stands for the one in its place.
    """
    found: list[Difference] = []
    aligned = [(n, n) for n in range(len(after.messages))] if one_by_one else pairs(before, after)
    for b, a in aligned:
        found += _message_differences(before, b, after, a)
    for key in _SETTINGS:
        found += _value_differences(key, None, before.payload.get(key), after.payload.get(key))
    return tuple(found)


def _message_differences(
    before: ReadRequest, b: int | None, after: ReadRequest, a: int | None
) -> Iterator[Difference]:
    if a is None:
        if b is not None:
            where = f"messages[{before.places[b]}]"
            yield Difference(where, before.role(b), _said(before.messages[b]), None)
        return
    where, role = f"messages[{after.places[a]}]", after.role(a)
    if b is None:
        yield Difference(where, role, None, _said(after.messages[a]))
        return
    old, new = before.messages[b], after.messages[a]
    if old != new:
        yield from _value_differences(where, role, old, new)


def _said(message: Mapping[str, Any]) -> str:
    """What stands where another request has no message: its text and the calls it makes."""
    [read] = request.messages({"messages": [message]})
    calls = [f"calls {call.name}({call.arguments})" for call in read.tool_calls]
    return "\n".join([part.text for part in read.parts if part.text] + calls)


def _value_differences(
    where: str, role: str | None, old: Any, new: Any, depth: int = 0
) -> Iterator[Difference]:
    if isinstance(old, str) and isinstance(new, str):
        if old != new and where.rpartition(".")[2] in _ID_KEYS:
            yield Difference(where, role, old, new, kind="call-id", before_text=old, after_text=new)
            return
        for change in changes(old, new) if old != new else ():
            yield Difference(
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
    elif isinstance(old, dict) and isinstance(new, dict) and depth < _MOST_DEPTH:
        for key in sorted({**old, **new}, key=_key_order):
            inner = old.get(key, _ABSENT), new.get(key, _ABSENT)
            yield from _value_differences(f"{where}.{key}", role, *inner, depth + 1)
    elif isinstance(old, list) and isinstance(new, list) and depth < _MOST_DEPTH:
        for index, inner in enumerate(zip_longest(old, new, fillvalue=_ABSENT)):
            yield from _value_differences(f"{where}[{index}]", role, *inner, depth + 1)
    elif old is not new and (texts := (_text(old), _text(new)))[0] != texts[1]:
        yield Difference(where, role, *texts)


def _key_order(key: str) -> int:
    return _MESSAGE_KEYS.index(key) if key in _MESSAGE_KEYS else len(_MESSAGE_KEYS)


def _text(value: object) -> str | None:
    if value is _ABSENT:
        return None
    return value if isinstance(value, str) else _json(value)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def volatile_kinds(found: Sequence[Difference]) -> tuple[Kind, ...] | None:
    """The kinds of all differences, each once; None where one is of no kind."""
    kinds = dict.fromkeys(difference.kind for difference in found)
    return None if None in kinds else tuple(kind for kind in kinds if kind is not None)
