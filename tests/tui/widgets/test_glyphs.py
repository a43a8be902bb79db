"""Which terminals get plain characters."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

LOOK = "from workbench.tui.widgets.glyphs import wants_plain; print(wants_plain())"


@pytest.mark.parametrize(
    ("environment", "wants"),
    [
        ({}, False),
        ({"TERM": "linux"}, True),
        ({"PYTHONIOENCODING": "latin-1"}, True),  # which is for what is drawn, too
        ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, True),
    ],
)
def test_the_terminal_that_cannot_draw_our_glyphs(environment: dict[str, str], wants: bool) -> None:
    around = {"PATH": os.environ["PATH"], "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment}
    told = subprocess.run(
        [sys.executable, "-c", LOOK], env=around, capture_output=True, check=True, timeout=60
    )
    assert told.stdout.decode().strip() == str(wants)
