"""What is kept for a user is there again, and is never worth an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.io import user_folder
from workbench.io.user_folder import is_first_start, keep_theme, kept_theme


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where it is kept; not there yet."""
    folder = tmp_path / "data" / "workbench"
    monkeypatch.setattr(user_folder, "_folder", lambda: folder)
    return folder


def test_the_first_start_is_the_first_one(folder: Path) -> None:
    assert is_first_start()
    assert not is_first_start()
    assert folder.is_dir()


def test_the_theme_chosen_last_is_kept(folder: Path) -> None:
    assert kept_theme() == ""
    keep_theme("workbench-light")
    keep_theme("ansi-dark")
    assert kept_theme() == "ansi-dark"
    (folder / "theme").write_bytes(b"\xff")
    assert kept_theme() == ""


def test_what_cannot_be_kept_is_as_on_the_first_day(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("a file in the way")
    keep_theme("workbench-light")
    assert kept_theme() == ""
    assert not is_first_start()
