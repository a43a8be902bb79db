"""Everything that is written can be read: in both themes, on every ground."""

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
from workbench.tui.widgets import styles
from workbench.tui.widgets.styles import DARK, LIGHT, THEMES, first_theme

# WCAG 2.1, 1.4.3: the least contrast of text, and 1.4.11 of what is not text.
TEXT, OTHER = 4.5, 3.0
HEX = re.compile("#[0-9A-Fa-f]{6,8}")
WORDS = [
    style
    for name, style in vars(styles).items()
    if name.isupper() and isinstance(style, str) and not name.endswith("LINE")
]


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2.1 defines it."""
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in color.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(one: Color, other: Color) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def colours(theme: Theme) -> dict[str, Color]:
    found = {**theme.to_color_system().generate(), **theme.variables}
    return {name: Color.parse(text) for name, text in found.items() if HEX.fullmatch(text)}


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
@pytest.mark.parametrize("ground", ["background", "surface", "panel"])
def test_text_has_contrast(theme: Theme, ground: str) -> None:
    known = colours(theme)
    names = {style.split("$")[1] for style in WORDS} | {"foreground", "text-primary"}
    for name in names:
        drawn = known[ground] + known[name]
        assert contrast(drawn, known[ground]) >= TEXT, (name, ground)


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


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_the_focus_and_the_selected_row_stand_out(theme: Theme) -> None:
    known = colours(theme)
    for ground in ("background", "surface"):
        assert contrast(known["primary"], known[ground]) >= OTHER
    cursor = known["block-cursor-background"]
    assert contrast(known["block-cursor-foreground"], cursor) >= TEXT
