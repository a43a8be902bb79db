"""``workbench`` as a program whose held clients hear something after tenths of a second."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from workbench.cli.main import main
from workbench.server.misses import hold
from workbench.server.wire import incoming

# Instead of 3 and 2 seconds.
QUIET_SECONDS: Final = 0.4
SIGN_SECONDS: Final = 0.3

PROGRAM: Final = (str(Path(__file__)),)


def settings(quiet: float, most: float) -> dict[str, str]:
    """Environment variables with other seconds until a sign, and those that ``fetch`` waits."""
    return {"HURRIED_QUIET": str(quiet), "HURRIED_MOST": str(most)}


if __name__ == "__main__":
    # Before the server reads them, which is loaded when it is started.
    quiet = float(os.environ.get("HURRIED_QUIET", QUIET_SECONDS))
    most = float(os.environ.get("HURRIED_MOST", incoming.MOST_SECONDS))
    vars(hold).update(QUIET_SECONDS=quiet, SIGN_SECONDS=SIGN_SECONDS)
    vars(incoming).update(MOST_SECONDS=most)
    sys.exit(main())
