"""The table of the tabs."""

from __future__ import annotations

from pathlib import Path

from textual.binding import Binding

from tests.recorded import write_recording
from tests.tui.running import Running
from tests.tui.test_app import play
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.header import TopBar
from workbench.tui.tabs import SUITE, TABS


def test_each_tab_has_the_key_of_its_place() -> None:
    keys = {b.id: b for b in WorkbenchApp.BINDINGS if isinstance(b, Binding)}
    for number, tab in enumerate(TABS, start=1):
        binding = keys[tab.id]
        assert (binding.key, binding.description) == (str(number), tab.title)
        assert (binding.tooltip, binding.action) == (tab.about, f"show_tab('{tab.id}')")


def test_only_the_suite_may_be_lacking(tmp_path: Path) -> None:
    session = Session(FixtureStore(tmp_path), StateFolder(tmp_path / ".workbench"))
    assert [tab for tab in TABS if tab.lacking(session)] == [SUITE]
    assert SUITE.lacking(session).startswith("There is no suite.")
    assert [tab.count(session) for tab in TABS] == [None, 0, 0, None, None]
    session.close()


def test_tabs_that_have_nothing_to_show_are_left_out_of_the_header(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        def header() -> str:
            return running.screen_text().splitlines()[0]

        await running.until_shown("2 Fixtures 0")
        assert "3 Recordings" not in header()
        assert "4 Evals" not in header()
        await running.press("4")
        await running.until_shown("[4 Evals]")
        await running.until_shown("No report yet.")
        assert "3 Recordings" not in header()
        # What is clicked is the tab that stands there.
        await running.pilot.click(TopBar, offset=(header().index("4 Evals") - 10, 0))
        await running.until_shown("[2 Fixtures 0]")
        await running.until(lambda: "4 Evals" not in header())
        write_recording(running.session.recordings.folder, "one")
        await running.until(lambda: "3 Recordings 1" in header())
        await running.press("3")
        await running.until_shown("[3 Recordings 1]")

    play(tmp_path, [], flow, (100, 30))
