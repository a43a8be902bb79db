"""Kill -9 while somebody types, 100 times. Run by ``pytest tests/soak``.

It counts seconds: the machine should have nothing else to do.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.answer.kill_editing import MAY_BE_LOST, Editing

KILLS_OF_A_FOLDER = 10


@pytest.mark.timeout(1200)
def test_a_kill_while_typing_takes_a_second_of_it_at_most(tmp_path: Path) -> None:
    for group in range(10):
        folder = tmp_path / str(group)
        folder.mkdir()
        editing = Editing(folder)
        for number in range(KILLS_OF_A_FOLDER):
            editing.kill_once(group * KILLS_OF_A_FOLDER + number, paste=number == 5)
            assert editing.longest_loss <= MAY_BE_LOST
