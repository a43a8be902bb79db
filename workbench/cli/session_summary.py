"""The summary of a session, printed after it closes."""

from __future__ import annotations

from pathlib import Path

from workbench.core.fixture.names import short_name
from workbench.core.replies.response import FixtureError
from workbench.core.text import shell
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.session.drafts import editing
from workbench.session.drafts.store import Draft
from workbench.session.misses.states import open_misses, open_unsupported
from workbench.session.session import Session

ANSWER_WIDTH = 26
MOST_LINES = 20
AFTER_DEMO = (
    "the folder of the demo is deleted. To run your own tests: workbench run -- COMMAND, such as "
    "workbench run -- pytest"
)


def closing_lines(session: Session, command: str | None) -> list[str]:
    """The lines of the summary; none if nothing was done.

    Args:
        command: the command line that continues the session; None for the demo, whose folder is
            deleted.
    """
    decisions, history = session.decisions, session.history
    saved, rekeyed = history.written("save"), history.written("re-key")
    drafts = [draft for draft in session.drafts.drafts.values() if draft.touched]
    kept = sum(not draft.is_unkept for draft in drafts)
    ignored = [d for d in decisions.ignored if d in session.ignore.reasons]
    if not (saved or rekeyed or decisions.skipped or ignored or drafts):
        return [] if command else [AFTER_DEMO]
    counts = [
        f"{len(saved)} saved",
        *([f"{len(rekeyed)} moved"] if rekeyed else []),
        f"{len(ignored)} ignored",
        f"{len(decisions.skipped)} skipped",
    ]
    missing, total = len(open_misses(session)), len(session.miss_index.misses)
    open_rows = [f"{missing:,} of {total:,} misses left"]
    if unsupported := len(open_unsupported(session)):
        open_rows.append(f"{unsupported} unsupported")
    head = f"{', '.join(counts)}. {', '.join(open_rows)}, "
    if command is None:
        return [f"{head}all deleted with the demo.", AFTER_DEMO]
    body = [
        *(_written(session, "saved", name) for name in saved),
        *(_written(session, "moved", name) for name in rekeyed),
        *(_draft(session, draft) for draft in drafts),
    ]
    more = [f"  … {len(body) - MOST_LINES} more"] if len(body) > MOST_LINES else []
    check = shell.command(["workbench", "validate", str(session.store.folder)])
    last = f"check the fixtures: {check}     continue: {command}"
    return [f"{head}{counted(kept, 'draft')} kept.", *body[:MOST_LINES], *more, last]


def _line(word: str, name: str, what: str, path: Path | None) -> str:
    return f"  {word:<8}  {short_name(name)}  {what:<{ANSWER_WIDTH}}  {path or ''}".rstrip()


def _written(session: Session, word: str, name: str) -> str:
    if session.store.stamp(name) is None:
        return _line(word, name, "moved or deleted since", None)
    return _line(word, name, _answer(session, name), session.store.folder)


def _draft(session: Session, draft: Draft) -> str:
    assessment = session.drafting.assessments.get(draft.name)
    errors = assessment.faults if assessment else 0
    word = "lost" if draft.is_unkept else "draft"
    path = None if draft.is_unkept else session.drafts.folder
    return _line(word, draft.name, counted(errors, "error") if errors else "draft", path)


def _answer(session: Session, name: str) -> str:
    """The answer of a saved fixture in a few words."""
    try:
        document = session.store.document(name)
        calls = editing.calls(document)
        if calls:
            return excerpt(", ".join(f"{c.name}({c.arguments})" for c in calls), ANSWER_WIDTH)
        return excerpt(f'"{editing.content(document)}"', ANSWER_WIDTH)
    except (OSError, FixtureError):
        return ""
