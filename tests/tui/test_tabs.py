"""The table of the tabs."""

from __future__ import annotations

from pathlib import Path

from textual.binding import Binding

from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
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
