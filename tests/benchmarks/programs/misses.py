"""The list of misses alone, with as many misses as the argument says; ``L`` loads them."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Label

from tests.benchmarks.stress_log import request
from workbench.core.digest import digest
from workbench.core.log.events import LogEvent, MissLogged, RequestLogged
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.session import Session
from workbench.tui.keys.key_order import KeyOrder
from workbench.tui.misses.miss_list import MissList
from workbench.tui.widgets.filtered_list import FilteredList


class Misses(KeyOrder):
    BINDINGS = [("L", "load", "Load")]  # noqa: RUF012

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.rows_ready.set()
        self.ready.set()

    def compose(self) -> ComposeResult:
        yield Label("ready")
        yield FilteredList(MissList(self._session))

    def on_mount(self) -> None:
        self.query_one(MissList).focus()

    def action_load(self) -> None:
        self.query_one(MissList).update_rows()


def session_of(count: int, folder: Path) -> Session:
    session = Session(FixtureStore(folder / "fixtures"), StateFolder(folder / ".workbench"))
    for number in range(count):
        payload = request(f"question {number:06}")
        events: list[LogEvent] = [
            MissLogged(digest(payload)),
            RequestLogged(json.dumps(payload).encode()),
        ]
        session.miss_index.apply(session.intake.read(events))
    return session


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        Misses(session_of(int(sys.argv[1]), Path(folder))).run()
