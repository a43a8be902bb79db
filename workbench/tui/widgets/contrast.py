"""Colours that can be read: the variables of a theme, changed as far as their contrast needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from textual.color import BLACK, WHITE, Color

# The least contrast of text, and of what else carries meaning (WCAG 2.1, 1.4.3 and 1.4.11).
TEXT: Final = 4.5
OTHER: Final = 3.0

# The backgrounds of text and lines.
GROUNDS: Final = ("background", "surface", "panel", "surface-lighten-1")
TEXTS: Final = (
    "foreground", "foreground-muted", "text-primary", "text-secondary", "text-accent",
    "text-success", "text-warning", "text-error",
    "markdown-h1-color", "markdown-h2-color", "markdown-h3-color", "markdown-h4-color",
    "markdown-h5-color", "markdown-h6-color",
)  # fmt: skip
# Placeholders among them: each is black or white with a given opacity.
_AUTO: Final = {
    "text": "foreground", "text-muted": "foreground-muted", "text-disabled": "foreground-muted",
}  # fmt: skip
# The lines of the focused pane, cursors, and what is selected; scroll bars on their own ground.
MARKS: Final = (
    "primary", "border", "block-cursor-background", "input-cursor-background",
    "input-selection-background", "screen-selection-background",
)  # fmt: skip
# The box of a field without the focus; lines of panes may be fainter.
FIELD_BOX: Final = "field-box"
_FIELD_BOX_SHARE: Final = 0.3
SCROLLBARS: Final = ("scrollbar", "scrollbar-hover", "scrollbar-active")
_TEXT_ON: Final = {
    "block-cursor-foreground": "block-cursor-background",
    "input-cursor-foreground": "input-cursor-background",
    "input-selection-foreground": "input-selection-background",
    "screen-selection-foreground": "screen-selection-background",
}


def readable(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables of a theme, with adjusted colours for text, marks and scroll bars that contrast
    with their backgrounds, and one for the box of a field. Colours with enough contrast, and the
    terminal's own colours, stay.
    """
    parsed = _Colours(variables)
    if parsed["background"].ansi is not None:
        return {**variables, FIELD_BOX: variables["foreground-muted"]}
    grounds = [parsed[name] for name in GROUNDS]
    changed = {name: _clear(parsed[name], grounds, TEXT) for name in TEXTS}
    # Fields and lists lie on the first two; bars have no cursor.
    changed |= {name: _clear(parsed[name], grounds[:2], OTHER) for name in MARKS}
    box = grounds[0].blend(parsed["foreground"], _FIELD_BOX_SHARE, 1)
    changed[FIELD_BOX] = _clear(box, grounds[:2], OTHER)
    track = parsed["scrollbar-background"]
    changed |= {name: _clear(parsed[name], [track], OTHER) for name in SCROLLBARS}
    changed |= {
        name: _clear(parsed[name], [changed[ground]], TEXT) for name, ground in _TEXT_ON.items()
    }
    changed |= {name: changed[instead] for name, instead in _AUTO.items()}
    return {**variables, **{name: colour.hex for name, colour in changed.items()}}


class _Colours:
    """The colours of variables, as they are on the background of the screen."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._ground = Color.parse(variables["background"])

    def __getitem__(self, name: str) -> Color:
        text = self._variables[name]
        if text.startswith("auto"):
            text = self._variables["foreground"]
        code, _, share = text.partition(" ")
        colour = Color.parse(code)
        if share:
            colour = colour.multiply_alpha(float(share.rstrip("%")) / 100)
        return self._ground + colour


def _clear(colour: Color, grounds: Sequence[Color], least: float) -> Color:
    """``colour``, or the nearest colour towards black or white that has enough contrast."""
    end = max(BLACK, WHITE, key=lambda end: _least_contrast(end, grounds))
    mixed = (colour.blend(end, step / 20, 1) for step in range(20))
    return next((each for each in mixed if _least_contrast(each, grounds) >= least), end)


def _least_contrast(colour: Color, grounds: Sequence[Color]) -> float:
    return min(contrast(colour, ground) for ground in grounds)


def contrast(colour: Color, other: Color) -> float:
    """The ratio of two opaque colours, from 1 to 21, as WCAG 2.1 defines it."""
    dark, light = sorted((_luminance(colour), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@lru_cache(1024)
def _luminance(colour: Color) -> float:
    parts = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in colour.normalized
    ]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
