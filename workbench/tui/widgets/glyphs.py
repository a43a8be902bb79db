"""The glyphs of states and severities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from workbench.tui.widgets.styles import ACCENT, ERROR, HELD, MUTED, SUCCESS, WARNING

if TYPE_CHECKING:
    from workbench.core.fixture.findings import Severity
    from workbench.session.misses.states import StateKind


class StateLook(NamedTuple):
    """How a state or a severity is drawn."""

    glyph: str
    style: str


STATES: Final[dict[StateKind, StateLook]] = {
    "held": StateLook("‖", HELD),
    "broken": StateLook("╳", ERROR),
    "answered": StateLook("●", SUCCESS),
    "ignored": StateLook("·", MUTED),
    "skipped": StateLook("→", MUTED),
    "draft": StateLook("◐", ACCENT),
    "stale": StateLook("≈", WARNING),
    "unsupported": StateLook("⊘", ERROR),
    "blocked": StateLook("↳", MUTED),
    "unlogged": StateLook("?", MUTED),
    "missing": StateLook("○", "$foreground"),
}

# Between a value and the one that replaces it.
ARROW: Final = "→"

# In place of the glyph of an answer that the server was seen to send.
VERIFIED: Final = "✓"
# Replaces the glyph of a draft with errors.
WITH_ERRORS: Final = "×"

# The meanings of the glyphs of states, by the words beside them in a wide list.
LEGEND: Final = "  ".join(
    f"{glyph}\N{NO-BREAK SPACE}{word}"
    for glyph, word in (
        *((look.glyph, kind) for kind, look in STATES.items() if kind != "answered"),
        (WITH_ERRORS, "errors"),
        (STATES["answered"].glyph, "saved, elsewhere, equivalent"),
        (VERIFIED, "verified"),
    )
)

SEVERITIES: Final[dict[Severity, StateLook]] = {
    "error": StateLook("×", ERROR),
    "warning": StateLook("!", WARNING),
    "info": StateLook("·", MUTED),
}
