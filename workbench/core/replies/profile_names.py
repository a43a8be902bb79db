"""The names of the profiles, which say whose replies a reply is like."""

from __future__ import annotations

from typing import Final, Literal, get_args

ProfileName = Literal["stub", "openai"]
PROFILE_NAMES: Final[tuple[ProfileName, ...]] = get_args(ProfileName)
DEFAULT_PROFILE: Final[ProfileName] = "stub"
