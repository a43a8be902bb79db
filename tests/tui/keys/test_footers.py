"""The key bar for each state of a row, each pane and each tab."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from tests.golden_reports import write_report
from tests.recorded import write_recording
from tests.tui.running import WEATHER_TOOL, Running, application, ask
from tests.tui.steady import resize
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.control_api import HeldRequest
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.lines import miss_lines, unsupported_line
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.io.state_folder import StateFolder
from workbench.tui.key_bar import MOST_KEYS

WIDTHS: Final = (80, 120, 160)
NO_DUMP = ask("no dump")
BLOCKED: Final[dict[str, Any]] = {
    "model": "gpt-4o-mini",
    "messages": [
        {"role": "user", "content": "Plan it."},
        {"role": "assistant", "content": FALLBACK_TEXT},
        {"role": "user", "content": "Go on."},
    ],
}


def bar(running: Running) -> tuple[list[str], str]:
    """The keys of the situation, and those at the right edge."""
    line = running.screen_text().splitlines()[-1]
    edge = next(keys for keys in ("? Help  ^p More ", "F1 Help  ^p More ") if line.endswith(keys))
    return [key for key in line.removesuffix(edge).strip().split("  ") if key], edge


async def check(running: Running, expected: str, widths: Sequence[int] = WIDTHS) -> None:
    """The key bar has the keys expected, parted by two spaces, from the first to the last that
    there is room for; help and palette at the right edge, whatever is left out.
    """
    keys = expected.split("  ")
    try:
        await running.until(lambda: bar(running)[0] == keys, timeout=20)
    except TimeoutError:
        assert bar(running)[0] == keys
    for width in widths:
        await resize(running.pilot, width, 24)
        shown, edge = bar(running)
        assert shown == keys[: len(shown)]
        assert len(shown) + 2 <= MOST_KEYS
        next_one = keys[len(shown) : len(shown) + 1]
        assert not next_one or len("  ".join([*shown, *next_one, edge])) > width - 1


async def of_a_miss_and_its_panes(running: Running) -> None:
    await running.begin_at(MISSING)
    await check(running, "⏎ Edit  t Tool call  d Nearest  s Skip  i Ignore  / Filter  . All")
    await running.press("tab")
    await check(running, "[ ] View  { } Message  ⏎ Fold  / Find  y Copy  t Tool call  d Nearest")
    await running.press("slash")
    await check(running, "⏎ Done  esc Clear")
    await running.press("escape", "escape", "slash")
    await check(running, "⏎ Done  esc Clear")
    await running.press("escape", "enter")
    usual = "^t Tool call  esc List  ^o $EDITOR"
    await check(running, f"^s Save  ^b Preview  {usual}  ^f Delivery  F12 JSON")
    await running.press("ctrl+t")
    await check(running, f"^s Save  ^g Remove call  ^b Preview  {usual}  ^f Delivery")
    await running.write("Ulm")
    await running.press("right")
    await running.write(",")
    fix = "^s Save  ^r Fix  ^n Next problem  ^g Remove call  ^b Preview  ^t Tool call  esc List"
    await check(running, fix)
    await running.press("f12")
    await check(running, f"^s Save  ^r Fix  ^n Next problem  ^b Preview  {usual}")
    await running.press("f12")
    await running.press("ctrl+g")
    await running.write("Paris")
    await running.press("ctrl+b")
    await check(running, "p Play  b Bytes  y Copy  [ ] View  a Save  v Verify  ^b Back")
    await running.press("escape")
    await check(running, "⏎ Edit  a Save  t Tool call  d Nearest  s Skip  / Filter  . All")


async def of_the_states_of_a_row(running: Running) -> None:
    session, misses = running.session, running.app.misses
    name = digest(HELD)
    held = HeldRequest(name, name, 1.0, 200.0, False, 1)
    misses.held_changed(session.held.take([held]))
    await running.begin_at(HELD)
    await check(running, "⏎ Answer  t Call  W Once  L Fallback  + 5 min  / Filter  . All")
    session.server.is_strict = True
    misses.update_keys()
    await check(running, "⏎ Answer  t Call  W Once  L Error  + 5 min  / Filter  . All", ())
    session.server.is_strict = False
    await running.press("enter", "x", "escape")
    await check(running, "⏎ Answer  a Save  t Call  W Once  L Fallback  + 5 min  / Filter")
    await running.begin_at(STALE)
    await check(running, "⏎ Edit  r Move  d Difference  c Copy answer  / Filter  s Skip  . All")
    # A held request with a similar fixture has the keys of both.
    name = digest(STALE)
    misses.held_changed(session.held.take([HeldRequest(name, name, 1.0, 200.0, False, 1)]))
    await check(running, "⏎ Answer  t Call  r Move  c Copy  W Once  L Fallback  + 5 min")
    misses.held_changed(session.held.take([]))
    await running.begin_at(BROKEN)
    await check(running, "⏎ Mend  e $EDITOR  / Filter  d Difference  . All  w JSON  q Quit")
    await running.begin_at(BLOCKED)
    await check(running, "⏎ Edit  t Tool call  s Skip  / Filter  . All  w JSON  q Quit")
    await running.begin_at(NO_DUMP)
    await check(running, "⏎ Edit  t Tool call  s Skip  i Ignore  / Filter  . All  q Quit")
    misses.rows.select(next(iter(session.miss_index.unsupported)))
    await check(running, "⏎ What to change  s Skip  / Filter  . All  q Quit")


async def of_rows_that_are_done_and_of_marked_ones(running: Running) -> None:
    await running.begin_at(OTHER)
    await running.press("i", *"why", "enter")
    await running.begin_at(OTHER)
    await check(running, "⏎ Edit  i Un-ignore  / Filter  u Undo  . All  q Quit")
    await running.press("i", "s")
    await running.begin_at(OTHER)
    await check(running, "⏎ Edit  s Unskip  / Filter  u Undo  . All  q Quit")
    await running.press("s", "enter", "x", "ctrl+s")
    await running.begin_at(OTHER)
    await check(running, "⏎ Edit  v Verify  / Filter  d Difference  u Undo  . All  w JSON")
    await running.begin_at(STALE)
    await running.press("m")
    await running.begin_at(BLOCKED)
    await running.press("m")
    await running.begin_at(STALE)
    keys = "r Move  d Difference  c Copy answer  / Filter  s Skip"
    await check(running, f"⏎ Edit  A Save 2  {keys}")
    await running.press("m")
    await running.begin_at(STALE)
    await check(running, f"⏎ Edit  A Save 1  {keys}", ())


async def of_the_other_tabs(running: Running) -> None:
    await running.press("2")
    tab = running.fixtures_tab
    await running.until(lambda: len(tab.rows.keys) == 3)
    tab.rows.select(f"{digest(BROKEN)}.json")
    await check(running, "⏎ Mend  / Filter  D Delete  u Undo  U Unused  q Quit")
    tab.rows.select(f"{digest(OTHER)}.json")
    await check(running, "⏎ Edit  g Request  v Verify  / Filter  D Delete  u Undo  U Unused")
    await running.press("enter", "y", "escape")
    keys = "g Request  d Difference  ^s Save  v Verify  Y Take file"
    await check(running, f"⏎ Edit  {keys}  / Filter")
    await running.press("3")
    await check(running, "⏎ Open  / Filter  . Step  f Fork  d Diff  P Promote  q Quit")
    await running.press("4")
    keys = "⏎ Open  / Filter  [ ] Run  ( ) Report  y Copy  J K Exchange  q Quit"
    await check(running, keys)


MISSING, HELD, BROKEN = ask("missing", tools=[WEATHER_TOOL]), ask("held"), ask("broken")
OTHER, STALE, EARLIER = ask("other"), ask("It is 2026-11-27."), ask("It is 2026-11-26.")


def test_footers(tmp_path: Path) -> None:
    folder = tmp_path / "fixtures"
    folder.mkdir()
    (folder / f"{digest(BROKEN)}.json").write_text("{")
    text = new_document(digest(EARLIER), {"content": "yes"}, request=EARLIER).text
    (folder / f"{digest(EARLIER)}.json").write_text(text, "utf-8")
    write_report(StateFolder(tmp_path / ".workbench"))
    write_recording(tmp_path / ".workbench" / "runs", "aa")
    legacy = UnsupportedRequest.of("POST", "/v1/completions")
    assert legacy is not None

    async def flow() -> None:
        asked = [MISSING, HELD, STALE, BROKEN, BLOCKED, OTHER]
        async with application(tmp_path, asked, size=(160, 24)) as running:
            with (tmp_path / "mock-llm.log").open("a") as log:
                log.write(miss_lines(digest(NO_DUMP), NO_DUMP).splitlines(keepends=True)[0])
                log.write(unsupported_line(legacy))
            session = running.session
            await running.until(lambda: session.miss_index.unsupported)
            await running.until(lambda: session.stale.is_stale(digest(STALE)))
            await running.press("full_stop")
            await of_a_miss_and_its_panes(running)
            await of_the_states_of_a_row(running)
            await of_rows_that_are_done_and_of_marked_ones(running)
            await of_the_other_tabs(running)

    asyncio.run(flow())
