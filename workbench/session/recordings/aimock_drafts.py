"""Drafts from the fixtures of aimock, which hold answers and no requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from workbench.core.apis.table import view
from workbench.core.fixture.document import new_document
from workbench.core.imports.aimock import AimockFixture, fixtures
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
    that fits it.

    Args:
        session: has read the log with the misses; None without a log.
        name: name of the file.
        dry_run: write nothing.

    Raises:
        CaptureError: the file cannot be read.
    """
    answers = fixtures(content)
    digests = {} if session is None else _digests(session, answers)
    entries = []
    for fixture in answers:
        fitting = digests.get(fixture.place, [])
        if session is None or fixture.reason or not fitting:
            reason = fixture.reason or (NO_LOG if session is None else NO_MISS)
            is_chat = fixture.match is None or fixture.match.is_chat
            entries.append(ImportedEntry(name, fixture.place, reason=reason, is_chat=is_chat))
            continue
        for digest in fitting:
            entry = ImportedEntry(name, fixture.place, digest)
            entry.draft, entry.reason = _drafted(session, fixture, digest, dry_run=dry_run)
            entries.append(entry)
    return entries


def _digests(session: Session, answers: list[AimockFixture]) -> dict[str, list[str]]:
    """The misses that each fixture, by its place, is the first to fit."""
    digests: dict[str, list[str]] = {}
    for digest in session.miss_index.misses:
        payload = session.miss_index.payload(digest)
        if payload is None:
            continue
        request = view(payload)
        if first := next((fixture for fixture in answers if fixture.fits(request)), None):
            digests.setdefault(first.place, []).append(digest)
    return digests


def _drafted(
    session: Session, fixture: AimockFixture, digest: str, *, dry_run: bool
) -> tuple[str | None, str]:
    """The path of the draft and a remark, or None and why there is none."""
    drafts, state = session.drafts, state_of(session, digest)
    if session.store.stamp(digest) is not None:
        return None, f"{digest} has a fixture already"
    if drafts.get(digest) is not None or drafts.path(digest).exists():
        return None, f"{digest} has a draft already"
    if state.is_done:
        return None, f"{digest} is {state.word}"
    document = new_document(
        digest,
        _response(fixture, digest),
        request=session.drafting.request_to_store(digest),
        source="imported",
    )
    drafts.add(Draft(digest, document.text, touched=True))
    try:
        if not dry_run:
            drafts.store(digest)
    except OSError as error:
        return None, cannot_write(drafts.folder, error)
    return str(drafts.path(digest)), _remark(fixture)


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
