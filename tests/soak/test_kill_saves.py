"""Kill -9 during saves, 200 times. Run by ``pytest tests/soak``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.io.files.kill_saves import kill_while_saving


@pytest.mark.timeout(600)
def test_a_killed_save_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    outcome = kill_while_saving(tmp_path, 200)
    assert outcome.leftovers >= 20, "hardly a kill came in the middle of a save"


@pytest.mark.timeout(600)
def test_a_killed_creation_leaves_the_whole_file_or_none(tmp_path: Path) -> None:
    outcome = kill_while_saving(tmp_path, 100, create=True)
    assert outcome.leftovers >= 10, "hardly a kill came in the middle of a save"
    assert 0 < outcome.created < 100
