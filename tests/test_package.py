"""The distribution: what is built is complete, and its commands run where only it is installed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "workbench" / "manual" / "pictures"


def run(*command: str | Path, cwd: Path) -> str:
    """What a command prints. It has to succeed and to say nothing else."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the unpacked source distribution, as installers build it."""
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, "sdist", folder)
    [packed] = folder.glob("*.tar.gz")
    with tarfile.open(packed) as sources:
        # Set, not passed: Python before 3.11.4 knows no filters.
        sources.extraction_filter = getattr(tarfile, "data_filter", None)
        sources.extractall(folder)
    build(folder / packed.name.removesuffix(".tar.gz"), "wheel", folder)
    [found] = folder.glob("*.whl")
    return found


def build(project: Path, target: str, folder: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "-d", str(folder)]
    subprocess.run(command, cwd=project, capture_output=True, check=True)


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The folder of the commands of a new environment. It has the wheel, and finds the libraries of
    this one.
    """
    home = wheel.parent / "environment"
    venv.create(home, symlinks=True)
    scripts = Path(sysconfig.get_path("scripts", "venv", {"base": str(home)}))
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(scripts / "python"),
        "--no-input",
        "install",
    ]
    options = ["--quiet", "--no-deps", "--no-index", "--no-compile", "--no-warn-script-location"]
    subprocess.run([*pip, *options, str(wheel)], check=True)
    packages = {"base": str(home), "platbase": str(home)}
    libraries = Path(sysconfig.get_path("purelib", "venv", packages), "libraries.pth")
    libraries.write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    """Built from the source distribution, which therefore has them, too. A terminal shows no
    pictures: they are in the latter alone.
    """
    with zipfile.ZipFile(wheel) as packed:
        found = {name for name in packed.namelist() if ".dist-info/" not in name}
    files = (path for path in (ROOT / "workbench").rglob("*") if path.is_file())
    expected = (path for path in files if path.suffix not in {".pyc", ".svg"})
    assert found == {path.relative_to(ROOT).as_posix() for path in expected}
    unpacked = next(wheel.parent.glob("*.tar.gz")).name.removesuffix(".tar.gz")
    assert (wheel.parent / unpacked / PICTURES.relative_to(ROOT) / "loop.svg").is_file()
    kinds = {Path(name).suffix for name in found}
    assert {".py", ".tcss", ".json", ".md"} <= kinds
    assert "workbench/py.typed" in found


def test_the_package_index_takes_both_distributions(wheel: Path) -> None:
    packages = [wheel, *wheel.parent.glob("*.tar.gz")]
    run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *packages, cwd=ROOT)


def test_the_commands_of_the_wheel(installed: Path, tmp_path: Path) -> None:
    place = run(installed / "python", "-c", "print(__import__('workbench').__file__)", cwd=tmp_path)
    assert Path(place).is_relative_to(installed.parent)
    for command in ("workbench", "llm-fixture-workbench"):
        assert run(installed / command, "--help", cwd=tmp_path).startswith("Test LLM applications")
    assert run(installed / "workbench", "manual", "tutorial", cwd=tmp_path).startswith("# ")
    # It imports every command.
    assert "_workbench()" in run(installed / "workbench", "completion", "bash", cwd=tmp_path)


def test_the_extra_of_the_browser_has_what_its_command_imports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["chromium"]]
    tree = ast.parse((ROOT / "tests" / "browser" / "__main__.py").read_text("utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    modules += [
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    ]
    imported = {module.split(".")[0] for module in modules if module}
    outside = imported - sys.stdlib_module_names
    assert {"playwright", "pyte"} <= outside
    assert outside <= {re.split(r"[^\w-]", text)[0] for text in needed}
