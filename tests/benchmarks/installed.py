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
    "aimock-pytest": ["aimock-pytest==0.7.0", "pytest>=9"],
    "mitmproxy": ["mitmproxy==11.0.2"],
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


@functools.cache
def npm(package: str, version: str) -> Path:
    """The folder of a package of npm, installed if need be."""
    root = Path(tempfile.gettempdir()) / "workbench-bench"
    folder = root / f"{package.rpartition('/')[2]}-{version}"
    found = folder / "node_modules" / package
    if not found.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _run("npm", "install", "--prefix", str(folder), f"{package}@{version}")
    return found


def _run(*command: str) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotMeasuredError(f"{command[0]}: {error.strerror}") from None
    if done.returncode:
        last = (done.stderr.strip() or "no reason given").splitlines()[-1]
        raise NotMeasuredError(f"{' '.join(command[-2:])}: {last}")


def need(*modules: str) -> None:
    """Raise unless the packages of the group ``bench`` are installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise NotMeasuredError(f"no {', '.join(missing)}; pip install '.[bench]'")
