"""Rows of the table, their measurement in rounds, and how they are printed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from tests.benchmarks.place import Place

Measure = Callable[[Place], float]
Summary = Callable[[Iterable[float]], float]


class NotMeasuredError(Exception):
    """A row cannot be measured here; the text says why."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        number: of the promise it measures.
        ours, theirs: one measurement; ``theirs`` is None where only a limit is promised.
        limit: of ours divided by theirs, or of ours alone; None where nothing is promised.
        unit: ``ms``, ``s``, ``MB`` or ``%``: what the measurements return, seconds for ``ms``.
    """

    number: int
    what: str
    against: str
    limit: float | None
    ours: Measure
    theirs: Measure | None
    unit: str = "ms"


@dataclass
class Result:
    """What several rounds of a row gave."""

    row: Row
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    why_not: str = ""

    @property
    def value(self) -> float:
        """What the limit is about."""
        ours = statistics.median(self.ours)
        return ours / statistics.median(self.theirs) if self.theirs else ours

    @property
    def spread(self) -> str:
        """The lowest and the highest value of a round: how much noise there was."""
        pairs = zip(self.ours, self.theirs or [1.0] * len(self.ours), strict=False)
        values = [ours / theirs for ours, theirs in pairs]
        return f"{min(values):.3f}–{max(values):.3f}"

    @property
    def is_over(self) -> bool:
        limit = self.row.limit
        return not self.why_not and limit is not None and self.value > limit

    @property
    def cells(self) -> list[str]:
        row = self.row
        head = [str(row.number), row.what, row.against]
        if self.why_not:
            return [*head, "", "", "", "", "", f"not measured: {self.why_not}"]
        theirs = _shown(self.theirs, row.unit) if self.theirs else ""
        ratio = f"{self.value:.3f}" if self.theirs else ""
        ours = _shown(self.ours, row.unit)
        if row.limit is None:
            return [*head, ours, theirs, ratio, self.spread, "", ""]
        limit = f"{row.limit:.3g}" + ("" if self.theirs else f" {row.unit}")
        verdict = "OVER" if self.is_over else "ok"
        return [*head, ours, theirs, ratio, self.spread, limit, verdict]


def measure(row: Row, place: Place, rounds: int) -> Result:
    """Measure both sides in turns, each time the other one first."""
    result = Result(row)
    sides = [(row.ours, result.ours)]
    if row.theirs is not None:
        sides.append((row.theirs, result.theirs))
    try:
        for number in range(rounds):
            for side, values in sides if number % 2 else reversed(sides):
                values.append(side(place))
    except (NotMeasuredError, TimeoutError, EOFError) as error:
        result.why_not = str(error)
    return result


HEADINGS = ["#", "what", "against", "ours", "theirs", "ratio", "rounds", "goal", "verdict"]


def lines(results: Sequence[Result]) -> Iterator[str]:
    """The table as text."""
    rows = [HEADINGS, *(result.cells for result in results)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def markdown(results: Iterable[Result]) -> Iterator[str]:
    """The table as the manual shows it."""
    yield "| # | what | compared with | ours | theirs | ratio | goal |"
    yield "|---|---|---|---|---|---|---|"
    for result in results:
        *head, ours, theirs, ratio, _, limit, verdict = result.cells
        measured = [ours, theirs, ratio, limit] if ours else ["", "", "", verdict]
        yield f"| {' | '.join([*head, *measured])} |"


def median(values: Iterable[float]) -> float:
    return statistics.median(values)


def p95(values: Iterable[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


def _shown(values: Sequence[float], unit: str) -> str:
    value = statistics.median(values)
    return f"{value * 1000:.1f} ms" if unit == "ms" else f"{value:.2f} {unit}"
