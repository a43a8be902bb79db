"""Installs each client at its newest version, in a folder of its own, so that none holds another
back.

The folders are kept in the cache of the one who runs this, so that a second time is quick.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path
from typing import Final

from tests.clients.client import Client

CACHE: Final = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "workbench-clients")
JAVASCRIPT: Final = Path(__file__).with_name("agents.mjs")
PATIENCE_SECONDS: Final = 900
# Clients with the same packages share a folder, and are tried at the same time.
_LOCKS: Final = defaultdict[Path, threading.Lock](threading.Lock)
_UPDATED: Final = set[Path]()


class InstallError(Exception):
    """A client cannot be installed; says why."""


def folder_of(client: Client) -> Path:
    """Where its packages are."""
    registry = "PyPI" if client.language == "Python" else "npm"
    return (
        CACHE / registry / re.sub(r"[^\w.,=\[\]-]+", "-", ",".join(client.all_packages)).strip("-")
    )


def programs_of(client: Client) -> Path:
    """The folder with its programs."""
    folder = folder_of(client)
    return folder / "bin" if client.language == "Python" else folder / "node_modules" / ".bin"


def install(client: Client, *, update: bool) -> None:
    """Install its packages. Raises InstallError.

    Args:
        update: to the newest versions, if they are installed already.
    """
    folder = folder_of(client)
    with _LOCKS[folder]:
        is_new = not (folder / "installed").exists()
        if is_new or (update and folder not in _UPDATED):
            if client.language == "Python":
                install_python(folder, client.all_packages)
            else:
                install_javascript(folder, client.all_packages)
            (folder / "installed").touch()
            _UPDATED.add(folder)
        if client.language == "JavaScript":
            shutil.copy(JAVASCRIPT, folder)  # modules look for packages beside themselves


def install_python(folder: Path, packages: tuple[str, ...]) -> None:
    """Install the newest versions of packages of PyPI. Raises InstallError."""
    with _LOCKS[CACHE]:
        uv = _uv()
    _run([uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(folder)])
    python = str(folder / "bin" / "python")
    _run([uv, "pip", "install", "--quiet", "--upgrade", "--python", python, *packages])


def _uv() -> str:
    """The program uv, which installs what is in its cache at once."""
    folder = CACHE / "uv"
    uv = folder / "bin" / "uv"
    if not uv.exists():
        _run([sys.executable, "-m", "venv", str(folder)])
        _run([str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "uv"])
    return str(uv)


def install_javascript(folder: Path, packages: tuple[str, ...]) -> None:
    """Install the newest versions of packages of npm. Raises InstallError."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true, "type": "module"}\n')
    newest = [f"{package}@latest" for package in packages]
    _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *newest])


def _run(words: list[str]) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        raise InstallError(f"not installed: {done.stderr.strip()[-2000:]}")


def versions(client: Client) -> dict[str, str]:
    """The versions of its packages, by their names."""
    folder = folder_of(client)
    if client.language == "Python":
        names = [package.partition("[")[0] for package in client.packages]
        program = (
            "import importlib.metadata as m, json, sys;"
            "print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))"
        )
        words = [str(folder / "bin" / "python"), "-c", program, *names]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout))
    return {
        package: json.loads((folder / "node_modules" / package / "package.json").read_text())[
            "version"
        ]
        for package in client.packages
    }
