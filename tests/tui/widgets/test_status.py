"""The status line, as widgets speak in it: a text stays until the next, or its topic is cleared."""

from __future__ import annotations

from textual.pilot import Pilot

from tests.tui.hosting import Host, host
from tests.tui.steady import resize
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


def test_a_topic_takes_back_its_own_text_alone() -> None:
    async def flow(app: Host, _: Pilot[None]) -> None:
        bar = app.query_one(StatusBar)
        bar.say("1 request is held", topic="held")
        bar.clear("draft")
        assert app.status == "1 request is held"
        bar.say("Saved")
        bar.clear("held")
        assert app.status == "Saved"
        bar.hint("Asking", topic="upstream")
        assert app.status == "Saved", "a hint does not replace what was said"
        bar.say("Asking", topic="upstream")
        bar.hint("Asking · 2s", topic="upstream")
        assert app.status == "Asking · 2s"
        bar.clear("upstream")
        assert app.status == ""
        bar.hint("4 are stale", topic="stale")
        assert app.status == "4 are stale"

    host(LineView(), flow)


def test_a_sentence_without_room_is_left_out_whole() -> None:
    async def flow(app: Host, pilot: Pilot[None]) -> None:
        bar = app.query_one(StatusBar)
        bar.display = True
        bar.say("Skipped one. Its client is still waiting. L sends the fallback. u undoes.")
        for width, shown in (
            (80, "Skipped one. Its client is still waiting. L sends the fallback. u undoes."),
            (70, "Skipped one. Its client is still waiting. L sends the fallback. …"),
            (45, "Skipped one. Its client is still waiting. …"),
            (38, "Skipped one. Its client is still wa…"),
        ):
            await resize(pilot, width, 10)
            assert bar.render().plain.rstrip() == shown

    host(LineView(), flow)
