"""A DataTable of rows like those of the miss list.

Arguments: the number of rows at the start; how many rows a second are added as they come, one by
one, which is what a log that is followed does. ``L`` adds 100,000 rows.
"""

from __future__ import annotations

import sys
import threading
import time

from textual.app import App, ComposeResult
from textual.widgets import DataTable

Cells = tuple[str, str, str]


def cells(number: int) -> Cells:
    return ("○ missing", f"question {number:06}", "40s")


class Table(App[None]):
    BINDINGS = [("L", "load", "Load")]  # noqa: RUF012

    def __init__(self, rows: int, a_second: int) -> None:
        super().__init__()
        self._rows = rows
        self._a_second = a_second

    def compose(self) -> ComposeResult:
        yield DataTable[str](cursor_type="row")

    def on_mount(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_columns("state", "request", "age")
        table.add_rows(cells(number) for number in range(self._rows))
        table.focus()
        if self._a_second:
            threading.Thread(target=self._arrive, args=(table,), daemon=True).start()

    def action_load(self) -> None:
        table: DataTable[str] = self.query_one(DataTable)
        table.add_rows(cells(number) for number in range(100_000))

    def _arrive(self, table: DataTable[str]) -> None:
        begun, number = time.monotonic(), 0
        while True:
            due = int((time.monotonic() - begun) * self._a_second)
            for arriving in range(number, due):
                self.call_later(table.add_row, *cells(self._rows + arriving))
            number = due
            time.sleep(0.001)


if __name__ == "__main__":
    Table(int(sys.argv[1]), int(sys.argv[2])).run()
