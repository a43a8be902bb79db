"""What a key costs, counted in what it lays out and draws: time would depend on the machine."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.content import Content
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.visual import VisualType

from tests.tui.running import Running, ask
from tests.tui.test_app import play
from workbench.core.digest import digest
from workbench.core.log.lines import miss_lines
from workbench.tui.header import TopBar
from workbench.tui.key_bar import KeyBar
from workbench.tui.lines.section_view import SectionView
from workbench.tui.misses.miss_list import MissList
from workbench.tui.request.pane import RequestPane
from workbench.tui.widgets.labels import SteadyLabel
from workbench.tui.workspace import draft_view

QUESTION = ask("question")

SIZES = [(80, 24), (200, 40)]


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the screen was laid out (``layouts``), styles of a widget or a part of one were
    looked up (``styles``), and the ``key bar`` and each row of the list drawn.
    """
    counts: Counter[str] = Counter()
    reflow, row, apply = Compositor.reflow, MissList.row, Stylesheet.apply
    render = KeyBar.render

    def counting_reflow(self: Compositor, *args: object) -> object:
        counts["layouts"] += 1
        return reflow(self, *args)  # type: ignore[arg-type]

    def counting_row(self: MissList, key: str, width: int) -> Content:
        counts[key] += 1
        return row(self, key, width)

    def counting_render(self: KeyBar) -> VisualType:
        counts["key bar"] += 1
        return render(self)

    def counting_apply(self: Stylesheet, node: DOMNode, **more: Any) -> None:
        counts["styles"] += 1
        apply(self, node, **more)

    monkeypatch.setattr(Stylesheet, "apply", counting_apply)
    monkeypatch.setattr(Compositor, "reflow", counting_reflow)
    monkeypatch.setattr(MissList, "row", counting_row)
    monkeypatch.setattr(KeyBar, "render", counting_render)
    return counts


async def settled(running: Running) -> None:
    """Until the draft of the selected miss was checked and everything about it drawn."""
    app, session = running.app, running.session
    await running.until(lambda: app.misses.subject in session.drafting.assessments)
    for _ in range(3):
        await running.pilot.pause(0.05)


@pytest.mark.parametrize("size", SIZES)
def test_down_lays_out_nothing_and_draws_two_rows(
    tmp_path: Path, drawn: Counter[str], size: tuple[int, int]
) -> None:
    async def flow(running: Running) -> None:
        await running.press("down")
        await settled(running)
        left, entered = running.app.misses.rows.rows_in_view[1:3]
        drawn.clear()
        await running.press("down")
        await settled(running)
        assert running.app.misses.rows.cursor == entered
        assert set(drawn) == {left, entered}

    play(tmp_path, [ask(f"question {number:03}") for number in range(30)], flow, size)


def test_another_miss_does_not_draw_the_same_keys_again(
    tmp_path: Path, drawn: Counter[str]
) -> None:
    news = ask("news")

    async def flow(running: Running) -> None:
        await settled(running)
        drawn.clear()
        with (running.folder / "mock-llm.log").open("a") as log:
            log.write(miss_lines(digest(news), news))
        await running.until_shown("news")
        assert not drawn["key bar"]
        await running.press("question_mark")
        await running.until(lambda: not running.shows("Accept")())
        assert drawn["key bar"]

    play(tmp_path, [QUESTION], flow)


def test_a_letter_lays_out_nothing_and_looks_up_no_styles(
    tmp_path: Path, drawn: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(draft_view, "ASSESS_AFTER", 60)

    async def flow(running: Running) -> None:
        view, seen = running.parts.view, running.session.drafting.assessments
        shapes = view.query_one("#shapes")
        await running.press("enter", "a")
        await settled(running)
        drawn.clear()
        await running.press("b")
        assert shapes.styles.opacity < 1  # it is not yet checked
        before = seen[digest(QUESTION)]
        view.assess_now()
        await running.until(lambda: seen[digest(QUESTION)] is not before)
        await settled(running)
        assert shapes.styles.opacity == 1
        assert not drawn["layouts"]
        assert not drawn["styles"]
        # Into the details: the styles of their fields, not of all in the pane.
        await running.press("tab")
        assert 0 < drawn["styles"] < 60
        assert view.answer.has_class("-focused")
        await running.press("escape")
        assert not view.answer.has_class("-focused")

    play(tmp_path, [QUESTION], flow)


class Labels(App[None]):
    """A label that has a line to itself."""

    CSS = "#fixed { width: 1fr; height: 1; }"

    def compose(self) -> ComposeResult:
        yield SteadyLabel(id="fixed")


def test_the_same_words_in_another_style_are_drawn() -> None:
    async def check() -> None:
        app = Labels()
        async with app.run_test() as pilot:
            label = app.query_one("#fixed", SteadyLabel)
            label.update(Content("words"))
            await pilot.pause()
            plain = label.render_line(0)
            label.update(Content.styled("words", "bold"))
            await pilot.pause()
            assert label.render_line(0) != plain

    asyncio.run(check())


def test_the_bars_are_drawn_only_where_they_say_something_else(
    tmp_path: Path, drawn: Counter[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    new, render, update_bar = ask("a new question"), TopBar.render, KeyBar.update

    def counting_render(self: TopBar) -> Content:
        drawn["header"] += 1
        return render(self)

    def counting_update(self: KeyBar, content: Content) -> None:
        drawn["keys"] += 1
        update_bar(self, content)

    monkeypatch.setattr(TopBar, "render", counting_render)
    monkeypatch.setattr(KeyBar, "update", counting_update)

    async def flow(running: Running) -> None:
        app = running.app
        await settled(running)
        drawn.clear()
        app.main.show_news("fixtures")
        app.services.show_state()
        app.misses.update_rows(frozenset())
        await running.pilot.pause()
        assert [drawn[name] for name in ("header", "keys", "key bar")] == [0, 0, 0]
        with (running.folder / "mock-llm.log").open("a") as log:
            log.write(miss_lines(digest(new), new))
        await running.until(lambda: digest(new) in app.misses.rows.keys)
        await running.pilot.pause()
        assert [drawn[name] for name in ("header", "keys", "key bar")] == [1, 0, 0]
        for _ in range(3):
            app.misses.refresh_bindings()
        await running.pilot.pause()
        assert [drawn[name] for name in ("header", "keys", "key bar")] == [1, 1, 0]

    play(tmp_path, [QUESTION], flow)


def test_the_nearest_fixture_that_was_found_changes_the_name_of_its_view_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[RequestPane] = []
    show_sections = SectionView.show_sections

    def counting(self: SectionView, *args: Any, **more: Any) -> None:
        made.extend(pane for pane in self.ancestors if isinstance(pane, RequestPane))
        show_sections(self, *args, **more)

    async def flow(running: Running) -> None:
        await settled(running)
        nearest = running.parts.nearest
        await running.until(lambda: nearest.result is not None)
        monkeypatch.setattr(SectionView, "show_sections", counting)
        assert nearest.result is not None
        nearest.show_result(nearest.result)
        assert made == []
        await running.press("d")
        made.clear()
        nearest.show_result(nearest.result)
        assert made == [running.parts.view.request]

    play(tmp_path, [QUESTION], flow)
