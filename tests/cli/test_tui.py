"""``workbench`` without a command: which logs it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.server.running import wait_until
from tests.session.support import chat, missed
from tests.terminal import WORKBENCH, Terminal
from workbench.io.logs.newest_log import begin_run_log, make_newest, run_log_name
from workbench.io.state_folder import StateFolder


@pytest.fixture
def run_log(tmp_path: Path) -> Path:
    """The log of a run that ended with a miss."""
    (tmp_path / ".git").mkdir()
    state_folder = StateFolder(tmp_path / ".workbench")
    state_folder.ensure()
    log = state_folder.path / run_log_name(7899)
    begin_run_log(log)
    make_newest(log)
    (tmp_path / "answers").mkdir()
    listening = "[mock-llm] listening on http://127.0.0.1:7899 (fixtures: answers)\n"
    log.write_text(listening + missed(chat("Is it raining?")), "utf-8")
    return log


def test_it_has_the_misses_of_the_newest_run_beside_a_server_of_its_own(
    run_log: Path, tmp_path: Path
) -> None:
    with Terminal([*WORKBENCH], columns=120, rows=36, folder=tmp_path) as terminal:
        terminal.wait_for("Misses [1/1]")
        terminal.wait_for("Is it raining?")
        terminal.wait_for("Reading .workbench/run.log, the newest log of this project.")
        terminal.wait_for("fixtures answers")
        wait_until("its server listens", lambda: _server_listens(run_log.parent))


def _server_listens(folder: Path) -> bool:
    return any("(fixtures: answers)" in log.read_text() for log in folder.glob("server*.log"))


@pytest.mark.usefixtures("run_log")
def test_a_log_in_the_working_directory_is_read_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "mock-llm.log").write_text(missed(chat("Is it cold?")), "utf-8")
    with Terminal([*WORKBENCH], folder=tmp_path) as terminal:
        terminal.wait_for("Is it cold?")
        terminal.wait_for("Misses [1/1]")
