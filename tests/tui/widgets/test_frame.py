"""What stands in the frame of a pane, and what where there is no content."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from tests.tui.steady import resize
from workbench.tui.widgets.frame import Framed


class Pane(Framed, can_focus=True):
    label = "Pane"
    EMPTY = "What comes is shown here."

    def facts(self) -> Sequence[Content]:
        return [Content("the first"), Content("a second"), Content("third")]


def test_as_many_facts_as_fit_stand_above_and_the_others_below() -> None:
    pane = Pane()
    pane.set_about(Content("24a6df52783a"))

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        for width, above, below in (
            (60, "24a6df52783a  the first · a second · third ━┓", "━━━━┛"),
            (42, " the first · a second · third ━┓", " 24a6df52783a ━┛"),
            (38, " the first · a second ━┓", " third · 24a6df52783a ━┛"),
            (27, " the first ━┓", " a second · third · 2… ━┛"),
            (21, "━ the fir… ━┓", ""),
        ):
            await resize(pilot, width, 12)
            await pilot.pause()
            upper, *_, lower = [line for line in app.text().splitlines() if set(line) & set("┏┗")]
            assert upper.startswith("┏━ Pane ━"), width
            assert upper.endswith(above), width
            assert below in lower, width
        await resize(pilot, 42, 12)
        pane.set_foot("9 more below")
        await pilot.pause()
        assert "9 more below" in app.text()
        assert "24a6df52783a" not in app.text(), "what is said there goes first"

    host(pane, flow)


def test_an_empty_pane_is_one_line_without_a_frame() -> None:
    pane = Pane()

    async def flow(app: Host, pilot: Pilot[None]) -> None:
        pane.set_empty(True)
        assert pane.has_focus
        await pilot.pause()
        assert "┏━ Pane" in app.text(), "the focus is seen"
        app.query_one("#other").focus()
        await pilot.pause()
        assert app.text().split() == Pane.EMPTY.split()
        pane.set_empty(False)
        await pilot.pause()
        assert "┌─ Pane" in app.text()
        assert Pane.EMPTY not in app.text()

    host(pane, flow)
