"""Typing into a real terminal without looking, slowly and fast: no key is lost or misunderstood."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.terminal import WORKBENCH, Terminal
from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines

COMMAND = [*FORKED, "--log", "suite.log", "--fixtures", "canned"]
# In the list each of these letters does something.
WORDS = ["abc", "skip me", "quite u"]
# Seconds between two keys; 0 for all at once.
GAPS = [0, 0.005, 0.02, 0.05]
PASTE_GAPS = [0, 0.02]
# One for each answer, and one that stays.
MISSES = [
    ask(f"question {number}") for number in range(len(WORDS) * len(GAPS) + len(PASTE_GAPS) + 1)
]
SAVE = "\x13"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    log = "".join(miss_lines(digest(miss), miss) for miss in MISSES)
    (tmp_path / "suite.log").write_text(log, "utf-8")
    return tmp_path


def answers(folder: Path) -> list[str | None]:
    """What was saved for each miss, in their order."""
    files = [folder / "canned" / f"{digest(miss)}.json" for miss in MISSES]
    return [
        json.loads(file.read_text("utf-8"))["response"]["content"] if file.exists() else None
        for file in files
    ]


def write(terminal: Terminal, keys: list[str], gap: float) -> None:
    """Write keys with so many seconds between them; all at once where that is 0."""
    if not gap:
        terminal.type("".join(keys))
        return
    for key in keys:
        terminal.type(key)
        time.sleep(gap)


def test_rows_are_answered_in_a_row_at_any_speed_and_a_command_is_typed(folder: Path) -> None:
    """Three rows for each gap between two keys, in one start of the application."""
    left = len(MISSES)
    with Terminal(COMMAND, folder=folder) as terminal:
        for gap in GAPS:
            terminal.wait_for(f"Misses [1/{left}]")
            write(terminal, [key for word in WORDS for key in ("\r", *word, SAVE)], gap)
            left -= len(WORDS)
        for gap in PASTE_GAPS:
            terminal.wait_for(f"Misses [1/{left}]")
            paste = "\x1b[200~pasted\x1b[201~"
            # On to the reason to finish, back, to the next problem (there is none), and save.
            write(terminal, ["\r", paste, "!", "\t", "\x1b[Z", "\x0e", "?", SAVE], gap)
            left -= 1
        terminal.wait_for(f"Misses [1/{left}]")
        # A command is typed behind the key of the palette.
        terminal.type("\x10skip")
        terminal.wait_for(lambda text: "unskip" in text and "Show only" not in text)
        terminal.press("enter")
        terminal.wait_for("Skipped")
    assert answers(folder) == [*WORDS * len(GAPS), *["pasted!?"] * len(PASTE_GAPS), None]


def test_what_is_typed_before_the_first_row_is_there_acts_on_it(folder: Path) -> None:
    with Terminal([*WORKBENCH, *COMMAND[1:]], folder=folder) as terminal:
        terminal.wait_until_raw()
        terminal.type(f"\rsoon{SAVE}")
        terminal.wait_for(f"Misses [1/{len(MISSES) - 1}]")
        assert answers(folder) == ["soon", *[None] * (len(MISSES) - 1)]
