"""Peers that do not go beside our own dependencies: each in an environment of its own."""

from __future__ import annotations

import functools
import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.table import NotMeasuredError

# posting's Textual crashes with a later tree-sitter.
PINNED = {
    "toolong": ["toolong==1.5.0"],
    "posting": ["posting==2.11.1", "tree-sitter>=0.25.2,<0.26"],
}


@functools.cache
def program(package: str, name: str) -> str:
    """The path of the program ``name`` of ``package``, installed if need be."""
    pinned = PINNED[package]
    folder = Path(tempfile.gettempdir()) / "workbench-bench" / pinned[0].replace("==", "-")
    found = folder / "bin" / name
    if not found.exists():
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(folder / "bin" / "python"), "-m", "pip", "install", *pinned)
    return str(found)


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise NotMeasuredError(f"{' '.join(command[-2:])}: {last}")


def need(*modules: str) -> None:
    """Raise unless the packages of the group ``bench`` are installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise NotMeasuredError(f"no {', '.join(missing)}; pip install '.[bench]'")
