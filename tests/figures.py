"""``python -m tests.figures``: all that the manual's page of figures states, part after part.

Needs ``.[dev,bench,mutation]``, an idle machine and most of a day. Exits with 1 where a
part failed, or a ratio does not reach what is promised.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
# The headings of the page, and the command that each stands for.
PARTS = {
    "Measured": ["tests.benchmarks", "--format", "markdown"],
    "Tried hard": ["tests.soak"],
    "Would the tests notice?": ["tests.mutants"],
}


def main() -> int:
    codes = []
    for heading, command in PARTS.items():
        print(f"\n## {heading}\n", flush=True)
        part = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False)
        codes.append(part.returncode)
    return 1 if any(codes) else 0


if __name__ == "__main__":
    sys.exit(main())
