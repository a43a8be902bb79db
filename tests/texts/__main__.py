"""Lists turns of phrase to write again: ``python -m tests.texts [FILE OR FOLDER…]``."""

from __future__ import annotations

import sys

from tests.texts.turns import turns

for place in turns():
    if not sys.argv[1:] or place.file.startswith(tuple(sys.argv[1:])):
        print(f"{place.file}:{place.line}: …{place.text}…  ({place.better})")
