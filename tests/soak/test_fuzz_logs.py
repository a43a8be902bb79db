"""Thousands of damaged logs, other ones each time. Run by ``pytest tests/soak``.

``FUZZ_COUNT`` and ``FUZZ_SEED`` set how many and which; a failure names the seed.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.broken_logs import damaged, read_all

COUNT = int(os.environ.get("FUZZ_COUNT", "20000"))
SEED = int(os.environ.get("FUZZ_SEED", str(random.randrange(2**32))))


@pytest.mark.timeout(0)  # as long as so many take
def test_no_log_hides_a_miss_or_shows_another_s_request() -> None:
    print(f"FUZZ_SEED={SEED}")
    listed = read_all(damaged(COUNT, SEED), SEED)
    print(f"{COUNT:,} damaged logs, {listed:,} misses listed")
    assert listed > COUNT
