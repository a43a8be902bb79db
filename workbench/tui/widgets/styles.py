"""Styles by meaning. All are variables of the theme.

A screen has three hues: for what can be pressed or is selected, for what is fine, and for what
needs a look. Errors alone have a fourth. Everything else differs by brightness and weight.
"""

from typing import Final

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
