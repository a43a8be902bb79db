"""``python -m tests.installers``: builds the distributions and installs each with its dependencies
by pip, uv and pipx, then tries the commands. It needs a network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
COMMANDS: Final = ("workbench --version", "llm-fixture-workbench --version", "workbench --demo")


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="workbench-installers-") as name:
        folder = Path(name)
        venv.create(folder / "tools", with_pip=True)
        tools = folder / "tools" / "bin"
        run(tools / "python", "-m", "pip", "install", "--quiet", "build", "twine", "uv", "pipx")
        run(tools / "python", "-m", "build", "--outdir", folder / "dist", ROOT, quiet=True)
        packages = sorted((folder / "dist").iterdir())
        run(tools / "twine", "check", "--strict", *packages)
        failed = [
            f"{package.name} by {installer}"
            for package in packages
            for installer in ("pip", "uv", "pipx", "uvx")
            if not works(installer, package, tools, folder / f"{installer}-{package.name}")
        ]
    print("\n".join(f"failed: {each}" for each in failed) or "all installed and run")
    return 1 if failed else 0


def works(installer: str, package: Path, tools: Path, home: Path) -> bool:
    """Install a distribution in an empty place, and run its commands."""
    print(f"== {package.name} by {installer}", flush=True)
    commands = home / "bin"
    environment = {**os.environ, "PATH": f"{commands}:{os.environ['PATH']}"}
    before: tuple[str, ...] = ()
    try:
        if installer == "pip":
            venv.create(home, with_pip=True)
            run(commands / "pip", "install", "--quiet", package)
        elif installer == "uv":
            environment |= {"UV_TOOL_DIR": str(home / "tools"), "UV_TOOL_BIN_DIR": str(commands)}
            run(tools / "uv", "tool", "install", "--quiet", package, environment=environment)
        elif installer == "pipx":
            environment |= {"PIPX_HOME": str(home / "pipx"), "PIPX_BIN_DIR": str(commands)}
            run(tools / "pipx", "install", "--quiet", package, environment=environment)
        else:
            before = (str(tools / "uvx"), "--from", str(package))
        home.mkdir(exist_ok=True)
        for command in COMMANDS:
            run(*before, *command.split(), environment=environment, cwd=home, quiet=True)
    except subprocess.CalledProcessError:
        return False
    return True


def run(
    *command: str | Path,
    environment: dict[str, str] | None = None,
    cwd: Path = ROOT,
    quiet: bool = False,
) -> None:
    """Run a program without a terminal. Raises CalledProcessError if it fails."""
    output = subprocess.DEVNULL if quiet else None
    subprocess.run(
        command, check=True, cwd=cwd, env=environment, stdin=subprocess.DEVNULL, stdout=output
    )


if __name__ == "__main__":
    sys.exit(main())
