"""Misses as JSON objects."""

from __future__ import annotations

from tests.session.support import chat
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.misses.miss import ROW_CHARACTERS, Dump, Miss, request_facts
from workbench.core.misses.record import MissRecord


def test_a_row_of_which_little_is_known() -> None:
    row = MissRecord(digest="a" * 64, count=2, first_seen=None, last_seen=None)
    assert row.unsupported is None
    assert row.record() == {
        "digest": "a" * 64,
        "count": 2,
        "model": None,
        "last_user_text": None,
        "first_seen": None,
        "last_seen": None,
        "has_dump": False,
        "state": "missing",
        "ignored": False,
        "held": False,
        "variants": 0,
        "run": 1,
        "api": "chat",
        "turn": None,
        "conversation": None,
        "tests": (),
        "hosts": (),
        "test": None,
    }


def test_a_record_has_the_whole_text_of_which_a_row_keeps_the_beginning() -> None:
    text = "x" * (2 * ROW_CHARACTERS)
    payload = chat(text)
    miss = Miss(digest(payload), count=1, first_seen=None, last_seen=None)
    miss.keep(Dump(miss.digest, "", 0, request_facts(view(payload))))
    assert miss.last_user_text == text[:ROW_CHARACTERS]
    record = MissRecord.of(miss, payload)
    assert (record.last_user_text, record.turn, record.has_dump) == (text, 1, True)
    assert record.model == miss.model == payload["model"]
