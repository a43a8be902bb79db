"""Commands run in this process, in a project of their own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from workbench.cli.main import main


class Ran(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def rows(self) -> Any:
        return json.loads(self.out)


class Project:
    """A folder that commands run in.

    Attributes:
        folder: the working directory, with a ``pyproject.toml``.
        log: a log file in it.
        fixtures: the fixtures folder, which need not exist.
    """

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.folder = folder
        self.log = folder / "suite.log"
        self.fixtures = folder / "fixtures"
        self.settings()
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        for name in os.environ:
            if name.startswith(("WORKBENCH_", "MOCK_LLM_")):
                monkeypatch.delenv(name)
        monkeypatch.chdir(folder)

    def settings(self, text: str = "") -> None:
        (self.folder / "pyproject.toml").write_text(f"[tool.workbench]\n{text}\n")

    def write_log(self, *parts: str | bytes) -> None:
        data = [part.encode() if isinstance(part, str) else part for part in parts]
        self.log.write_bytes(b"".join(data))

    def run(self, *arguments: str | Path, data: bytes | None = None) -> Ran:
        """Run a command to its end, with ``data`` as standard input."""
        if data is not None:
            stdin = io.BufferedReader(io.BytesIO(data))
            self._monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stdin))
        self._capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as ended:  # of argparse
            code = int(ended.code or 0)
        return Ran(code, *self._capsys.readouterr())

    def printed(self, encoding: str, *arguments: str | Path) -> bytes:
        """What a command that succeeds writes to a standard output of an encoding."""
        out = io.BytesIO()
        with self._monkeypatch.context() as patch, io.TextIOWrapper(out, encoding) as stdout:
            patch.setattr(sys, "stdout", stdout)
            assert main([str(argument) for argument in arguments]) == 0
            return out.getvalue()

    def fixture(self, digest: str) -> Any:
        """The value of a fixture file."""
        return json.loads((self.fixtures / f"{digest}.json").read_bytes())

    def files(self) -> list[str]:
        return sorted(os.listdir(self.fixtures)) if self.fixtures.exists() else []


def command(*arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own."""
    words = [sys.executable, "-m", "workbench", *map(str, arguments)]
    return subprocess.run(words, **{"capture_output": True, **options})
