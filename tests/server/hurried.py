"""``workbench`` as a program whose held clients hear something after tenths of a second."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from workbench.cli import main
from workbench.server.misses import hold

# Instead of 3 and 2 seconds.
QUIET_SECONDS: Final = 0.4
SIGN_SECONDS: Final = 0.3

PROGRAM: Final = (str(Path(__file__)),)

if __name__ == "__main__":
    # Before the server reads them, which is loaded when it is started.
    vars(hold).update(QUIET_SECONDS=QUIET_SECONDS, SIGN_SECONDS=SIGN_SECONDS)
    sys.exit(main())
