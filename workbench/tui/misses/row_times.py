"""The times in the rows of the list of misses, which go on while nothing else changes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from workbench.session.session import Session
from workbench.tui.misses.miss_columns import times_of


class RowTimes:
    """How the times of rows read when these were drawn last."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._drawn: dict[str, str] = {}

    def note(self, key: str) -> None:
        """The row of a key is being drawn."""
        self._drawn[key] = self._now(key, datetime.now())

    def outdated(self, in_view: Iterable[str]) -> set[str]:
        """Which of the rows in view read differently now. The others are forgotten."""
        now = datetime.now()
        self._drawn = {key: self._drawn[key] for key in in_view if key in self._drawn}
        return {key for key, times in self._drawn.items() if self._now(key, now) != times}

    def _now(self, key: str, now: datetime) -> str:
        return times_of(self._session, self._session.miss_index.rows[key], now)
