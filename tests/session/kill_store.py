"""Killing a process while it keeps a draft, and looking at what is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

from workbench.io.state_folder import StateFolder
from workbench.session.drafts.store import Draft, DraftStore

DIGEST = "a" * 64
TEXTS = ("short", "a long one 🚀 " * 50_000)


def open_book(folder: Path) -> DraftStore:
    return DraftStore(StateFolder(folder / ".workbench"), folder / "fixtures")


def store_for_ever(folder: Path) -> None:
    """The process to be killed."""
    index = open_book(folder)
    draft = index.add(Draft(DIGEST, ""))
    for text in (TEXTS[0], *TEXTS * 1_000_000):
        draft.set_text(text)
        index.store(DIGEST)
        print("stored", flush=True)


def kill_while_storing(folder: Path, times: int) -> None:
    """Kill a storing process ``times`` times; fails where anything is left but one whole draft."""
    for seed in range(times):
        with subprocess.Popen(
            [sys.executable, "-m", __name__, str(folder)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"stored\n"
            try:
                process.wait(random.Random(seed).uniform(0, 0.03))
            except subprocess.TimeoutExpired:
                process.kill()
            assert process.wait() == -signal.SIGKILL
        index = open_book(folder)
        assert index.recover() == []
        assert index.drafts[DIGEST].text in TEXTS
        # What the kill left half written is gone.
        assert os.listdir(index.folder) == [f"{DIGEST}.json"]


if __name__ == "__main__":
    store_for_ever(Path(sys.argv[1]))
