"""Killing a process while it saves, again and again, and looking at what is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from workbench.io.files.atomic import remove_leftovers, write_atomic

SIZES = (100, 10_000, 300_000, 2_000_000)


@dataclass
class Outcome:
    """What the kills hit.

    Attributes:
        leftovers: how many left a temporary file.
        created: how many left the file that was being created, where that was tried.
    """

    leftovers: int = 0
    created: int = 0


def version(seed: int, number: int) -> bytes:
    """One of two contents, which differ in every block, and mostly in size."""
    size = random.Random(f"{seed} {number}").choice(SIZES)
    block = b"%d-%d " % (seed, number)
    return (block * (size // len(block) + 1))[:size]


def save_for_ever(file: Path, seed: int, create: bool) -> None:
    """The process to be killed."""
    versions = [version(seed, 0), version(seed, 1)]
    print("saving", flush=True)
    while True:
        for data in versions:
            if create:
                file.unlink(missing_ok=True)
            write_atomic(file, data, create=create)


def kill_while_saving(folder: Path, times: int, *, create: bool = False) -> Outcome:
    """Kill a saving process ``times`` times, each after some milliseconds; fails where anything is
    left but one whole version.
    """
    outcome = Outcome()
    for seed in range(times):
        file = folder / "file.json"
        versions = [version(seed, 0), version(seed, 1)]
        if not create:
            write_atomic(file, versions[0])
        _start_and_kill(file, seed, create)

        found = file.read_bytes() if file.exists() else None
        assert found in versions or (create and found is None), f"kill {seed} left half a file"
        outcome.leftovers += remove_leftovers(folder)
        outcome.created += found is not None
        assert os.listdir(folder) == [file.name] * (found is not None)
        file.unlink(missing_ok=True)
    return outcome


def _start_and_kill(file: Path, seed: int, create: bool) -> None:
    command = [sys.executable, "-m", __name__, str(file), str(seed), str(int(create))]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"saving\n"
        try:
            process.wait(random.Random(seed).uniform(0, 0.03))
        except subprocess.TimeoutExpired:
            process.kill()
        assert process.wait() == -signal.SIGKILL


if __name__ == "__main__":
    save_for_ever(Path(sys.argv[1]), int(sys.argv[2]), bool(int(sys.argv[3])))
