"""Reports of golden queries on disk."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.evals import Query, Report
from workbench.core.recordings.exchanges import Exchange, Sent
from workbench.io.recordings import eval_reports
from workbench.io.recordings.eval_reports import ReportWriter, journal_of
from workbench.io.recordings.recording_file import Recording
from workbench.io.state_folder import StateFolder

STARTED = "2026-11-21T10:12:00+00:00"


def exchange(text: str) -> Exchange:
    request = {"messages": [{"role": "user", "content": text}]}
    return Exchange(9, "", 1, request, Sent(200, "application/json", b"{}"), "0" * 64)


@pytest.fixture
def state(tmp_path: Path) -> StateFolder:
    return StateFolder(tmp_path / ".workbench")


def save(state: StateFolder, started: str = STARTED) -> Path:
    return ReportWriter(state, started).save(Report(started, False, 1))


def test_a_report_lies_beside_what_was_asked(state: StateFolder) -> None:
    writer = ReportWriter(state, STARTED)
    assert writer.keep([exchange("a"), exchange("b")]) == [1, 2]
    assert list(eval_reports.reports(state.evals)) == []
    assert writer.keep([exchange("c")]) == [3]
    report = Report(STARTED, True, 2, {"t": Query("q", "red", "t", skipped="no key")})
    file = writer.save(report)
    assert file == state.evals / "2026-11-21T101200Z.json"
    assert eval_reports.load(file) == report
    journal = Recording(journal_of(file))
    assert journal.exchange(3).request == exchange("c").request
    assert [journal.exchange(number).position for number in (1, 2, 3)] == [1, 2, 3]


def test_sessions_of_one_second_do_not_overwrite_each_other(state: StateFolder) -> None:
    first, second = ReportWriter(state, STARTED), ReportWriter(state, STARTED)
    first.keep([exchange("first")])
    second.keep([exchange("second")])
    files = [second.save(Report(STARTED, True, 1)), first.save(Report(STARTED, False, 1))]
    assert list(eval_reports.reports(state.evals)) == files
    asked = [Recording(journal_of(file)).exchange(1).request for file in files]
    assert asked == [exchange("second").request, exchange("first").request]


def test_the_oldest_go_with_their_journals(state: StateFolder) -> None:
    running = ReportWriter(state, "2026-11-21T11:30:00+00:00")
    running.keep([exchange("still on its way")])
    first = save(state, "2026-11-21T09:00:00+00:00")
    killed = state.evals / "2026-11-21T080000Z.jsonl"
    killed.write_bytes(b"")
    for minute in range(49):
        save(state, f"2026-11-21T12:{minute:02}:00+00:00")
    assert first.exists()
    assert killed.exists()
    save(state, "2026-11-21T13:00:00+00:00")
    assert not first.exists()
    assert not journal_of(first).exists()
    assert not killed.exists()
    assert len(list(eval_reports.reports(state.evals))) == 50
    file = running.save(Report("2026-11-21T11:30:00+00:00", False, 1))
    assert not file.exists(), "it is the oldest now"


def test_a_folder_that_is_none_holds_none(tmp_path: Path) -> None:
    assert list(eval_reports.reports(tmp_path / "evals")) == []
