"""A few kills during saves; ``tests/soak`` has many."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.io.files.kill_saves import kill_while_saving


@pytest.mark.parametrize("create", [False, True])
def test_a_killed_save_leaves_the_old_file_or_the_new(tmp_path: Path, create: bool) -> None:
    kill_while_saving(tmp_path, 5, create=create)
