"""The rows of the list of recordings, in wide and narrow lists."""

from __future__ import annotations

import pytest

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
            70,
            [
                f"{'weather-agent':33}Nov 20      3 calls ◆2  ✓ complete   ",
                f"{'└ sunny':33}             1 call     ╳ died       ",
                f"{'dd':33}╳ not opened{'':25}",
            ],
        ),
        (
            40,
            [
                f"{'weather-agent':18}Nov 20        3 ◆2  ✓ ",
                f"{'└ sunny':18}              1     ╳ ",
                f"{'dd':18}╳ not opened{'':10}",
            ],
        ),
    ],
)
def test_a_narrow_list_has_numbers_and_glyphs_alone(width: int, lines: list[str]) -> None:
    columns = [c for c in COLUMNS if c.from_width <= width < c.below_width]
    shown = [row_line(columns, [c.cell(row) for c in columns], width).plain for row in ROWS]
    assert shown == lines
