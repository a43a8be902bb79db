"""Comparing two runs: a fork with its parent, or the two that are marked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from workbench.tui.runs.run_list import RunList
from workbench.tui.runs.run_notices import difference_lines
from workbench.tui.tab import Tab


class CompareActions:
    """Marks runs, and compares them.

    Args:
        runs: the list; its selected run is marked, or compared with its parent.
        show: shows the lines of a comparison.
        leave: ends the comparison in view; returns whether there was one.
    """

    # fmt: off
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("d", "run('comparing', 'compare')", "Diff",
                id="runs.compare",
                tooltip="Diff with its parent, or of two marked runs; again: back"),
        Binding("m", "run('comparing', 'mark')", "Mark", show=False,
                id="runs.mark", tooltip="Mark the run to be compared, or take its mark off"),
    ]
    # fmt: on

    def __init__(
        self,
        tab: Tab,
        runs: RunList,
        show: Callable[[Sequence[Content]], None],
        leave: Callable[[], bool],
    ) -> None:
        self._tab = tab
        self._index = tab.session.runs
        self._runs = runs
        self._show = show
        self._leave = leave

    def action_mark(self) -> None:
        run, marked = self._runs.run, self._index.marked
        if run is None:
            return
        if run in marked:
            marked.remove(run)
        else:
            marked.append(run)
            del marked[:-2]
        self._runs.refresh_rows(self._runs.keys)
        self._runs.update_title()
        wanted = "d compares them." if len(marked) == 2 else "d compares two that are marked."
        self._tab.say(f"{len(marked)} marked. {wanted}")

    def action_compare(self) -> None:
        """Show the differences of a fork and its parent, or of the two marked runs; again: the
        exchange.
        """
        if self._leave():
            self._tab.say("")
            return
        run = self._runs.run
        above = self._index.parent_of(run) if run is not None else None
        if len(self._index.marked) == 2:
            before, after = self._index.marked
        elif run is not None and above is not None:
            before, after = above, run
        else:
            self._tab.say("This run is not a fork. m marks two runs to compare.")
            return
        self._tab.say("Comparing…")
        self._tab.start("compare", self._compare(before, after), once=True)

    async def _compare(self, before: str, after: str) -> None:
        try:
            found = await asyncio.to_thread(self._index.differences, before, after)
        except OSError as error:
            self._tab.say(f"Cannot be compared: {error.strerror}.", "error")
            return
        names = self._index.facts[before].name, self._index.facts[after].name
        self._show(difference_lines(*names, found))
        self._tab.say(
            f"The first difference is at {found[0]}." if found else "No exchange differs."
        )
