"""Flows of the Preview pane that take their time: in the application, and with slow servers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.widget import Widget

from tests.server.running import RunningServer
from tests.session.support import hash_line
from tests.tui.pane_app import DIGEST, JOKE, TEXT, WIDE, Shown, on_pane
from tests.tui.running import Running, ask
from tests.tui.test_app import play
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.text.digests import short
from workbench.tui.preview.pane import PreviewPane

FILE = f"{DIGEST}.json"


def test_a_megabyte_can_be_scrolled_through(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show("word " * 200_000)
        await shown.press("right_square_bracket", "end")
        await shown.until_shown("[DONE]")
        assert " 196000 more" in shown.screen.replace(",", "")
        await shown.press("home")
        await shown.until_shown("7 frames")

    on_pane(tmp_path, flow)


def test_frames_come_one_after_another(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        await shown.press("minus", "minus", "p")
        assert shown.facts.endswith("text · 0.25x playing")
        await shown.until_shown("1 of 7 frames")
        await shown.until_shown("2 of 7 frames")
        await shown.until_shown("so far  ▕A stub walks")
        await shown.until_shown(" 2  ·")
        await shown.press(*["plus"] * 6)
        await shown.until_shown("7 frames, ")
        assert shown.facts.endswith("text · 16x")

    on_pane(tmp_path, flow)


def test_delays_are_drawn(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.session.save(DIGEST)
        shown.verify()
        await shown.until_shown(" of 7 frames   esc stops")
        await shown.until_shown("✓ stream     200 text/event-stream   as previewed")
        (whole,) = re.findall(r"all (\d+)\.\d ms", shown.screen)
        assert int(whole) >= 1_000  # there are six pauses
        assert "sent together" not in shown.screen

    with RunningServer(
        tmp_path, environment={"MOCK_LLM_FORCE_STREAM_CHUNK_DELAY_MS": "200"}
    ) as server:
        on_pane(tmp_path, flow, url=server.url, size=WIDE)


def test_a_server_that_takes_long_is_given_up(tmp_path: Path) -> None:
    """By escape, by another draft, and by leaving."""

    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.verify()
        await shown.until_shown("esc stops")
        await shown.press("escape")
        assert shown.said == "Stopped. v verifies again."
        assert not shown.pane.live.is_running
        assert shown.views == "[Envelope]  Stream  Client"
        shown.verify()
        await shown.show("Another")
        assert not shown.pane.live.is_running
        shown.verify()
        await shown.until_shown("esc stops")

    with RunningServer(tmp_path, environment={"MOCK_LLM_FORCE_TOTAL_DELAY_MS": "600000"}) as server:
        on_pane(tmp_path, flow, url=server.url)


async def answered(running: Running) -> None:
    """Write an answer, back on the list."""
    view = running.parts.view
    await running.press("enter")
    view.answer.fields.content_editor.insert(TEXT)
    await running.until(lambda: digest(JOKE) in running.session.drafting.assessments)
    await running.press("escape")


@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
def test_v_on_the_list_verifies_what_is_saved(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(running: Running) -> None:
        running.session.server.url = server.url
        await answered(running)
        await running.press("a", "full_stop", "home", "v")
        await running.until_shown("> ✓")
        name = short(digest(JOKE))
        assert running.status == f"Verified {name}: the server sends exactly this."
        assert running.displayed(PreviewPane)
        assert running.app.misses.rows.has_focus
        await running.until_shown(f"{name}  ✓ verified")
        # Until the file changes.
        changed = new_document(digest(JOKE), {"content": "changed"}).text
        (running.fixtures / FILE).write_text(changed)
        await running.until_shown("> ●")

    with RunningServer(tmp_path) as server:
        play(tmp_path, [JOKE], flow, size)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_every_pane_is_reached_by_tab(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(running: Running) -> None:
        view, rows = running.parts.view, running.app.misses.rows
        stops: list[Widget] = []
        for _ in range(8):
            await running.press("tab")
            panes = (rows, view.request, view.answer, view.preview)
            (here,) = [pane for pane in panes if pane.has_focus_within]
            assert running.displayed(type(here))
            stops.append(here)
        fields = stops.count(view.answer)
        assert fields > 1
        assert stops == [view.request, *[view.answer] * fields, view.preview, rows][:8]
        rows.focus()
        await running.press("shift+tab")
        assert view.preview.has_focus
        await running.press("shift+tab")
        assert view.answer.has_focus_within

    play(tmp_path, [JOKE], flow, size)


def test_a_request_that_is_not_in_the_log(tmp_path: Path) -> None:
    gone = ask("gone")

    async def flow(running: Running) -> None:
        running.session.server.url = "http://127.0.0.1:1"
        with (tmp_path / "mock-llm.log").open("a") as log:
            log.write(hash_line(gone))
        await running.until(lambda: digest(gone) in running.session.miss_index.misses)
        await running.press("end")
        await running.until(lambda: running.app.misses.subject == digest(gone))
        await running.press("v")
        assert running.status == "The request is not known, so it cannot be sent again."

    play(tmp_path, [JOKE], flow)
