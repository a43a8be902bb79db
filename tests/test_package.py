"""What is installed: with the style sheet and the sample data, not only the modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Printed by the installed package, from a folder that is not the checkout.
LIST = """
from importlib.resources import files
import workbench.tui, workbench.demo
print(files("workbench.tui").joinpath("main.tcss").is_file())
fixtures = [f.name for f in files("workbench.demo").joinpath("fixtures").iterdir()]
print(sum(name.endswith(".json") for name in fixtures))
print(files("workbench").joinpath("py.typed").is_file())
"""


def test_the_installed_package_has_its_data_files(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-c", LIST], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "6", "True"]


def test_the_command_is_installed(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("workbench")
    done = subprocess.run(
        [command, "--version"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("workbench ")
