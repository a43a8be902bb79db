"""The fixtures, recordings and reports that the demo installs."""

from __future__ import annotations

from pathlib import Path

from workbench.core.digest import digest
from workbench.core.fixture import rules
from workbench.core.fixture.document import FixtureDocument, new_document, read_value
from workbench.core.recordings.exchanges import End, Parent
from workbench.core.replies.response import FixtureError
from workbench.demo.sample_files import install_fixtures, install_records
from workbench.io.state_folder import StateFolder
from workbench.session.evals.reports import ReportIndex
from workbench.session.recordings.index import RecordingIndex

RUN, FORK = "3f1c8a5be207", "b82d40c6719e"


def test_installing_leaves_files_that_are_there_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "fixtures"
    assert install_fixtures(folder) == 8
    changed = next(folder.iterdir())
    changed.write_text("mine")
    assert install_fixtures(folder) == 0
    assert changed.read_text() == "mine"


def test_all_shipped_fixtures_but_two_are_clean(tmp_path: Path) -> None:
    install_fixtures(tmp_path)
    broken, dated = [], []
    for path in sorted(tmp_path.iterdir()):
        data = path.read_bytes()
        try:
            document = FixtureDocument(data.decode())
            read_value(data)
        except FixtureError as error:
            [finding] = rules.check(data, rules.Context(filename=path.name))
            assert finding.fix is not None
            broken.append((error.rule, finding.fix.title, "broken on purpose" in error.text))
            continue
        if findings := rules.check(data, rules.Context(filename=path.name)):
            dated.append((document.description.split(":")[0], [f.rule for f in findings]))
        again = new_document(
            path.stem,
            document.response,
            description=document.description,
            request=document.request,
        )
        assert again.text.encode() == data
    assert broken == [("invalid-json", "add the comma", True)]
    assert dated == [("morning briefing of 2026-11-19", ["will-rot"])]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_recording_and_its_fork_are_whole(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / ".workbench")
    install_records(state)
    index = RecordingIndex(state.recordings)
    index.apply(index.read(names(state.recordings)))
    assert not index.unreadable
    recording, fork = (index.recordings[name] for name in (RUN, FORK))
    assert [recording.header.name, fork.header.name] == ["Sunday's lamb", "nothing in the cellar"]
    assert fork.header.parent == Parent(recording.header.id, 2)
    for each in (recording, fork):
        assert not each.problems
        assert [e.node for e in each.exchanges()] == ["choose", "search_wines", "recommend"]
        assert each.marks[-1].is_complete
        assert each.end == End()
        for exchange in each.exchanges():
            assert exchange.digest == (digest(exchange.payload) if exchange.is_chat else None)


def test_the_reports_of_three_days_show_a_query_that_fell_and_came_back(tmp_path: Path) -> None:
    state = StateFolder(tmp_path / ".workbench")
    install_records(state)
    index = ReportIndex(state.evals)
    index.apply(index.read(names(state.evals)))
    assert not index.unreadable
    kept = [index.reports[name] for name in sorted(index.names)]
    assert [k.report.started[:10] for k in kept] == ["2026-11-18", "2026-11-19", "2026-11-20"]
    berries = [k.report.queries["evals/test_sommelier.py::test_search[berry-notes]"] for k in kept]
    assert [query.percent for query in berries] == [100, 33, 100]
    for each in kept:
        assert each.journal is not None
        assert not each.journal.problems
        runs = [run for query in each.report.queries.values() for run in query.runs]
        asked = [place for run in runs for place in run.exchanges]
        assert sorted(asked) == list(range(1, len(each.journal) + 1))
