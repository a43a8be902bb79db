"""What a session did, said once after closing: short, with paths that can be copied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.core.digest import short
from workbench.core.fixtures import FixtureDocument, FixtureError
from workbench.core.inert import excerpt
from workbench.session import editing
from workbench.session.session import Session

ANSWER_WIDTH = 26
MOST_LINES = 20


def closing_lines(session: Session, logs: Sequence[str]) -> list[str]:
    """The summary, or nothing where nothing was done.

    Args:
        logs: as given on the command line, for the command that goes on.
    """
    decisions = session.decisions
    drafts = [d for d in session.drafts.drafts.values() if d.touched]
    ignored = [d for d in decisions.ignored if d in session.ignore.reasons]
    if not (decisions.saved or decisions.skipped or ignored or drafts):
        return []
    total = len(session.book.misses)
    missing = len(session.misses())
    counts = [
        f"{len(decisions.saved)} saved",
        f"{len(ignored)} ignored",
        f"{len(decisions.skipped)} skipped",
    ]
    kept = f"{len(drafts)} draft{'s' * (len(drafts) != 1)} kept"
    head = f"workbench: {', '.join(counts)}. {missing:,} of {total:,} still missing, {kept}."
    body = [*_saved(session), *_drafts(session)]
    more = [f"  … {len(body) - MOST_LINES} more"] if len(body) > MOST_LINES else []
    folder = session.store.folder
    go_on = "".join(f" --log {log}" for log in logs)
    return [
        head,
        *body[:MOST_LINES],
        *more,
        f"Check them: workbench validate {folder}     Go on: workbench{go_on}",
    ]


def _saved(session: Session) -> Iterator[str]:
    for digest in session.decisions.saved:
        path = session.store.path(digest)
        yield f"  saved     {short(digest)}  {_answer(session, digest):<{ANSWER_WIDTH}}  {path}"


def _answer(session: Session, digest: str) -> str:
    """The answer of a saved fixture in a few words."""
    try:
        data = session.store.read(digest)
        document = FixtureDocument((data or b"").decode("utf-8"))
        calls = editing.calls(document)
        if calls:
            return excerpt(", ".join(f"{c.name}({c.arguments})" for c in calls), ANSWER_WIDTH)
        return excerpt(f'"{editing.content(document)}"', ANSWER_WIDTH)
    except (OSError, UnicodeDecodeError, FixtureError):
        return ""


def _drafts(session: Session) -> Iterator[str]:
    for draft in session.drafts.drafts.values():
        if draft.touched:
            assessment = session.assessments.get(draft.digest)
            errors = len(assessment.errors) if assessment else 0
            state = f"{errors} error{'s' * (errors != 1)}" if errors else "draft"
            folder = session.drafts.folder
            yield f"  draft     {short(draft.digest)}  {state:<{ANSWER_WIDTH}}  {folder}"
