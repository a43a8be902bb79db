"""Workflow runs of GitHub: their log acts on a line of output that is written as a command."""

from __future__ import annotations

import os
import re
from typing import Final

# ``::name::`` at the start of a line, after blanks too, and ``##[name]`` anywhere.
# Compiled on first use: most programs run elsewhere.
_COMMAND: Final = r"(?m)^(\s*):(?=:)|#(?=#\[)"


def in_workflow() -> bool:
    """True if this process runs in a step of a workflow."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def without_commands(text: str) -> str:
    """``text`` as it is printed: in a workflow, with a JSON escape where a command would begin."""
    if not in_workflow():
        return text
    return re.sub(_COMMAND, lambda m: r"\u0023" if m[1] is None else m[1] + r"\u003a", text)
