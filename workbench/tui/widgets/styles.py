"""Styles by meaning, and two themes in addition to Textual's: all styles are variables of the
theme.

A screen has three hues: for buttons and the selection, for good states, and for items that need a
look. Only errors have a fourth. Everything else differs by brightness and weight.
"""

from __future__ import annotations

from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

MUTED: Final = "$foreground-muted"
LABEL: Final = "$text-secondary"
ACCENT: Final = "$text-primary"
ERROR: Final = "$text-error"
WARNING: Final = "$text-warning"
SUCCESS: Final = "$text-success"
HELD: Final = "bold $text-primary"
KEY: Final = "bold $text-primary"

LINE: Final = "$foreground 20%"
FOCUSED_LINE: Final = "$primary"

JSON_KEY: Final = LABEL
JSON_STRING: Final = "$text-success"
JSON_NUMBER: Final = "$foreground"
JSON_LITERAL: Final = "$foreground"

DARK: Final = Theme(
    name="workbench",
    primary="#7aa2ff",
    secondary="#62c4e0",
    accent="#d0a3ff",
    warning="#f4bf6a",
    error="#ff7a90",
    success="#84d68f",
    foreground="#dde2f2",
    background="#0f111a",
    surface="#161a28",
    panel="#23272f",
    variables={
        "text-primary": "#9dbaff",
        "text-secondary": "#a4adc6",
        "text-accent": "#9dbaff",
        "text-warning": "#f4bf6a",
        "text-error": "#ff7a90",
        "text-success": "#84d68f",
        "foreground-muted": "#8790ac",
        "block-cursor-foreground": "#0f111a",
        "scrollbar": "#656f97",
        "scrollbar-hover": "#7f8bb8",
        "scrollbar-active": "#7aa2ff",
        "scrollbar-background": "#161a28",
        "scrollbar-background-hover": "#161a28",
        "scrollbar-background-active": "#161a28",
        "input-cursor-background": "#dde2f2",
        "input-cursor-foreground": "#0f111a",
        "input-selection-background": "#4a6cc8",
        "input-selection-foreground": "#ffffff",
        "screen-selection-background": "#4a6cc8",
        "screen-selection-foreground": "#ffffff",
    },
)

LIGHT: Final = Theme(
    name="workbench-light",
    dark=False,
    primary="#3158d4",
    secondary="#006d87",
    accent="#8a35b5",
    warning="#8f5b00",
    error="#c0264a",
    success="#1c7434",
    foreground="#1f2437",
    background="#f1f3f9",
    surface="#fcfdff",
    panel="#e4e7eb",
    variables={
        "surface-lighten-1": "#e2e6f0",
        "text-primary": "#2447b8",
        "text-secondary": "#485070",
        "text-accent": "#2447b8",
        "text-warning": "#8f5b00",
        "text-error": "#c0264a",
        "text-success": "#1c7434",
        "foreground-muted": "#5a627a",
        "block-cursor-foreground": "#ffffff",
        "scrollbar": "#7a85a8",
        "scrollbar-hover": "#5f6b92",
        "scrollbar-active": "#3158d4",
        "scrollbar-background": "#e6eaf4",
        "scrollbar-background-hover": "#e6eaf4",
        "scrollbar-background-active": "#e6eaf4",
        "input-cursor-background": "#1f2437",
        "input-cursor-foreground": "#ffffff",
        "input-selection-background": "#6f86cf",
        "input-selection-foreground": "#121726",
        "screen-selection-background": "#6f86cf",
        "screen-selection-foreground": "#121726",
    },
)

THEMES: Final = (DARK, LIGHT)
OURS: Final = {theme.name: theme for theme in THEMES}


def first_theme(chosen: str) -> str:
    """The name of the theme to start with: the first that there is of ``chosen``, which are
    separated by commas as in Textual's ``TEXTUAL_THEME``; else our dark one.
    """
    themes = BUILTIN_THEMES.keys() | OURS.keys()
    names = (name.strip() for name in chosen.split(","))
    return next((name for name in names if name in themes), DARK.name)
