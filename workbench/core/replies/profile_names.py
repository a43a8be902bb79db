"""The names of the profiles: the formats in which replies are written."""

from __future__ import annotations

from typing import Final, Literal, get_args

ProfileName = Literal["stub", "openai"]
PROFILE_NAMES: Final[tuple[ProfileName, ...]] = get_args(ProfileName)
SERVE_PROFILE: Final[ProfileName] = "stub"
"""Of ``workbench serve``, which can take the place of the reference stub."""
RUN_PROFILE: Final[ProfileName] = "openai"
"""Of ``workbench run`` and ``mock_llm``, whose replies are as a suite gets them from the API."""
