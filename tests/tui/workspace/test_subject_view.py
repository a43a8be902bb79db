"""One digest in three panes: it is that of the selected row, and where its draft cannot be kept it
is said to be in memory alone; ``kill_editing`` has the rest.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests.tui.running import Running, ask, in_turn
from tests.tui.test_app import HELLO, WORLD, play
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.session.preview.preview import assess
from workbench.tui import leaving
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.widgets.row_list import RowList
from workbench.tui.workspace.notices import Notice
from workbench.tui.workspace.subject_view import SubjectView

ONLY_IN_MEMORY = "The draft is only in memory: cannot write to"


def kept_text(running: Running) -> str:
    kept = running.session.drafts.path(digest(HELLO))
    return json.loads(kept.read_text())["text"] if kept.exists() else ""


def spoil(running: Running) -> Path:
    """Put a file where drafts are to be kept: no folder can be made there."""
    place = running.session.state_folder.path
    assert not place.exists()
    place.write_text("")
    return place


def test_a_draft_that_cannot_be_kept_is_said_to_be_in_memory_alone(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        place = spoil(running)
        await running.press("enter")
        await running.write("typed")
        await running.until(lambda: running.status.startswith(ONLY_IN_MEMORY))
        assert running.status.endswith(".workbench: it is a file.")
        await running.until_shown("draft only in memory")
        # It is said once, whatever is edited next; the frame says it of each draft.
        running.app.status.say("")
        await running.press("escape", "down", "enter")
        await running.write("typed, too")
        await running.until_shown("draft only in memory")
        assert not running.status.startswith(ONLY_IN_MEMORY)
        await running.press("escape", "up", "enter")
        place.unlink()
        await running.write(" more")
        await running.until_shown("draft kept ")
        await running.until(lambda: "typed more" in kept_text(running))
        await running.until(lambda: running.status == "The draft is kept again.")

    play(tmp_path, [HELLO, WORLD], flow)


def test_leaving_asks_where_a_draft_would_be_lost(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        running.fixtures.write_text("")
        spoil(running)
        await running.press("enter")
        await running.write("typed")
        await running.press("ctrl+s")
        assert running.status.startswith("Cannot write to ")
        assert ONLY_IN_MEMORY in running.status
        await running.press("escape", "q")
        await running.until_shown("1 draft would be lost, because ")
        await running.press("x")
        assert running.app.is_running
        assert running.app.focused is running.app.misses.rows
        await running.press("question_mark", "ctrl+q")
        await running.until_shown("1 draft would be lost")
        assert not running.app._exit
        await running.press("y")
        assert running.app._exit

    play(tmp_path, [HELLO, WORLD], flow)


def test_a_save_that_fails_says_where_the_draft_is(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        running.fixtures.write_text("")
        await running.press("enter")
        running.parts.view.answer.fields.content_editor.insert("typed")
        # Kept although the application ends a moment later.
        assert leaving.keep_drafts(running.app.main) is None
        assert "typed" in kept_text(running)
        await running.write(" more")
        await running.press("ctrl+s")
        assert running.status.startswith("Cannot write to ")
        assert "fixtures: it is a file. Your draft is kept in" in running.status
        assert "typed more" in kept_text(running)

    play(tmp_path, [HELLO], flow)


async def what_is_shown_anew_is_the_row_that_is_selected_by_then(running: Running) -> None:
    tab = running.app.misses
    begun, go_on, done = (asyncio.Event() for _ in range(3))

    async def be_busy() -> None:
        begun.set()
        await go_on.wait()

    assert tab.subject == digest(HELLO)
    tab.call_later(be_busy)
    await begun.wait()
    tab.rows.move_to(1)
    # Not by a key: what the list tells arrives some turns of the event loop later.
    tab.post_message(RowList.Highlighted(tab.rows, tab.rows.cursor))
    running.parts.show_undone(digest(HELLO))
    tab.call_later(done.set)
    go_on.set()
    await done.wait()
    assert tab.rows.cursor == tab.subject == digest(WORLD)


async def rows_that_follow_one_another_fast_leave_nothing_of_the_first(running: Running) -> None:
    late = new_document(digest(HELLO), {"content": "x", "delay_ms": 500}).text

    view = running.parts.view
    running.session.drafting.open(digest(HELLO)).set_text(late)
    await asyncio.gather(view.show(digest(HELLO), Notice()), view.show(digest(WORLD), Notice()))
    delivery = view.answer.fields.details.delivery
    assert delivery.inputs["delay_ms"].value == ""
    assert "at once" in str(delivery.query_one("#delivery", SteadyLabel).render())
    # What was found in a text that is another one by now is not shown, either.
    draft = running.session.drafting.open(digest(WORLD))
    found = assess(draft.text, digest(WORLD), [WORLD], revision=draft.revision)
    draft.set_text(draft.text.replace('"content": ""', '"content": "more"'))
    assert draft.revision != found.revision
    view.show_assessment(digest(WORLD), found)
    assert running.session.drafting.assessments.get(digest(WORLD)) is not found


def test_what_is_shown_is_of_the_selected_row(tmp_path: Path) -> None:
    flow = in_turn(
        what_is_shown_anew_is_the_row_that_is_selected_by_then,
        rows_that_follow_one_another_fast_leave_nothing_of_the_first,
    )
    play(tmp_path, [HELLO, WORLD], flow)


def test_a_row_is_shown_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str | None] = []
    show = SubjectView.show

    async def count(view: SubjectView, digest: str | None, notice: Notice) -> None:
        shown.append(digest)
        await show(view, digest, notice)

    monkeypatch.setattr(SubjectView, "show", count)
    asked = [ask("one"), ask("two")]

    async def flow(running: Running) -> None:
        first, second = running.app.misses.rows.keys
        running.app.misses.rows.select(first)
        await running.until(lambda: running.app.misses.subject == first)
        shown.clear()
        await running.press("down")
        await running.until(lambda: running.app.misses.subject == second)
        assert shown == [second]

    play(tmp_path, asked, flow)
