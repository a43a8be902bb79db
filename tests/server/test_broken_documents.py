"""No file in the fixtures folder, however broken, is more than a finding and a fallback."""

from __future__ import annotations

from pathlib import Path

from tests.broken_documents import damaged
from tests.server.endurance import answer_from, examine_all, serve_all

# A few; ``tests/soak`` has many.
COUNT = 150


def test_no_document_makes_a_check_raise() -> None:
    told = examine_all(damaged(COUNT, seed=1))
    assert told.unreadable > COUNT / 10
    assert told.readable > COUNT / 10


def test_no_document_makes_the_answering_function_raise() -> None:
    sources = answer_from(damaged(COUNT, seed=2))
    assert sources["fixture"] > COUNT / 10
    assert sources["fallback"] > COUNT / 10


def test_no_document_makes_the_server_fail(tmp_path: Path) -> None:
    documents = list(damaged(60, seed=3))
    served = serve_all(tmp_path, documents)
    assert served == answer_from(documents)["fixture"] > 0
