"""The fixtures whose requests quote an answer that was changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from workbench.core.fixture.changed_answer import ChangedAnswer
from workbench.core.fixture.document import whole_request
from workbench.core.fixture.names import short_name
from workbench.session.session import Session

# How many turns a sentence names.
_NAMED: Final = 2


def later_turns(session: Session) -> list[str]:
    """The names of the fixtures whose requests quote the answer that was changed last, earlier
    turns first. Reads all fixtures: slow, for a thread. Raises OSError where the folder cannot be
    read.
    """
    if session.changed is None:
        return []
    changed, before = session.changed
    answer = ChangedAnswer.between(before, session.store.current(changed) or {})
    return _turns_that_quote(session, changed, answer)


def turns_before_save(session: Session, name: str) -> list[str] | None:
    """The same for the draft of a fixture, before it is saved; None where it gives the answer that
    the file gives. Raises OSError, and FixtureError where the draft is not a document.
    """
    draft = session.drafting.open(name).document.value
    answer = ChangedAnswer.between(session.store.current(name) or {}, draft)
    return _turns_that_quote(session, name, answer) if answer else None


def _turns_that_quote(session: Session, changed: str, answer: ChangedAnswer) -> list[str]:
    turns = []
    for name in session.store.fixtures() - {changed} if answer else ():
        request = whole_request(session.store.current(name) or {})
        if request is not None and answer.is_quoted_by(request):
            turns.append((request.turn, name))
    return [name for _, name in sorted(turns)]


def quoting_sentence(turns: Sequence[str]) -> str:
    """``2 later turns quote the old answer``"""
    quote = "turn quotes" if len(turns) == 1 else "turns quote"
    return f"{len(turns)} later {quote} the old answer"


def quoting_now(turns: Sequence[str]) -> str:
    """``2 later turns quote this answer: 33aa1a5f2acc, …. They will be requested again.``"""
    quote, will = ("turn quotes", "It") if len(turns) == 1 else ("turns quote", "They")
    names = ", ".join(map(short_name, turns[:_NAMED]))
    more = f" and {len(turns) - _NAMED} more" if len(turns) > _NAMED else ""
    return f"{len(turns)} later {quote} this answer: {names}{more}. {will} will be requested again."
