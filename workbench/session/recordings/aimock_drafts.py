"""Drafts from the fixtures of aimock, which hold answers and no requests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.document import new_document
from workbench.core.imports.aimock import AimockFixture, fixtures, sequence
from workbench.io.files.path_text import cannot_write
from workbench.session.answers.promotion import calls_response
from workbench.session.drafts.store import Draft
from workbench.session.misses.states import state_of
from workbench.session.recordings.importing import ImportedEntry

if TYPE_CHECKING:
    from workbench.session.session import Session

NO_LOG: Final = "an aimock fixture has no request"
NO_MISS: Final = "no miss of the log fits it"


def draft_answers(
    session: Session | None, name: str, content: object, *, dry_run: bool
) -> list[ImportedEntry]:
    """Turn the answers of a file of aimock's fixtures into drafts: each miss gets the first fixture
    that fits it. Fixtures with ``sequenceIndex`` become one draft, which sends their answers one
    after the other.

    Args:
        session: has read the log with the misses; None without a log.
        name: name of the file.
        dry_run: write nothing.

    Raises:
        CaptureError: the file cannot be read.
    """
    answers = fixtures(content)
    entries: dict[str, list[ImportedEntry]] = {fixture.place: [] for fixture in answers}
    if session is not None:
        for digest, fitting in _sequences(session, answers):
            draft, reason = _drafted(session, fitting, digest, dry_run=dry_run)
            for fixture in fitting:
                if not fixture.reason:
                    entry = ImportedEntry(name, fixture.place, digest, draft=draft)
                    entry.reason = reason or _remark(fixture)
                    entries[fixture.place].append(entry)
    for fixture in answers:
        if not entries[fixture.place]:
            reason = fixture.reason or (NO_LOG if session is None else NO_MISS)
            is_chat = fixture.match is None or fixture.match.is_chat
            entry = ImportedEntry(name, fixture.place, reason=reason, is_chat=is_chat)
            entries[fixture.place].append(entry)
    return list(chain.from_iterable(entries.values()))


def _sequences(
    session: Session, answers: list[AimockFixture]
) -> Iterator[tuple[str, list[AimockFixture]]]:
    """Each miss that fixtures fit, with those that answer it in turn."""
    for digest in session.miss_index.misses:
        payload = session.miss_index.payload(digest)
        fitting = [] if payload is None else sequence(answers, view(payload))
        if fitting:
            yield digest, fitting


def _drafted(
    session: Session, answers: list[AimockFixture], digest: str, *, dry_run: bool
) -> tuple[str | None, str]:
    """The path of the draft that sends these answers, or None and why there is none."""
    drafts, state = session.drafts, state_of(session, digest)
    if unusable := next((fixture.place for fixture in answers if fixture.reason), ""):
        return None, f"its sequence has {unusable}, which is skipped"
    if session.store.stamp(digest) is not None:
        return None, f"{digest} has a fixture already"
    if drafts.get(digest) is not None or drafts.path(digest).exists():
        return None, f"{digest} has a draft already"
    if state.is_done:
        return None, f"{digest} is {state.word}"
    *first, last = (_response(fixture, digest) for fixture in answers)
    document = new_document(
        digest,
        last,
        first=first,
        request=session.drafting.request_to_store(digest),
        source="imported",
    )
    drafts.add(Draft(digest, document.text, touched=True))
    try:
        if not dry_run:
            drafts.store(digest)
    except OSError as error:
        return None, cannot_write(drafts.folder, error)
    return str(drafts.path(digest)), ""


def _response(fixture: AimockFixture, digest: str) -> dict[str, Any]:
    """The ``response`` of a fixture. A call keeps the id that it was given, since later fixtures of
    the file name it (``toolCallId``).
    """
    if not fixture.calls:
        return fixture.response
    functions = [(call.name, call.arguments) for call in fixture.calls]
    called = calls_response(digest, functions, {})
    for written, call in zip(called["tool_calls"], fixture.calls, strict=True):
        written["id"] = call.id or written["id"]
    return {**called, **fixture.response}


def _remark(fixture: AimockFixture) -> str:
    return f"without {', '.join(fixture.left_out)} of the response" if fixture.left_out else ""
