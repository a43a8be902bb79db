"""A project for each test."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Project


@pytest.fixture
def project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Project:
    return Project(tmp_path, monkeypatch, capsys)
