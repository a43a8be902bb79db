"""The states of a row of the list of misses, by what there is to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from workbench.core.apis.table import view
from workbench.core.misses.miss import Miss
from workbench.core.misses.row_texts import is_fallback

if TYPE_CHECKING:
    from workbench.session.session import Session

StateKind = Literal[
    "held", "broken", "answered", "ignored", "skipped", "draft", "stale", "unsupported", "blocked",
    "unlogged", "missing",
]  # fmt: skip
# The answer of a row: a file written here, a file written by another program, the fixture of an
# equivalent request.
AnsweredBy = Literal["saved", "elsewhere", "equivalent"]
# States that need nothing more from a person.
DONE: frozenset[StateKind] = frozenset({"answered", "ignored", "skipped"})
# Remarks on a row beside its state.
ERRORS: Final = "errors"
VERIFIED: Final = "verified"


class MissState(NamedTuple):
    """The first state, in the order above, that applies to a row.

    Attributes:
        by: for ``answered``.
        is_verified: the server was seen to send this answer.
        has_errors: for ``draft``: its answer has errors.
        is_outdated: for ``blocked``: the answer that it quotes was changed or undone since, so the
            request will not be sent again.
    """

    kind: StateKind
    by: AnsweredBy | None = None
    is_verified: bool = False
    has_errors: bool = False
    is_outdated: bool = False

    @property
    def word(self) -> str:
        """The word for the state in the list and in filters."""
        return ERRORS if self.has_errors else self.by or self.kind

    @property
    def words(self) -> list[str]:
        """The words of a filter that mean it."""
        return [self.kind, self.word, *([VERIFIED] if self.is_verified else [])]

    @property
    def is_done(self) -> bool:
        return self.kind in DONE or self.is_outdated


def state_of(session: Session, key: str) -> MissState:
    """The state of a row, by its key."""
    if key in session.miss_index.unsupported:
        if ignore_key(session, key) in session.ignore.reasons:
            return MissState("ignored")
        return MissState("skipped" if key in session.decisions.skipped else "unsupported")
    if key in session.held:
        return MissState("held")
    files, decisions = session.miss_fixtures, session.decisions
    if key in files and files.first_open(key) is None:
        if files.broken(key) is not None:
            return MissState("broken")
        is_ours = key in decisions.saved or key in decisions.rekeyed
        by: AnsweredBy = "saved" if is_ours else "elsewhere"
        return MissState("answered", by, is_verified=key in files.verified)
    if session.stale.equivalent(key) is not None:
        return MissState("answered", "equivalent")
    if key in session.ignore.reasons:
        return MissState("ignored")
    if key in decisions.skipped:
        return MissState("skipped")
    return _state_of_open(session, key)


def _state_of_open(session: Session, digest: str) -> MissState:
    """The state of a miss whose answer is still to be written."""
    name = open_name(session, digest)
    draft = session.drafts.get(name)
    if draft is not None and draft.touched:
        assessment = session.drafting.assessments.get(name)
        return MissState("draft", has_errors=bool(assessment and assessment.faults))
    miss = session.miss_index.misses.get(digest)
    if miss is None or miss.texts is None:
        return MissState("unlogged")
    if session.stale.is_stale(digest):
        return MissState("stale")
    is_outdated = digest in session.outdated
    is_blocked = is_outdated or miss.texts.quotes_fallback
    return MissState("blocked" if is_blocked else "missing", is_outdated=is_outdated)


def open_name(session: Session, digest: str) -> str:
    """The name of the fixture that a miss needs next: of several requests that share its digest,
    for the first that no file answers.
    """
    number = session.miss_fixtures.first_open(digest)
    if number is None:
        return digest
    return session.drafting.name_for(digest, session.miss_index.payload(digest, number))


def ignore_key(session: Session, key: str) -> str:
    """The entry of a row in the ignore list: its digest, or its method and path."""
    row = session.miss_index.unsupported.get(key)
    return row.name if row is not None else key


def is_answered(session: Session, digest: str) -> bool:
    """True if a usable fixture answers a miss."""
    files = session.miss_fixtures
    if digest in files:
        return files.first_open(digest) is None and files.broken(digest) is None
    return session.stale.equivalent(digest) is not None


def open_misses(session: Session) -> list[Miss]:
    """The misses that need something more from a person, in the order first seen."""
    misses = session.miss_index.misses.values()
    return [miss for miss in misses if not state_of(session, miss.digest).is_done]


def open_unsupported(session: Session) -> list[Miss]:
    """The unsupported requests that are neither skipped nor ignored."""
    rows = session.miss_index.unsupported.values()
    return [row for row in rows if not state_of(session, row.key).is_done]


def outdated_count(session: Session) -> int:
    """How many misses quote an answer that was changed or undone since."""
    return sum(state_of(session, digest).is_outdated for digest in session.outdated)


def turn_to_answer(session: Session, digest: str) -> str | None:
    """For a blocked miss: the digest of the turn that got the fallback, if it is listed."""
    payload = session.miss_index.payload(digest) or {}
    for earlier, shared in session.turns.earlier(payload):
        answers = [answer for answer in view(payload).answers if answer.position == shared]
        if any(map(is_fallback, answers)):
            return earlier
    return None
