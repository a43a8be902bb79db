"""A fixture in one line."""

from __future__ import annotations

from datetime import datetime

import pytest

from workbench.session.misses.miss_index import Hits
from workbench.tui.fixture_row import HIT_WIDTH, last_hit

NOW = datetime(2026, 11, 20, 10, 30)


@pytest.mark.parametrize(
    ("hits", "shown"),
    [
        (Hits(1, "2026-11-20T10:28:00"), "2m  ×1"),
        (Hits(12, "2026-11-20T10:29:20"), "40s ×12"),
        (Hits(999, "2026-11-20T10:30:05"), "0s  ×999"),
        (Hits(1_999, "2026-11-18T10:30:00"), "2d  ×1k"),
        (Hits(999_999, "2026-08-01T10:30:00"), "111d ×999k"),
        (Hits(3_000_000, "2026-11-20T07:30:00"), "3h  ×3M"),
        (Hits(2), "?   ×2"),
    ],
)
def test_when_a_fixture_was_served_last_and_how_often(hits: Hits, shown: str) -> None:
    assert last_hit(hits, NOW) == shown
    assert len(shown) <= HIT_WIDTH
