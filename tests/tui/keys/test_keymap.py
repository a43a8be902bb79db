"""Other keys for commands: what is wrong with them is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.forked import FORKED
from tests.terminal import Terminal
from workbench.tui.keys.keymap import checked, command_names


def test_every_command_has_a_name_that_is_taken() -> None:
    names = command_names()
    assert {"miss.accept", "quit", "export.json", "recordings.step", "evals.copy"} <= set(names)
    assert checked(names) == (names, [])


@pytest.mark.parametrize("key", ["ctrl+y", "f5", "Q", "é", "question_mark", "shift+tab", "a,b, c"])
def test_keys(key: str) -> None:
    assert checked({"miss.accept": key}) == ({"miss.accept": key}, [])


@pytest.mark.parametrize("key", ["", "nokey", "ctrl+", "ctrl+nokey", "hold+x", "a,", "\x1b["])
def test_what_is_no_key(key: str) -> None:
    usable, (problem,) = checked({"miss.accept": key})
    *good, bad = key.split(",")
    assert usable == ({"miss.accept": good[0]} if good else {})
    assert problem == (
        f"[tool.workbench.keys] miss.accept: {bad!r} is not a key, such as ctrl+y or f5"
    )


def test_what_is_no_command() -> None:
    assert checked({"miss.acept": "a", "quit": "Q", "zzz": "b"}) == (
        {"quit": "Q"},
        [
            "[tool.workbench.keys] 'miss.acept' is not a command; did you mean miss.accept?",
            "[tool.workbench.keys] 'zzz' is not a command",
        ],
    )


def test_what_the_settings_have_wrong_is_said_at_the_start_and_behind_it(tmp_path: Path) -> None:
    settings = "port = 1\nfixtrues = 'x'\nkeys.quitt = 'ctrl+x'\nkeys.quit = 'nonsense+'\n"
    (tmp_path / "pyproject.toml").write_text(f"[tool.workbench]\n{settings}")
    (tmp_path / "suite.log").touch()
    setting = "[tool.workbench] 'fixtrues' is not a setting; did you mean fixtures?"
    key = "[tool.workbench.keys] 'quitt' is not a command; did you mean quit?"
    with Terminal([*FORKED, "--log", "suite.log"], folder=tmp_path, columns=220) as terminal:
        terminal.wait_for(lambda text: "Misses [0/0]" in text and f"{setting} {key} " in text)
        terminal.press("q")  # what is no key takes no key away
        terminal.wait_for_end()
        assert f"pyproject.toml:3:1: {setting}".encode() in terminal.raw
        assert b"warning:\x1b[0m " + key.encode() in terminal.raw
