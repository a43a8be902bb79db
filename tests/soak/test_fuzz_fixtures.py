"""Tens of thousands of damaged fixtures, other ones each time. Run by ``pytest tests/soak``.

``FUZZ_COUNT`` and ``FUZZ_SEED`` set how many and which; a failure names the seed.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.broken_documents import damaged
from tests.server.endurance import answer_from, examine_all, serve_all

COUNT = int(os.environ.get("FUZZ_COUNT", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", str(random.randrange(2**32))))


@pytest.fixture(autouse=True)
def seed() -> None:
    print(f"FUZZ_SEED={SEED}")


@pytest.mark.timeout(0)  # as long as so many take
def test_no_document_makes_a_check_raise() -> None:
    told = examine_all(damaged(COUNT, SEED))
    assert told.readable + told.unreadable == COUNT
    assert told.readable > COUNT / 10


@pytest.mark.timeout(0)  # as long as so many take
def test_no_document_makes_the_answering_function_raise() -> None:
    sources = answer_from(damaged(COUNT, SEED + 1))
    assert sources.total() == COUNT
    assert sources["fixture"] > COUNT / 10


@pytest.mark.timeout(0)  # as long as so many take
def test_no_document_makes_the_server_fail(tmp_path: Path) -> None:
    assert serve_all(tmp_path, list(damaged(COUNT // 10, SEED + 2))) > COUNT / 100
