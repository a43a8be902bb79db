"""Sentences about a re-key: why it is doubtful, and what it did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from workbench.core.requests.differences import Difference
from workbench.core.requests.nearest import describe
from workbench.core.text.digests import short
from workbench.core.text.wording import counted
from workbench.session.rekey.plan import LeftOut, Rekey
from workbench.tui.widgets.glyphs import ARROW

# Differences that a question or the status names.
_MOST_NAMED: Final = 4
# Characters of two changes that are compared, to name equal ones once.
_COMPARED: Final = 1_000
_GUESS: Final = "This is a guess, because the fixture does not contain its request. Move it?"


def summary(done: Sequence[Rekey], left_out: Sequence[LeftOut]) -> str:
    """The result, in a sentence or two."""
    first, *others = done
    if all(rekey.follows == first.new for rekey in others):
        return _summary_of_one(first, len(others), left_out)
    copied = sum(rekey.is_copy for rekey in done)
    head = f"Moved {len(done):,} fixtures"
    if copied:
        head = f"Wrote {len(done):,} fixtures, {copied:,} of them as copies"
    left = f" {len(left_out)} left out." if left_out else ""
    partial = sum(bool(rekey.remark) for rekey in done)
    if partial:
        left += f" {counted(partial, 'request')} stored without messages, as too large."
    return f"{head}. Their answers are unchanged.{left} u undoes all {len(done):,}."


def _summary_of_one(rekey: Rekey, later: int, left_out: Sequence[LeftOut]) -> str:
    """The same for one fixture and its ``later`` turns."""
    what = "Copied" if rekey.is_copy else "Moved"
    files = short(rekey.old)
    if len(rekey.files) > 1:
        files = f"{len(rekey.files)} fixtures, {files} and its variants"
    turns = f" and {counted(later, 'later turn')}" if later else ""
    changed = f": {_named(rekey.differences)}" if rekey.differences else f" → {short(rekey.new)}"
    left = "".join(f" {short(each.new)} stays: {each.reason}" for each in left_out)
    return f"{what} {files}{turns}{changed}.{left} u undoes. {rekey.remark}".rstrip()


def doubt(rekey: Rekey) -> str:
    """Why it is not certain that the fixture is meant for the miss."""
    differences = (
        f"{_named(rekey.differences, ' in the Nearest view')}." if rekey.differences else ""
    )
    if rekey.is_copy:
        # Its own request was sent in this run, or another miss needs it.
        return f"The old request is still being sent. Copy instead of move? {differences}".rstrip()
    return f"The request changed: {differences} Move this fixture?" if differences else _GUESS


def _named(differences: Iterable[Difference], where: str = "") -> str:
    """All differences, each change once; of many the first, and how many more there are
    ``where``.
    """
    by_change: dict[tuple[str, str], list[str]] = {}
    for difference in differences:
        described = describe(difference, ARROW).removesuffix(".")
        by_change.setdefault(difference.sides(_COMPARED), []).append(described)
    named = [
        first + (f" (in {len(others) + 1} places)" if others else "")
        for first, *others in by_change.values()
    ]
    if len(named) > _MOST_NAMED:
        named[_MOST_NAMED:] = [f"{len(named) - _MOST_NAMED} more{where}"]
    return "; ".join(named)
