"""Variables of the environment that Textual fails on: one sentence, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.terminal import WORKBENCH, Terminal


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("TEXTUAL_DRIVER", "x:y", "No module named 'x'"),
        ("TEXTUAL_DRIVER", "x", "expected MODULE:CLASS"),
        ("TEXTUAL_DRIVER", "json:loads", "loads is not a driver of Textual"),
        ("TEXTUAL_DRIVER", "json:nothing", "module 'json' has no attribute 'nothing'"),
        ("TEXTUAL_COLOR_SYSTEM", "many", "expected one of auto, standard, 256, truecolor"),
    ],
)
def test_a_variable_that_cannot_be_used_is_named(
    tmp_path: Path, name: str, value: str, said: str
) -> None:
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0", name: value}
    with Terminal(WORKBENCH, columns=200, folder=tmp_path, environment=environment) as terminal:
        assert terminal.process.wait(60) == 2
        terminal.wait_for(f"workbench: error: {name}={value}: ")
    lines = [line.rstrip() for line in terminal.text.split("\n") if line.strip()]
    assert len(lines) == 1
    assert said in lines[0]


@pytest.mark.parametrize(
    "name", ["TEXTUAL_ANIMATIONS", "TEXTUAL_FPS", "TEXTUAL_DIM_FACTOR", "TEXTUAL_SMOOTH_SCROLL"]
)
def test_others_have_their_defaults(tmp_path: Path, name: str) -> None:
    environment: dict[str, str | None] = {"WORKBENCH_PORT": "0", name: "x"}
    with Terminal(WORKBENCH, folder=tmp_path, environment=environment) as terminal:
        terminal.wait_for("Misses")
        terminal.press("q")
        assert terminal.process.wait(60) == 0
