"""The fixtures whose requests quote an answer that was changed."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.fixture.changed_answer import ChangedAnswer
from workbench.core.fixture.document import whole_request
from workbench.session.session import Session


def later_turns(session: Session) -> list[str]:
    """The names of the fixtures whose requests quote the answer that was changed last, earlier
    turns first. Reads all fixtures: slow, for a thread. Raises OSError where the folder cannot be
    read.
    """
    if session.changed is None:
        return []
    changed, before = session.changed
    answer = ChangedAnswer.between(before, session.store.current(changed) or {})
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
