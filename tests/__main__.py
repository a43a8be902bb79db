"""All checks: ``python -m tests``. Arguments go to pytest.

The other checks run beside the tests, which often wait, and are shown after them. Exits with 0 only
if every check passed; a check that cannot run has failed. Tests that failed run
a second time, alone: many drive terminals, servers and programs, which compete for a busy machine.
Those that pass only then are named as unsteady. They are to be mended, but do not fail the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))

# Tests of a terminal and of servers wait as long as they compute.
WORKERS = str(2 * (os.cpu_count() or 1))

TESTS = [sys.executable, "-m", "pytest"]
CACHE = ROOT / ".pytest_cache"
CHECKS: list[list[str]] = [
    [str(SCRIPTS / "ruff"), "format", "--check", "."],
    [str(SCRIPTS / "ruff"), "check", "."],
    [sys.executable, "-m", "mypy"],
    [str(SCRIPTS / "lint-imports"), "--no-cache"],
    [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
]


def main() -> int:
    # Programs share what the first of them compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # of mkdocs-material, in each build
    with ThreadPoolExecutor(max_workers=1) as beside:
        checks = [(command, beside.submit(check, command)) for command in CHECKS]
        if not CACHE.exists():
            # A fresh clone, in which each worker would compile all tests: now one does it for all.
            subprocess.run(
                [*TESTS, "-q", "--collect-only"], cwd=ROOT, check=False, capture_output=True
            )
        many = [*TESTS, "-n", WORKERS, "--dist", "worksteal", *sys.argv[1:]]
        if (code := run(many)) == pytest.ExitCode.TESTS_FAILED:
            code = run([*TESTS, "-v", "--last-failed", *sys.argv[1:]])
            if not code:
                print("unsteady: the tests above passed only when run alone", file=sys.stderr)
    failed = [many] if code else []
    for command, running in checks:
        code, said = running.result()
        print(said, flush=True)
        if code:
            failed.append(command)
    for command in failed:
        print(f"failed: {shown(command)}", file=sys.stderr)
    return 1 if failed else 0


def run(command: list[str]) -> int:
    """Run tests and say how long they took; returns the exit code."""
    print(f"\n== {shown(command)}", flush=True)
    begun = time.monotonic()
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    print(f"== {time.monotonic() - begun:.1f} s", flush=True)
    return code


def check(command: list[str]) -> tuple[int, str]:
    """Run a check; returns its exit code and what is to be shown of it."""
    begun = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    seconds = time.monotonic() - begun
    return done.returncode, f"\n== {shown(command)}\n{done.stdout}== {seconds:.1f} s"


def shown(command: list[str]) -> str:
    return " ".join([Path(command[0]).name, *command[1:]])


if __name__ == "__main__":
    sys.exit(main())
