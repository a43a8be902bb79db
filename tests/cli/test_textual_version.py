"""A Textual that this application was not made for: one sentence, no traceback."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.terminal import WORKBENCH, Terminal
from workbench.cli.screen import TEXTUAL_VERSIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("version", ["7.5.0", "9.0.0"])
def test_another_textual_is_named(tmp_path: Path, version: str) -> None:
    about = tmp_path / "other" / f"textual-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: textual\nVersion: {version}\n")
    environment: dict[str, str | None] = {
        "PYTHONPATH": f"{about.parent}:{ROOT}",
        "WORKBENCH_PORT": "0",  # so that no other server has it
    }
    with Terminal(WORKBENCH, columns=200, folder=tmp_path, environment=environment) as terminal:
        assert terminal.process.wait(60) == 2
        terminal.wait_for("is installed")
    said = terminal.text.split("\n")
    assert f"needs Textual 8.0 or later, below 9, but {version} is installed: pip" in said[0]
    assert not any(line.strip() for line in said[1:])


def test_the_range_is_that_of_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    first, end = TEXTUAL_VERSIONS
    assert f"textual>={first}.0,<{end}" in project["dependencies"]
