"""The answer to a request of a conversation, and its lines in the log.

First its own fixture is looked for, which is fast, then the fixtures of other requests that answer
it as well, each lookup by itself: these may read the whole folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from workbench.core.fixture.names import digest_of
from workbench.core.fixture.other_fixture import OtherFixture
from workbench.core.log.lines import (
    asked_line,
    hidden_miss_lines,
    masked_line,
    miss_lines,
    not_offered_line,
    note_line,
    served_line,
)
from workbench.core.replies.answer import Answer, Lookup, find_answer
from workbench.core.replies.response import NeutralReply, fixture_reply
from workbench.core.requests.view import RequestView
from workbench.core.written.request import WrittenRequest

Masked = Callable[[str], str]
"""Gives a text without the credentials of a request."""


Read = Callable[[Mapping[str, Any]], NeutralReply]
"""Reads the reply of a fixture. Raises FixtureError."""

ReadNamed = Callable[[str, Mapping[str, Any]], NeutralReply]
"""The same, given also the name of the fixture."""

OtherLookup = Callable[[RequestView], OtherFixture | None]
"""Finds such a fixture. May take long."""


class Answered(NamedTuple):
    """A request that has an answer.

    Attributes:
        other: the fixture of another request, if the answer was taken from it.
    """

    answer: Answer
    other: OtherFixture | None = None

    def lines(self, masked: Masked) -> str:
        """The lines of the log about it."""
        answer, other = self.answer, self.other
        lines = _notes(answer, masked)
        if answer.source != "fixture":
            return lines
        if other is None:
            lines += served_line(answer.digest)
        elif other.masked:
            lines += served_line(digest_of(other.name))
            lines += masked_line(digest_of(other.name), answer.digest, other.masked)
        else:
            lines += served_line(digest_of(other.name), equivalent_to=answer.digest)
        return lines + not_offered_line(answer.digest, answer.not_offered)


class Missed(NamedTuple):
    """A request without a fixture that can be used; its answer is the fallback."""

    answer: Answer

    def lines(self, written: WrittenRequest, test: str, load_failed: str) -> str:
        """The lines of the log about it.

        Args:
            test: that sent it, or "".
            load_failed: the line of its own fixture, if that is broken.
        """
        digest = self.answer.digest
        if written.is_secret:
            lines = hidden_miss_lines(digest)
        else:
            lines = miss_lines(digest, written.payload)
        notes = _notes(self.answer, written.credentials.masked)
        return notes + load_failed + lines + asked_line(test, digest)


LookupResult = Answered | Missed


def find_own(
    request: RequestView,
    load: Lookup,
    read: Read = fixture_reply,
) -> LookupResult:
    """The answer of a directive or of the request's own fixture.

    Args:
        read: reads the reply of a fixture; may raise FixtureError.
    """
    answer = find_answer(request, request.digest, load, read)
    return Missed(answer) if answer.source == "fallback" else Answered(answer)


def find_other(
    miss: Missed,
    lookups: Iterable[OtherLookup],
    read: ReadNamed = lambda _, fixture: fixture_reply(fixture),
) -> LookupResult:
    """The answer of the first fixture of another request that has one, else the same miss. Where
    the request's own fixture is broken, no other one answers.

    Args:
        read: as in ``find_own``, but also given the name of the fixture.
    """
    request = miss.answer.request
    for lookup in lookups if miss.answer.broken is None else ():
        other = lookup(request)
        if other is not None:
            answer = answer_from(request, other.fixture, partial(read, other.name))
            if answer.source == "fixture":
                return Answered(answer, other)
    return miss


def answer_from(request: RequestView, fixture: Mapping[str, Any], read: Read) -> Answer:
    """The answer of a fixture, whatever its digest is; a directive in the request goes first."""
    return find_answer(request, request.digest, lambda _: fixture, read)


def _notes(answer: Answer, masked: Masked) -> str:
    """Lines about what could not be read; they quote the request."""
    lines = ""
    for problem in answer.problems:
        lines += note_line(masked(problem))
    return lines
