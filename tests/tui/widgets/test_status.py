"""The status line, as widgets speak in it."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from workbench.tui.lines.line_view import LineView
from workbench.tui.widgets.status import StatusBar, say


def test_a_widget_that_outlives_the_status_line_may_speak() -> None:
    """At the end of the application it is removed first."""
    view = LineView()

    async def flow(app: Host, _: Pilot[None]) -> None:
        say(view, "shown")
        assert app.status == "shown"
        await app.query_one(StatusBar).remove()
        say(view, "not shown")

    host(view, flow)
