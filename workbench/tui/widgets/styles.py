"""Styles by meaning. All are variables of the theme."""

from typing import Final

MUTED: Final = "$foreground-muted"
LABEL: Final = "$text-secondary"
ACCENT: Final = "$text-accent"
ERROR: Final = "$text-error"
WARNING: Final = "$text-warning"
SUCCESS: Final = "$text-success"
HELD: Final = "bold $text-primary"

LINE: Final = "$foreground 20%"
FOCUSED_LINE: Final = "$primary"

JSON_KEY: Final = LABEL
JSON_STRING: Final = "$text-success"
JSON_NUMBER: Final = "$text-warning"
JSON_LITERAL: Final = ACCENT
