"""Every surface replies as it did before, byte by byte, and a mock as the server does. A change
that is meant is written down by ``python -m tests.exact_replies``, whose difference the review
shows.
"""

from __future__ import annotations

import json

from tests.exact_replies import FILE, collect


def test_replies_are_those_that_were_written_down() -> None:
    before, now = json.loads(FILE.read_bytes()), collect()
    assert {name: now.get(name) for name in before if before[name] != now.get(name)} == {}
    assert now.keys() == before.keys()


def test_a_mock_replies_as_the_server_does_in_the_same_profile() -> None:
    cases = json.loads(FILE.read_bytes())
    assert [name for name, case in cases.items() if not _are_alike(case["replies"])] == []


def _are_alike(replies: dict[str, object]) -> bool:
    return any({"openai", "mock"} <= {*surfaces.split(", ")} for surfaces in replies)
