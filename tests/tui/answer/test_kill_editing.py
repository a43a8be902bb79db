"""A few kills while somebody types; ``tests/soak`` has many."""

from __future__ import annotations

from pathlib import Path

from tests.tui.answer.kill_editing import MAY_BE_LOST, Editing


def test_a_kill_while_typing_takes_a_moment_of_it(tmp_path: Path) -> None:
    editing = Editing(tmp_path)
    for seed, paste in enumerate((False, True)):
        editing.kill_once(seed, paste=paste)
    # Other tests have the processors too.
    assert editing.longest_loss <= 2 * MAY_BE_LOST
