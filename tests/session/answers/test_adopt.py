"""Adopt: which fixtures lack their request, and what storing it changes."""

from __future__ import annotations

import json

from tests.session.support import asked, chat, full_disk, write
from workbench.core.digest import digest
from workbench.session.answers.adopt import Adoption, adopt
from workbench.session.session import Session

TEXT = '{"response": {"content": "x"}, "_comment": "by hand"}'


def test_the_fixtures_that_lack_their_request_are_told_apart(session: Session) -> None:
    known, has_one, broken = asked(session, chat("a"), chat("b"), chat("c"))
    unknown = digest(chat("d"))
    write(session, known, TEXT)
    write(session, unknown, TEXT)
    write(session, has_one, json.dumps({"request": chat("b"), "response": {}}))
    write(session, broken, "{")
    found = adopt(session, dry_run=True)
    assert (found.adopted, found.unknown) == ([known], [unknown])
    assert [digest for digest, _ in found.left_out] == [broken]
    assert session.store.path(known).read_text() == TEXT


def test_the_request_stands_where_new_files_have_it(session: Session) -> None:
    (found,) = asked(session, chat("a"))
    path = write(session, found, TEXT)
    assert adopt(session) == Adoption([found])
    request = json.dumps(chat("a"), sort_keys=True)  # as logs have it
    assert path.read_text() == TEXT.replace("}, ", f'}}, "request": {request}, ')
    assert adopt(session) == Adoption()


def test_what_cannot_be_written_is_told_and_left(session: Session) -> None:
    (found,) = asked(session, chat("a"))
    path = write(session, found, TEXT)
    with full_disk():
        adoption = adopt(session)
    [(failed, reason)] = adoption.left_out
    assert (adoption.adopted, failed, path.read_text()) == ([], found, TEXT)
    assert reason.startswith("cannot be written")
