"""The fixture whose request differs least from a request, and where they differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from workbench.core.requests.differences import (
    Difference,
    ReadRequest,
    differences,
    likeness,
    shared_messages,
    volatile_kinds,
)
from workbench.core.requests.index import RequestIndex
from workbench.core.requests.messages import INSTRUCTION_ROLES
from workbench.core.requests.view import RequestView
from workbench.core.requests.volatile import VolatileKind, in_words
from workbench.core.text.digests import short
from workbench.core.text.inert import excerpt

# Requests less alike than this have nothing to do with each other.
THRESHOLD: Final = 0.55
_QUOTED: Final = 60
# Of hundreds of fixtures that differ in an id alone, so many are read and compared.
_MOST_SAME: Final = 8
# The highest score of requests that are not the same but for volatile text.
_ALMOST: Final = 0.99

RequestOf = Callable[[str], RequestView | None]
"""Gives the request stored in the fixture of a name; None where it has none any more."""


class Nearest(NamedTuple):
    """The fixture that is nearest to a request.

    Attributes:
        name: name of the fixture.
        same_but_volatile: only text differs that changes from run to run, such as dates and ids.
        score: similarity; 1 means equal except for such text.
        differences: differences from the fixture's request to this one.
        shared, messages: how many of this request's messages the fixture's request has, and how
            many there are.
        others: a few further fixtures whose requests differ only in such text.
        is_guess: the fixture has no request, and its description suggests it.
        is_equivalent: the two requests are equivalent, so the fixture answers the request.
    """

    name: str
    same_but_volatile: bool
    score: float
    differences: tuple[Difference, ...] = ()
    shared: int = 0
    messages: int = 0
    others: tuple[str, ...] = ()
    is_guess: bool = False
    is_equivalent: bool = False

    @property
    def echoed_profile(self) -> str:
        """The profile of the earlier replies in this request, if an equivalent request differs only
        in the profile of its earlier replies. Else "".
        """
        names = {_echoed_profile(difference) for difference in self.differences}
        return names.pop() if self.is_equivalent and len(names) == 1 else ""

    @property
    def is_edited(self) -> bool:
        """True if only settings and instructions differ, besides volatile text: the program was
        edited, and the conversation is the same.
        """
        edited = [d for d in self.differences if d.kind is None]
        return bool(edited) and all(d.role is None or d.role in INSTRUCTION_ROLES for d in edited)

    @property
    def is_older(self) -> bool:
        """Whether its request seems to be an older form of the other one, so that its answer may
        still fit: only volatile text differs, or the program was edited.
        """
        return self.same_but_volatile or self.is_edited

    @property
    def kinds(self) -> tuple[VolatileKind, ...]:
        """The kinds of volatile text, if the two requests differ in nothing else."""
        return volatile_kinds(self.differences) or () if self.same_but_volatile else ()

    @property
    def same_but_for(self) -> str:
        """``the same request but for a date``, if only such text differs."""
        return f"the same request but for {in_words(self.kinds)}"


def _echoed_profile(difference: Difference) -> str:
    """The profile that sends a reply with tool calls in the form ``after``, if the other profile
    sends it in the form ``before``: with content "" and an index, or with content null and no
    index.
    """
    key = difference.where.rpartition(".")[2]
    before, after = difference.before, difference.after
    if difference.role != "assistant":
        return ""
    if key == "content" and {before, after} == {"", "null"}:
        return "stub" if after == "" else "openai"
    if key == "index" and (before is None) != (after is None):
        return "openai" if after is None else "stub"
    return ""


def find_nearest(
    digest: str,
    request: ReadRequest,
    index: RequestIndex,
    request_of: RequestOf,
    *,
    in_same_run: Callable[[str], bool] | None = None,
) -> Nearest | None:
    """The fixture nearest to a request, or None if none is similar.

    Args:
        digest: digest of the request; its own fixture is excluded.
        request_of: called for the few requests that may be the nearest.
        in_same_run: returns True if a fixture was requested in the same suite run: two requests of
            one run are not the same request on two days.

    Raises:
        RequestError: the request is nested too deeply.
    """
    same = find_same(digest, request, index, request_of, in_same_run=in_same_run, most=_MOST_SAME)
    if same:
        return same[0]._replace(others=tuple(other.name for other in same[1:]))
    alike: list[tuple[int, float, ReadRequest, str]] = []
    for other in index.likely(request):
        stored = request_of(other) if other != digest else None
        if stored is not None:
            read = ReadRequest(stored)
            score = likeness(read, request)
            if score >= THRESHOLD:
                alike.append((shared_messages(read, request), score, read, other))
    if not alike:
        described = index.described(request.view)
        if described is None or described[0] == digest:
            return None
        return Nearest(described[0], False, min(described[1], _ALMOST), is_guess=True)
    shared, score, read, other = max(alike, key=lambda candidate: candidate[:2])
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
    request: ReadRequest,
    index: RequestIndex,
    request_of: RequestOf,
    *,
    in_same_run: Callable[[str], bool] | None = None,
    most: int | None = None,
) -> list[Nearest]:
    """The fixtures whose request is this one but for volatile text, the fewest differences first.
    Arguments and errors as ``find_nearest``.

    Args:
        most: how many to look for; None: all.
    """
    count = len(request.messages)
    same: list[Nearest] = []
    for other in index.same_but_volatile(request.masked_digest):
        if other == digest or (in_same_run and in_same_run(other)):
            continue
        stored = request_of(other)
        if stored is None or stored.digest == digest:  # the same prompt, for other tools
            continue
        differ = _volatile_differences(ReadRequest(stored), request)
        if differ is not None:
            same.append(Nearest(other, True, 1.0, differ, shared=count, messages=count))
        if len(same) == most:
            break
    return sorted(same, key=lambda nearest: len(nearest.differences))


def _volatile_differences(before: ReadRequest, after: ReadRequest) -> tuple[Difference, ...] | None:
    """Where two requests differ that had the same masked digest when ``before`` was indexed; None
    where its file has another request now.
    """
    if len(before.messages) != len(after.messages):
        return None
    differing = differences(before, after, one_by_one=True)
    # Masking takes long: only where the differences leave a doubt.
    if volatile_kinds(differing) is None and before.masked_digest != after.masked_digest:
        return None
    return differing


def comparison(nearest: Nearest | None) -> str:
    """The nearest fixture and the first difference, in a sentence."""
    if nearest is None:
        return "No similar fixture."
    name = _short(nearest.name)
    if nearest.is_guess:
        return f"Fixture {name} has a description that fits this request."
    which = (
        f"Fixture {name} is {nearest.same_but_for}"
        if nearest.same_but_volatile
        else f"The nearest fixture is {name} ({nearest.score:.2f})"
    )
    if not nearest.differences and not nearest.same_but_volatile:
        return f"Fixture {name} stores this request, but its file is named after another one."
    if not nearest.differences:
        return f"{which}."
    more = len(nearest.differences) - 1
    behind = f", and {more} more {'difference' if more == 1 else 'differences'}" if more else ""
    return f"{which}: {describe(nearest.differences[0])}{behind}."


def _short(name: str) -> str:
    """The first digits of the name of a fixture, with its variant if it has one."""
    digest, dot, variant = name.partition(".")
    return f"{short(digest)}….{variant}" if dot else short(digest)


def describe(difference: Difference, arrow: str = "->") -> str:
    """``messages[0] system: 2026-11-19 -> 2026-11-20``, or which request lacks the place. Long text
    is cut, and white space is made visible if nothing else differs.
    """
    where = difference.where.removesuffix(".content")
    if difference.role is not None:
        where += f" {excerpt(difference.role, _QUOTED)}"
    before, after = difference.sides(_QUOTED)
    if difference.before is None:
        return f"{where} is not in the fixture's request: {after}"
    if difference.after is None:
        return f"{where} is only in the fixture's request: {before}"
    return f"{where}: {before} {arrow} {after}"
