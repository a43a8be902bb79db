"""The themes: which one it begins with, and their grounds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import rich.color
from rich.color import ColorSystem
from textual.color import Color
from textual.theme import BUILTIN_THEMES, Theme

from tests.tui.running import Running
from tests.tui.test_app import play
from workbench.tui.widgets.styles import DARK, LIGHT, THEMES, first_theme

HEX = re.compile("#[0-9A-Fa-f]{6,8}")


def colours(theme: Theme) -> dict[str, Color]:
    found = {**theme.to_color_system().generate(), **theme.variables}
    return {name: Color.parse(text) for name, text in found.items() if HEX.fullmatch(text)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", ["background", "surface", "panel"])
def test_the_grounds_stay_grey_in_a_terminal_of_256_colours(theme: Theme, ground: str) -> None:
    drawn = rich.color.Color.parse(getattr(theme, ground)).downgrade(ColorSystem.EIGHT_BIT)
    assert drawn.number in {16, 231, *range(232, 256)}  # black, white and the greys


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ("", DARK),
        ("workbench-light", LIGHT),
        ("no-theme", DARK),
        ("no-theme, textual-light", BUILTIN_THEMES["textual-light"]),
    ],
)
def test_the_first_known_theme_is_taken(wanted: str, taken: Theme) -> None:
    assert first_theme(wanted) == taken.name


@pytest.mark.parametrize(("wanted", "taken"), [(None, DARK), (LIGHT.name, LIGHT)])
def test_it_begins_in_the_theme_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wanted: str | None, taken: Theme
) -> None:
    monkeypatch.delenv("TEXTUAL_THEME", raising=False)
    if wanted is not None:
        monkeypatch.setenv("TEXTUAL_THEME", wanted)

    async def flow(running: Running) -> None:
        assert running.app.theme == taken.name
        assert running.app.has_class("-dark-mode") == taken.dark
        drawn = running.app.main.background_colors[1]
        assert drawn.hex == colours(taken)["background"].hex

    play(tmp_path, [], flow)
