"""``python -m tests.soak``: all long runs at full length, one after the other, and what each found.

A million requests, documents and logs: some hours. ``SOAK_REQUESTS`` and ``FUZZ_COUNT`` ask for
fewer; arguments go to pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
FULL_LENGTH = {"SOAK_REQUESTS": "1000000", "FUZZ_COUNT": "1000000"}


def main() -> int:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-s", str(FOLDER), *sys.argv[1:]],
        cwd=FOLDER.parents[1],
        env={**FULL_LENGTH, **os.environ},
        check=False,
    )
    return ran.returncode


if __name__ == "__main__":
    sys.exit(main())
