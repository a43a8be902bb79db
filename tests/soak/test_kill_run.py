"""Signals end ``workbench run`` at random moments, 100 times: nothing that it started runs on."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.server.running import clean_environment, wait_until

KILLS = 100
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
# Says who it is, and starts a child as test runners do.
SUITE = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open("suite.pids", "w").write(f"{os.getpid()} {child.pid}\\n")
time.sleep(600)
"""


@pytest.mark.timeout(1800)
def test_nothing_runs_on(tmp_path: Path) -> None:
    chance = random.Random(3)
    started = 0
    for _ in range(KILLS):
        started += kill_once(tmp_path, chance.choice(SIGNALS), chance.uniform(0.3, 2))
    print(f"{KILLS} kills, {started} of them while the suite ran")
    assert started > KILLS / 4


def kill_once(folder: Path, number: int, seconds: float) -> bool:
    """Whether the suite had begun."""
    pids = folder / "suite.pids"
    pids.unlink(missing_ok=True)
    run = subprocess.Popen(
        [sys.executable, "-m", "workbench", "run", "--no-tui", "--", sys.executable, "-c", SUITE],
        cwd=folder,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        run.wait(seconds)
    except subprocess.TimeoutExpired:
        run.send_signal(number)
    # Python ignores a Ctrl+C in the middle of an import, and goes on: people press it again.
    while number == signal.SIGINT and not has_ended(run):
        run.send_signal(number)
    run.wait()
    # A signal during the start may come between the making of the file and its line.
    words = pids.read_text().split() if pids.exists() else []
    wait_until("all ended", lambda: not any(map(is_running, words)))
    return bool(words)


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Wait some seconds for it."""
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        return False
    return True


def is_running(pid: str) -> bool:
    try:
        return psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
