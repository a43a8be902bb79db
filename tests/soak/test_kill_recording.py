"""A recording server killed a hundred times at random moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.kill_recording import kill_recordings


@pytest.mark.timeout(900)
def test_no_exchange_a_client_heard_is_lost(tmp_path: Path) -> None:
    heard = kill_recordings(tmp_path, 100, seed=2)
    print(f"100 kills, {heard} exchanges heard whole and kept")
    assert heard >= 100
