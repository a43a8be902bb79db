"""Fixes in many files: worked out, made as one, taken back as one."""

from __future__ import annotations

import json
from pathlib import Path

from tests.session.support import answer_with, chat, open_session, undo, write
from workbench.core.digest import digest
from workbench.session import fixture_mending

ONE, TWO, FINE = (digest(chat(text)) for text in ("one", "two", "fine"))
COMMA = '{"response": {"content": "x"},}'


def test_files_are_mended_together_and_restored_together(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    for found in (ONE, TWO):
        write(session, found, COMMA)
    write(session, FINE, '{"response": {"content": "x"}}')
    found_all = [fixture_mending.work_out(session, found) for found in (ONE, TWO, FINE)]
    mendings = [mending for mending in found_all if mending is not None]
    assert [mending.digest for mending in mendings] == [ONE, TWO]
    assert fixture_mending.titles(mendings) == [("remove the comma", 2)]
    assert list(fixture_mending.make(session, mendings)) == [(ONE, True), (TWO, True)]
    for found in (ONE, TWO):
        assert json.loads(session.store.path(found).read_bytes()) == {"response": {"content": "x"}}
    sentence, digests = undo(session)
    assert sentence == "Restored 2 fixtures: as before."
    assert set(digests) == {ONE, TWO}
    for found in (ONE, TWO):
        assert session.store.path(found).read_text() == COMMA
    session.close()


def test_a_file_with_a_draft_is_left_alone(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    write(session, ONE, '{"response": {"content": "x", "usage": {"total_tokens": 5}}}')
    assert fixture_mending.work_out(session, ONE) is not None
    answer_with(session, ONE, "mine")
    assert fixture_mending.work_out(session, ONE) is None
    session.close()


def test_a_file_that_changed_meanwhile_is_left(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    write(session, ONE, COMMA)
    mending = fixture_mending.work_out(session, ONE)
    assert mending is not None
    write(session, ONE, '{"response": {"content": "theirs"}}')
    assert list(fixture_mending.make(session, [mending])) == [(ONE, False)]
    assert "theirs" in session.store.path(ONE).read_text()
    session.close()


def test_a_byte_order_mark_is_taken_off(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    write(session, ONE, "\ufeff" + '{"response": {"content": "é"}}')
    mending = fixture_mending.work_out(session, ONE)
    assert mending is not None
    assert list(fixture_mending.make(session, [mending])) == [(ONE, True)]
    assert session.store.path(ONE).read_bytes() == '{"response": {"content": "é"}}'.encode()
    session.close()


def test_what_is_not_utf8_has_no_fix(tmp_path: Path) -> None:
    session = open_session(tmp_path)
    write(session, ONE, b'{"response": {"content": "\xe9"},}')
    assert fixture_mending.work_out(session, ONE) is None
    session.close()
