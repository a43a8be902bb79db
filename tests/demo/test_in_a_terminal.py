"""``workbench --demo`` in a terminal."""

from __future__ import annotations

import os
from pathlib import Path

from tests.forked import FORKED
from tests.terminal import Terminal


def test_the_demo_shows_each_tab_and_an_agent_that_waits_and_ends_at_once(tmp_path: Path) -> None:
    command = [*FORKED, "--demo"]
    environment: dict[str, str | None] = {"TMPDIR": str(tmp_path)}
    with Terminal(
        command, columns=120, rows=36, folder=tmp_path, environment=environment
    ) as terminal:
        started = "The sample agents have started: requests without a fixture appear in the list."
        terminal.wait_for("This box closes when you press a key.")
        terminal.wait_for(started)
        terminal.wait_for("[1 Misses 19]")
        terminal.wait_for("hold on 5m · 1 held")
        terminal.wait_for(lambda screen: started not in screen)
        terminal.press("4")
        terminal.wait_for(lambda screen: "This box closes" not in screen)
        terminal.wait_for("report of 20 Nov 09:05 (1 of 3)")
        terminal.wait_for("history  100% → 100% → 66%")
        terminal.press("3")
        terminal.wait_for('└ fork "nothing in the cellar"')
        terminal.press("1")
        terminal.wait_for("[1 Misses 19]")
        terminal.press("/")
        terminal.type("speech\r")
        terminal.wait_for("⊘ unsupported    POST /v1/audio/speech")
        terminal.press("n")
        terminal.wait_for("> ‖ held")
        terminal.wait_for("Is A Field Guide to Clouds in stock?")
        terminal.press("escape")
        terminal.wait_for("Waiting for you 1")
        terminal.press("enter")
        terminal.wait_for("^s Save")
        terminal.type("Yes, two copies.")
        terminal.wait_for("✓ no problems")
        terminal.press("^q")
        terminal.wait_for("1 draft would be lost, because the demo's folder is deleted.")
        terminal.press("n")
        terminal.wait_for(lambda screen: "would be lost" not in screen)
        terminal.press("^s")
        terminal.wait_for("Saved and sent to 1 client after")
        # It goes on, and waits again.
        terminal.wait_for("Please keep one for me until Saturday.")
        terminal.wait_for("> ‖ held")
        terminal.press("q")
        terminal.wait_for_rest("the folder of the demo is deleted.")
        assert terminal.wait_for_end() == 0
    assert os.listdir(tmp_path) == []
