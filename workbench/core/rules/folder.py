"""Rules about the fixtures of a folder together: which are the same, which nobody asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple, Self

from workbench.core.digest import is_digest, short
from workbench.core.rules.model import folder_rule
from workbench.core.rules.subject import SUFFIX, Subject
from workbench.core.rules.wording import counted, quoted
from workbench.core.usage import Usage


class Outline(NamedTuple):
    """What these rules need of one fixture.

    Attributes:
        request: the digest of the request it stores, if it does.
        masked: the same without what is volatile in it.
        allowed: names of the rules it may break.
    """

    request: str | None = None
    masked: str | None = None
    allowed: frozenset[str] = frozenset()

    @classmethod
    def of(cls, subject: Subject) -> Self:
        stored = subject.stored_digest
        request = stored if isinstance(stored, str) else None
        return cls(request, subject.masked_digest, subject.allowed)


@dataclass(frozen=True, slots=True)
class Folder:
    """Fixtures together, by the names of their files.

    Attributes:
        usage: what logs say of them; None where no log was read.
    """

    outlines: Mapping[str, Outline]
    usage: Usage | None = None


@folder_rule(
    "unused-fixture",
    "info",
    "no request in the logs asked for this fixture",
    "With --log, fixtures that no request of these logs asked for are named. The message says "
    "since when it has looked: a log of a few tests says little about the fixtures of the others. "
    "Only the log of workbench serve names the fixtures that were served.",
)
def unused_fixture(folder: Folder) -> Iterator[tuple[str, str]]:
    usage = folder.usage
    if usage is None or not usage.tells_hits:
        return
    since = usage.since or "the log began"
    looked = f"{counted(usage.runs, 'run')}, {counted(usage.requests, 'request')}"
    for name in folder.outlines:
        digest = name.removesuffix(SUFFIX)
        if is_digest(digest) and digest not in usage.asked:
            yield name, f"not asked for since {since} ({looked})"


@folder_rule(
    "duplicate-request",
    "info",
    "another fixture stores the same request",
    "Two fixtures store one request, so one of them was copied or renamed, and the server uses at "
    "most one; or requests that differ only in what changes from run to run (a date, an id), and "
    "the older one is probably never asked for again. Delete it, or re-key it.",
)
def duplicate_request(folder: Folder) -> Iterator[tuple[str, str]]:
    for names in _alike(folder, attrgetter("request")):
        for name in names:
            yield name, f"its request is also that of {_others(names, name)}"
    for names in _alike(folder, attrgetter("masked")):
        for name in names:
            request = folder.outlines[name].request
            others = [n for n in names if folder.outlines[n].request != request]
            if others:
                yield name, f"on another day its request is that of {_others(others, name)}"


def _alike(folder: Folder, key: Callable[[Outline], str | None]) -> Iterator[list[str]]:
    """The names of those that have one ``key``, wherever they are several."""
    counts = Counter(map(key, folder.outlines.values()))
    several = {value: list[str]() for value, count in counts.items() if count > 1 and value}
    if several:
        for name, outline in folder.outlines.items():
            if (value := key(outline)) in several:
                several[value].append(name)
    yield from several.values()


def _others(names: list[str], name: str) -> str:
    """``5ced4b2efeb8…``, with how many more there are, of those that are not ``name``."""
    other, *more = (n for n in names if n != name)
    stem = other.removesuffix(SUFFIX)
    shown = f"{short(stem)}…" if is_digest(stem) else quoted(other)
    return f"{shown} and {len(more)} more" if more else shown
