"""A recording server that is killed loses no exchange; ``tests/soak`` does it a hundred times."""

from __future__ import annotations

from pathlib import Path

from tests.server.kill_recording import kill_recordings


def test_a_killed_recording_keeps_what_clients_heard(tmp_path: Path) -> None:
    assert kill_recordings(tmp_path, 3, seed=1) >= 3
