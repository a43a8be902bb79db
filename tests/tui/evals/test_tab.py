"""The Evals tab: the table, the runs of a query, what they asked, and reports that come."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.golden_reports import query, write_report
from tests.tui.running import SIZE, Running, in_turn
from tests.tui.steady import resize
from tests.tui.test_app import play
from workbench.core import evals
from workbench.core.evals import CalledTool, Check, QueryRun, Report
from workbench.io.state_folder import StateFolder
from workbench.tui.evals.tab import EvalsTab
from workbench.tui.tabs import EVALS

LATER = "2026-11-20T11:00:00+00:00"
ESCAPES = "\x1b[31m[b]red[/b]\u202e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_report(StateFolder(tmp_path / ".workbench"))
    return tmp_path


def state(folder: Path) -> StateFolder:
    return StateFolder(folder / ".workbench")


def tab(running: Running) -> EvalsTab:
    return running.tab(EVALS, EvalsTab)


def run(
    folder: Path, flow: Callable[[Running], Awaitable[None]], size: tuple[int, int] = SIZE
) -> None:
    """Play ``flow`` in the tab once its reports are read."""

    async def opened(running: Running) -> None:
        wanted = len(list(state(folder).evals.glob("*.json")))
        await running.until(lambda: len(running.session.evals.names) == wanted)
        await running.press("4")
        await running.until(lambda: tab(running).queries.has_focus)
        await running.pilot.pause()
        await flow(running)

    play(folder, [], opened, size)


def lines(running: Running) -> list[str]:
    return running.screen_text().splitlines()


def line_with(running: Running, text: str) -> str:
    return next(line for line in lines(running) if text in line)


async def the_table_its_command_its_filter_and_its_order(running: Running) -> None:
    await resize(running.pilot, *SIZE)
    await running.press("home")
    text = running.screen_text()
    assert "[4 Evals 1]" in text
    title = line_with(running, "Evals [1/3]")
    assert ", 3 queries × 5 · 8 of 10 passed, 5 skipped" in title
    head = line_with(running, "pass rate")
    assert head.split()[1:] == [
        *("query", "tool", "filters", "grounded", "relevant"),
        *("pass", "rate", "first", "failure", "┃"),
    ]
    red = line_with(running, "> red-under-30")
    assert "✓ 5/5   × 4/5    ✓ 4/4     ✓ 4/4     ━━━━━━━━──  80%" in red
    assert "max_price: expected 30 ±20%, got 50 (run 3)" in red
    assert red.index("× 4/5") == head.index("filters")
    assert "× 4/5     ━━━━━━━━──  80%" in line_with(running, "white-for-fish")
    skipped = line_with(running, "no-such-grape")
    assert "- skip  - skip   - skip    - skip    skipped" in skipped
    assert "OPENROUTER_API_KEY is not set" in skipped
    await running.press("down", "y")
    wanted = "pytest tests/test_wine.py::test_search -k '[white-for-fish-run' --llm-repeat 5"
    assert running.app.clipboard == wanted
    assert running.status == f"Copied the command {wanted}."
    await running.press("up", "slash")
    await running.write("is:unsteady fish")
    assert "white-for-fish" in line_with(running, "> ")
    assert "1 of 3" in line_with(running, "Evals [1/1]")
    await running.press("enter")
    assert tab(running).queries.has_focus
    assert "a white for fish" in line_with(running, '"')
    tab(running).queries.set_filter("fishx")
    await running.until_shown('No query matches "fishx". 3 are hidden.')
    tab(running).queries.set_filter("is:odd")
    assert running.status.startswith('"odd" is not a state. States: failed, ')
    assert len(tab(running).queries.keys) == 3
    await running.press("escape", "o")
    assert "by name" in line_with(running, "Evals [")
    first = tab(running).queries.keys[0]
    assert first.endswith("[no-such-grape]")
    # All that is drawn has room.
    await resize(running.pilot, 80, 24)
    await running.until_shown("relevant  rate  first failure")
    assert "query" in line_with(running, "first failure")
    assert "━━━━━━━━──" not in running.screen_text()
    assert "✓ 4/4      80%  max_price" in line_with(running, "red-under-30")
    await running.press("z")
    assert "relevant  rate  first failure" in lines(running)[1], "zoomed"


async def the_run_of_a_query_and_text_in_it(running: Running) -> None:
    await resize(running.pilot, 120, 36)
    await running.press("escape", "home", "left_square_bracket")
    await running.until_shown("run 3 of 5")
    text = running.screen_text()
    for said in (
        'red-under-30  "red wine under 30"',
        "run 3 × failed  4 of 5 passed  0.06 s",
        "  max_price: expected 30 ±20%, got 50 ",
        'search_wines(query="wine", max_price=50)',
        "run 3 of 5",
        "red wine under 30, run 3",
    ):
        assert said in text, said
    await running.press("tab")
    assert tab(running).run_pane.has_focus
    await running.press("slash", *"max_price", "enter")
    await running.until_shown("/ max_price  1 of ")
    assert "run 3 of 5" not in running.screen_text()
    await running.press("escape")
    await running.until_shown("run 3 of 5")
    assert tab(running).run_pane.has_focus
    await running.press("escape")
    await running.press("right_square_bracket")
    text = running.screen_text()
    assert "run 4 of 5" in text
    assert "run 4 ✓ passed" in text
    assert 'search_wines(query="wine", max_price=30)' in text
    assert "red wine under 30, run 4" in text
    await running.press(*["left_square_bracket"] * 4)
    await running.until_shown("run 5 of 5")
    await running.press("down")
    await running.until_shown("run 1 × failed")
    await running.until_shown("4 of 5 passed (75% required)")
    await running.press("down")
    await running.until_shown("skipped  OPENROUTER_API_KEY is not set")
    assert "[Conversation" not in running.screen_text()


async def enter_shows_the_exchange_of_that_run(running: Running) -> None:
    await running.press("right_square_bracket")
    await running.until_shown("( ) Report")
    await running.press("enter")
    assert tab(running).request.has_focus
    await running.until_shown("red wine under 30, run 4")
    await running.press("tab")
    assert tab(running).reply.has_focus
    await running.until_shown('"max_price": 30')
    assert "( ) Report" not in running.screen_text(), "it is about queries"
    await running.press("J")
    await running.until_shown("Merlot, run 4")
    await running.until_shown("2 of 2")
    await running.press("K")
    await running.until_shown('"max_price": 30')
    await running.press("escape")
    assert tab(running).queries.has_focus
    await running.press("tab")
    assert tab(running).run_pane.has_focus


def test_a_report_is_read(folder: Path) -> None:
    flow = in_turn(
        enter_shows_the_exchange_of_that_run,
        the_run_of_a_query_and_text_in_it,
        the_table_its_command_its_filter_and_its_order,
    )
    run(folder, flow, (80, 24))


def test_many_checks_give_way(tmp_path: Path) -> None:
    checks = [Check(f"a-long-name-{number}", True) for number in range(9)]
    write_report(state(tmp_path), found=[query("q", "q", QueryRun(1, True, 0.1, checks=checks))])

    async def flow(running: Running) -> None:
        assert "+6 checks" in line_with(running, "a-long-name-0")
        assert "100%" in line_with(running, "> q")

    run(tmp_path, flow, (80, 24))


def test_a_report_that_comes_is_shown_and_the_selection_stays(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("down")
        runs = [QueryRun(1, False, 0.1, "it crashed")]
        write_report(state(folder), LATER, [query("white-for-fish", "fish", *runs)])
        await running.until_shown("it crashed (run 1)")
        selected = tab(running).selected
        assert selected is not None
        assert selected.id == "white-for-fish"
        assert "(1 of 2)" in line_with(running, "Evals [1/1]")
        await running.press("enter")
        assert tab(running).run_pane.has_focus, "it asked nothing"
        await running.press("J")
        assert running.status == "This run has no other exchange there."
        await running.press("left_parenthesis")
        assert "(2 of 2)" in line_with(running, "Evals [2/3]")
        await running.press("left_parenthesis")
        assert "No older report is kept." in running.status
        await running.press("right_parenthesis")
        assert running.status == ""
        await running.press("right_parenthesis")
        assert "This is the newest report." in running.status

    run(folder, flow)


def test_a_damaged_report_is_named(folder: Path) -> None:
    (state(folder).evals / "2026-11-20T110000Z.json").write_text('{"version": 1,\n"live" 5}')

    async def flow(running: Running) -> None:
        for size in (SIZE, (80, 24)):
            await resize(running.pilot, *size)
            assert "! 1 damaged · " in line_with(running, "Evals [1/3]")
            await running.press("right_parenthesis")
            text = running.screen_text()
            assert "2026-11-20T110000Z.json cannot be read." in text
            assert "at line 2, column 8" in " ".join(text.split())
            assert tab(running).selected is None
            await running.press("enter", "left_square_bracket", "J", "y", "left_parenthesis")
            await running.until_shown("> red-under-30")

    run(folder, flow)


def test_why_a_report_is_damaged_has_its_room_after_one_query(folder: Path) -> None:
    path = state(folder).evals / "2026-11-20T090000Z.json"
    path.write_text('{"version": 1,\n"live" 5}')
    write_report(state(folder), LATER, [query("white-for-fish", "fish")])

    async def flow(running: Running) -> None:
        await running.until_shown("Evals [1/1]")
        await running.press("left_parenthesis", "left_parenthesis")
        await running.until(lambda: str(path) in re.sub("[┃\\s]", "", running.screen_text()))

    run(folder, flow, (80, 24))


def test_a_journal_that_is_gone_leaves_the_rest(folder: Path) -> None:
    (state(folder).evals / "2026-11-20T101200Z.jsonl").unlink()

    async def flow(running: Running) -> None:
        await running.until_shown("the journal beside the report is missing")
        await running.until_shown("The requests of this run cannot be read.")
        await running.until_shown("search_wines(query=")

    run(folder, flow, (120, 36))


def test_nothing_is_interpreted(tmp_path: Path) -> None:
    checks = [Check(ESCAPES, False, ESCAPES)]
    calls = [CalledTool(ESCAPES, {ESCAPES: ESCAPES})]
    failed = QueryRun(1, False, 0.1, f"{ESCAPES}\nsecond line", checks, calls)
    found = [query(ESCAPES, ESCAPES, failed), query("s", "s", skipped=ESCAPES)]
    not_a_time = f"not a time {ESCAPES}"
    write_report(state(tmp_path), "1", found).write_bytes(
        evals.encode(Report(not_a_time, False, 1, {one.test: one for one in found}))
    )
    # No time on this side of the earth.
    write_report(state(tmp_path), "0001-01-01T00:00:00+05:00", found)

    async def flow(running: Running) -> None:
        text = running.screen_text()
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "\\x1b[31m[b]red[/b]\\u202e" in text
        assert "second line" in text
        await running.press("down", "enter", "escape", "y")
        assert "not a time \\x1b[31m[b]red" in line_with(running, "Evals [2/2]")
        await running.press("left_parenthesis")
        assert "report of 0001-01-01T00:00:00+05:00 (2 of 2)" in line_with(running, "Evals [")

    run(tmp_path, flow)


def test_without_reports(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.until_shown("No report yet. Tests with the mark llm_eval leave one:")
        await running.until_shown("[4 Evals]")
        await running.press("enter", "left_parenthesis", "right_square_bracket", "y", "o", "tab")
        write_report(state(tmp_path))
        await running.until_shown("> no-such-grape")

    run(tmp_path, flow)
