"""All checks, one after the other: ``python -m tests``. Arguments go to pytest.

Exits with 0 only if every check passed; a check that cannot run has failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))

# Tests of a terminal and of servers wait as long as they compute; each worker collects all tests.
WORKERS = str((os.cpu_count() or 1) + 2)

CHECKS: list[list[str]] = [
    [str(SCRIPTS / "ruff"), "format", "--check", "."],
    [str(SCRIPTS / "ruff"), "check", "."],
    [sys.executable, "-m", "mypy"],
    [str(SCRIPTS / "lint-imports"), "--no-cache"],
    [sys.executable, "-m", "pytest", "-n", WORKERS, "--dist", "worksteal"],
]


def main() -> int:
    failed = []
    for command in CHECKS:
        if command[1:3] == ["-m", "pytest"]:
            command = [*command, *sys.argv[1:]]
        shown = " ".join([Path(command[0]).name, *command[1:]])
        print(f"\n== {shown}", flush=True)
        begun = time.monotonic()
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(shown)
        print(f"== {time.monotonic() - begun:.1f} s", flush=True)
    for shown in failed:
        print(f"failed: {shown}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
