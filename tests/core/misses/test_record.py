"""Misses as JSON objects."""

from __future__ import annotations

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
