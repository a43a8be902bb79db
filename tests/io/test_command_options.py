"""The options of commands that are printed: they name what the command would not find itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.log.lines import listening_line
from workbench.io.command_options import finding, naming_folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the settings of a project and three folders of fixtures."""
    here = tmp_path / "here"
    for name in ("fixtures", "e2e", "other", "below"):
        (here / name).mkdir(parents=True)
    (here / "pyproject.toml").touch()
    monkeypatch.chdir(here)
    return here


def log_of(path: Path, fixtures: str) -> str:
    path.write_text(listening_line("http://127.0.0.1:1", fixtures))
    return str(path)


def test_the_usual_folder_needs_no_name(folder: Path) -> None:
    assert naming_folder(Path("fixtures")) == naming_folder(folder / "fixtures") == []
    assert naming_folder(folder / "other") == ["--fixtures", "other"]
    elsewhere = str(folder.parent / "elsewhere")
    assert naming_folder(Path(elsewhere)) == ["--fixtures", elsewhere]


def test_the_folder_of_the_settings_needs_no_name_and_others_do(folder: Path) -> None:
    (folder / "pyproject.toml").write_text('[tool.workbench]\nfixtures = "e2e"\n')
    log = log_of(folder / "run.log", "other")
    assert finding([log], Path("e2e")) == ["--log", log]
    assert finding([log], Path("other")) == ["--log", log, "--fixtures", "other"]
    assert naming_folder(Path("fixtures")) == ["--fixtures", "fixtures"]


def test_without_settings_the_folder_of_the_log_needs_no_name(folder: Path) -> None:
    log = log_of(folder / "run.log", "other")
    assert finding([log], Path("other")) == ["--log", log]
    assert finding(["*.log"], Path("other")) == ["--log", "*.log"]
    assert finding([log], Path("fixtures")) == ["--log", log, "--fixtures", "fixtures"]
    assert finding(["-"], Path("other")) == ["--log", "-", "--fixtures", "other"]


def test_a_log_elsewhere_does_not_lead_to_a_relative_folder(folder: Path) -> None:
    log = log_of(folder.parent / "run.log", "other")
    assert finding([log], Path("other")) == ["--log", log, "--fixtures", "other"]


def test_a_folder_that_is_not_there_yet_is_named(folder: Path) -> None:
    log = log_of(folder / "run.log", "new")
    assert finding([log], Path("new")) == ["--log", log, "--fixtures", "new"]


def test_the_command_may_be_typed_in_another_folder(folder: Path) -> None:
    below = folder / "below"
    fixtures = folder / "fixtures"
    assert naming_folder(fixtures, here=below) == ["--fixtures", str(fixtures)]
    assert naming_folder(below / "fixtures", here=below) == []
    (folder / "pyproject.toml").write_text('[tool.workbench]\nfixtures = "e2e"\n')
    assert naming_folder(folder / "e2e", here=below) == []


def test_a_folder_that_a_variable_names_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_FIXTURES", "other")
    assert naming_folder(folder / "other") == ["--fixtures", "other"]
    assert naming_folder(folder / "fixtures") == ["--fixtures", "fixtures"]


def test_settings_that_cannot_be_used_name_no_folder(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.workbench]\nfixtures = 1\n")
    assert naming_folder(Path("fixtures")) == ["--fixtures", "fixtures"]
