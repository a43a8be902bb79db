"""What all tests share: how many examples hypothesis tries, and how long one may take."""

from __future__ import annotations

import os

from hypothesis import settings

# Everyday runs look at fewer; HYPOTHESIS_PROFILE=thorough at more than the default.
settings.register_profile("suite", max_examples=40, deadline=None)
settings.register_profile("thorough", max_examples=1_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
