"""All checks, one after the other: ``python -m tests``. Arguments go to pytest.

Exits with 0 only if every check passed; a check that cannot run has failed. Tests that failed run
a second time, alone: many drive terminals, servers and programs, which compete for a busy machine.
Those that pass only then are named as unsteady. They are to be mended, but do not fail the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))

# Tests of a terminal and of servers wait as long as they compute.
WORKERS = str(2 * (os.cpu_count() or 1))

TESTS = [sys.executable, "-m", "pytest"]
CHECKS: list[list[str]] = [
    [str(SCRIPTS / "ruff"), "format", "--check", "."],
    [str(SCRIPTS / "ruff"), "check", "."],
    [sys.executable, "-m", "mypy"],
    [str(SCRIPTS / "lint-imports"), "--no-cache"],
]


def main() -> int:
    failed = [command for command in CHECKS if run(command)]
    many = [*TESTS, "-n", WORKERS, "--dist", "worksteal", *sys.argv[1:]]
    if (code := run(many)) == pytest.ExitCode.TESTS_FAILED:
        code = run([*TESTS, "-v", "--last-failed", *sys.argv[1:]])
        if not code:
            print("unsteady: the tests above passed only when run alone", file=sys.stderr)
    if code:
        failed.append(many)
    for command in failed:
        print(f"failed: {shown(command)}", file=sys.stderr)
    return 1 if failed else 0


def run(command: list[str]) -> int:
    """Run a check and say how long it took; returns its exit code."""
    print(f"\n== {shown(command)}", flush=True)
    begun = time.monotonic()
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    print(f"== {time.monotonic() - begun:.1f} s", flush=True)
    return code


def shown(command: list[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


if __name__ == "__main__":
    sys.exit(main())
