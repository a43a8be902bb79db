"""Typing into a real terminal without looking, slowly and fast: no key is lost or misunderstood."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.terminal import WORKBENCH, Terminal
from tests.tui.running import ask
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines

COMMAND = [*WORKBENCH, "--log", "suite.log", "--fixtures", "canned"]
MISSES = [ask(f"question {number}") for number in range(4)]
# In the list each of these letters does something.
WORDS = ["abc", "skip me", "quite u"]
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


@pytest.mark.parametrize("milliseconds", [0, 20])
def test_three_rows_are_answered_in_a_row(folder: Path, milliseconds: int) -> None:
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_for("Misses [1/4]")
        keys = [key for word in WORDS for key in ("\r", *word, SAVE)]
        write(terminal, keys, milliseconds / 1000)
        terminal.wait_for("Misses [1/1]")
        assert answers(folder) == [*WORDS, None]


def test_a_pasted_answer_and_fields_gone_through(folder: Path) -> None:
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_for("Misses [1/4]")
        paste = "\x1b[200~pasted\x1b[201~"
        # On to the reason to finish, back, to the next problem (there is none), and save.
        keys = ["\r", paste, "!", "\t", "\x1b[Z", "\x0e", "?", SAVE]
        write(terminal, keys, 0)
        terminal.wait_for("Misses [1/3]")
        assert answers(folder)[0] == "pasted!?"


def test_a_command_is_typed_and_taken_behind_the_key_of_the_palette(folder: Path) -> None:
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_for("Misses [1/4]")
        terminal.type("\x10skip")
        terminal.wait_for(lambda text: "Skip: put aside" in text and "Filter:" not in text)
        terminal.press("enter")
        terminal.wait_for("Skipped")


def test_what_is_typed_before_the_first_row_is_there_acts_on_it(folder: Path) -> None:
    with Terminal(COMMAND, folder=folder) as terminal:
        terminal.wait_until_raw()
        terminal.type(f"\rsoon{SAVE}")
        terminal.wait_for("Misses [1/3]")
        assert answers(folder) == ["soon", None, None, None]
