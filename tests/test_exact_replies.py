"""Every surface replies as it did before, byte by byte. A change that is meant is written down by
``python -m tests.exact_replies``, whose difference the review shows.
"""

from __future__ import annotations

import json

from tests.exact_replies import FILE, collect


def test_replies_are_those_that_were_written_down() -> None:
    before, now = json.loads(FILE.read_bytes()), collect()
    assert {name: now.get(name) for name in before if before[name] != now.get(name)} == {}
    assert now.keys() == before.keys()
