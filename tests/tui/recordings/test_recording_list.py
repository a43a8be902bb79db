"""The columns of the list of recordings, in wide and narrow lists."""

from __future__ import annotations

import pytest
from textual.content import Content

from workbench.session.recordings.recording_query import RecordingFacts, RecordingRow
from workbench.tui.recordings.recording_list import COLUMNS
from workbench.tui.widgets.columns import row_line

FACTS = RecordingFacts(
    "weather-agent", "2026-11-20T10:09:22+01:00", 3, 2, "complete", "complete", None, ()
)
DIED = RecordingFacts("sunny", "", 1, 0, "died", "died at planner: no", None, ())
ROWS = [
    RecordingRow("aa", (("aa", FACTS),)),
    RecordingRow("bb", (("aa", FACTS), ("bb", DIED))),
    RecordingRow("dd", problem="no header"),
]


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (
            80,
            [
                f"{'name':32}started   {'calls':>10}  checkpoints  state        ",
                f"{'weather-agent':32}Nov 20    {'3 calls':>10}  ◆2           ✓ complete   ",
                f"{'└ sunny':32}{'':10}{'1 call':>10}{'':15}╳ died       ",
                f"{'dd':32}╳ not opened{'':36}",
            ],
        ),
        (
            56,
            [
                f"{'name':21}started   {'calls':>10}  state        ",
                f"{'weather-agent':21}Nov 20    {'3 calls':>10}  ✓ complete   ",
                f"{'└ sunny':21}{'':10}{'1 call':>10}  ╳ died       ",
                f"{'dd':21}╳ not opened{'':23}",
            ],
        ),
    ],
)
def test_a_wide_list_counts_checkpoints_below_their_name(width: int, lines: list[str]) -> None:
    columns = [c for c in COLUMNS if c.from_width <= width < c.below_width]
    titles = [[Content(c.title) for c in columns]]
    cells = titles + [[c.cell(row) for c in columns] for row in ROWS]
    assert [row_line(columns, shown, width).plain for shown in cells] == lines
