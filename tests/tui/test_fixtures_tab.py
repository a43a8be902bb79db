"""The Fixtures tab: what is found in files, filter and order, and what is done with many."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from textual.events import Key

from tests.tui.running import WEATHER_TOOL, Running, ask
from tests.tui.test_app import WORLD, play
from workbench.core.digest import digest, short
from workbench.core.fixtures.document import new_document
from workbench.core.log.lines import miss_lines, served_line

CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
FINE, WARNED, BAD = ask("all is well"), ask("weather?", tools=[WEATHER_TOOL]), ask("bad one")
BROKEN = ask("broken one")


def name(payload: dict[str, object]) -> str:
    return f"{digest(payload)}.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Fixtures of every kind."""
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    responses: list[tuple[dict[str, object], dict[str, object]]] = [
        (FINE, {"content": "fine"}),
        (WARNED, {"tool_calls": [{**CALL, "function": {"name": "get_weather", "arguments":
            '{"city": "x"}'}}], "finish_reason": "tool_calls"}),
        (BAD, {"content": "x", "usage": {"prompt_tokens": -1}}),
    ]  # fmt: skip
    for payload, response in responses:
        text = new_document(digest(payload), response, request=payload, description="note").text
        (fixtures / name(payload)).write_text(text, "utf-8")
    (fixtures / name(BROKEN)).write_text('{"response": {"content" "x"}}', "utf-8")
    (fixtures / "notes.json").write_text("{}", "utf-8")
    return tmp_path


async def open_tab(running: Running, count: int = 5) -> None:
    await running.press("2")
    fixtures = running.app.fixtures
    await running.until(lambda: len(fixtures.book.entries) == count)
    await running.until(lambda: all(e.is_read for e in fixtures.book.entries.values()))
    await running.until(lambda: fixtures.subject is not None)
    await running.pilot.pause()


def test_the_list_says_what_was_found(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        text = running.screen_text()
        for row in (
            f"{short(digest(FINE))}  ✓            never",
            f"{short(digest(WARNED))}  ! 1 warning",
            f"{short(digest(BAD))}  × 1 error",
            f"{short(digest(BROKEN))}  ╳ broken",
            "notes.json    ! bad name   -",
        ):
            assert row in text
        assert "1 fine · 1 warning · 1 error · 1 broken · 1 bad name" in text
        assert "  file          findings     last hit  rot           answers " in text
        assert "weather?" in text

    play(folder, [WORLD], flow)


def test_the_log_tells_of_hits(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        with (folder / "mock-llm.log").open("a") as log:
            log.write(served_line(digest(FINE)))
            log.write(miss_lines(digest(BAD), BAD))
        await running.until(lambda: digest(FINE) in running.session.book.served)
        await running.press("U")
        shown = running.app.fixtures.fixtures.keys
        assert name(FINE) not in shown
        assert {name(WARNED), name(BAD), name(BROKEN)} == set(shown)
        assert "3 fixtures that the log shows no hit of" in running.status
        await running.press("U")
        assert len(running.app.fixtures.fixtures.keys) == 5

    play(folder, [WORLD], flow)


def test_the_filter(folder: Path) -> None:
    filters = {
        "is:error": [BAD],
        "is:broken": [BROKEN],
        "is:fine": [FINE],
        "rule:missing-index": [WARNED],
        "tool:get_weather": [WARNED],
        "model:mini weather": [WARNED],
        "-model:mini is:broken": [BROKEN],
        "well": [FINE],
    }

    async def flow(running: Running) -> None:
        await open_tab(running)
        for typed, payloads in filters.items():
            await running.press("slash")
            await running.write(typed)
            await running.press("enter")
            assert list(running.app.fixtures.fixtures.keys) == [name(p) for p in payloads], typed
            await running.press("escape")
            assert len(running.app.fixtures.fixtures.keys) == 5

    play(folder, [WORLD], flow)


def test_a_filter_that_means_nothing_is_told(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        await running.press("slash")
        await running.write("is:odd")
        assert running.status.startswith("is: takes one of bad name, broken")
        assert len(running.app.fixtures.fixtures.keys) == 5

    play(folder, [WORLD], flow)


def test_the_order_is_chosen_and_problems_are_gone_through(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        await running.press("o")
        rows = running.app.fixtures.fixtures
        wanted = [name(BROKEN), name(BAD), name(WARNED), name(FINE), "notes.json"]
        assert list(rows.keys) == wanted
        rows.select(name(BROKEN))
        await running.press("n")
        assert rows.cursor == name(BAD)
        await running.press("n", "n")
        assert rows.cursor == name(BROKEN)
        await running.press("N")
        assert rows.cursor == name(WARNED)

    play(folder, [WORLD], flow)


def test_a_file_is_deleted_after_asking_and_restored(folder: Path) -> None:
    path = folder / "fixtures" / name(FINE)
    before = path.read_bytes()

    async def flow(running: Running) -> None:
        await open_tab(running)
        running.app.fixtures.fixtures.select(name(FINE))
        await running.until(lambda: running.app.fixtures.subject == digest(FINE))
        await running.press("D", "n")
        assert path.exists()
        await running.press("D", "y")
        assert not path.exists()
        await running.until(lambda: name(FINE) not in running.app.fixtures.book.entries)
        await running.press("u")
        assert path.read_bytes() == before
        await running.until(lambda: name(FINE) in running.app.fixtures.book.entries)

    play(folder, [WORLD], flow)


def test_a_save_that_is_taken_back_leaves_no_row(folder: Path) -> None:
    async def flow(running: Running) -> None:
        entries = running.app.fixtures.book.entries
        await running.press("enter")
        await running.write("draft")
        await running.press("ctrl+s")
        await running.until(lambda: name(WORLD) in entries and entries[name(WORLD)].is_read)
        await running.press("u")
        await running.until(lambda: name(WORLD) not in entries)
        assert running.session.draft(digest(WORLD)).touched

    play(folder, [WORLD], flow)


def test_all_that_is_certain_is_fixed_after_showing_it_and_taken_back(folder: Path) -> None:
    broken, warned = (folder / "fixtures" / name(p) for p in (BROKEN, WARNED))
    before = broken.read_bytes(), warned.read_bytes()

    async def flow(running: Running) -> None:
        await open_tab(running)
        await running.press("F")
        await running.until(running.shows("Mend 2 files:"))
        assert (broken.read_bytes(), warned.read_bytes()) == before
        assert '+{"response": {"content": "x"}}' in running.screen_text()
        await running.press("n")
        await running.until(lambda: '+{"response": {"content": "x"}}' not in running.screen_text())
        assert running.status == "Nothing was mended."
        await running.press("F")
        await running.until(running.shows("Mend 2 files:"))
        await running.press("y")
        await running.until(lambda: running.status == "Mended 2 files. u undoes all.")
        assert json.loads(broken.read_bytes())["response"] == {"content": "x"}
        assert json.loads(warned.read_bytes())["response"]["tool_calls"][0]["index"] == 0
        await running.press("u")
        await running.until(lambda: running.status == "Restored 2 fixtures: as before.")
        assert (broken.read_bytes(), warned.read_bytes()) == before

    play(folder, [WORLD], flow)


def test_its_request_is_shown(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        await running.press("g")
        assert running.app.fixtures.view.request.has_focus

    play(folder, [WORLD], flow)


def test_escape_leads_back_to_the_list(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        await running.until(lambda: not running.app.fixtures.fixtures.reading)
        await running.press("tab")
        assert running.app.fixtures.view.request.has_focus
        await running.press("escape")
        assert running.app.fixtures.fixtures.has_focus

    play(folder, [WORLD], flow)


def test_what_was_found_before_a_file_changed_is_not_shown(folder: Path) -> None:
    async def flow(running: Running) -> None:
        await open_tab(running)
        tab = running.app.fixtures
        before = tab._examiners[name(FINE)]
        (tab.session.store.folder / name(FINE)).write_text("{", "utf-8")
        await running.until(lambda: tab.book.entries[name(FINE)].is_broken)
        assert tab._examiners[name(FINE)] is not before
        tab._examined(before, [(name(FINE), None)], 1, 1)
        assert tab.book.entries[name(FINE)].is_broken

    play(folder, [WORLD], flow)


def examining(running: Running) -> int:
    """How many threads examine fixtures."""
    workers = running.app.workers
    return sum(worker.group == "examine" and not worker.is_finished for worker in workers)


def test_a_large_folder_is_listed_at_once_and_read_with_progress(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    # One file of many names, each of which takes a while to be examined.
    names = [f"{number:064x}.json" for number in range(2000)]
    content = json.dumps([{"id": number, "tags": ["a", "b"]} for number in range(3000)])
    text = new_document(names[0][:64], {"content": content}).text
    (fixtures / names[0]).write_text(text, "utf-8")
    for found in names[1:]:
        os.link(fixtures / names[0], fixtures / found)

    async def flow(running: Running) -> None:
        await running.press("2")
        rows = running.app.fixtures.fixtures
        await running.until(running.shows("of 2,000 · esc stops"))
        assert list(rows.keys) == names
        running.app.fixtures.update_names(frozenset(names[:1]))  # one changes meanwhile
        await running.until(lambda: examining(running) == 1)
        # Not by a pilot, who waits until nothing is computed.
        for key in ("down", "escape"):
            running.app.post_message(Key(key, None))
        await running.until(lambda: running.status.startswith("Stopped. Reading fixtures "))
        assert rows.cursor == names[1]
        assert not running.app.fixtures.book.entries[names[-1]].is_read

    play(tmp_path, [WORLD], flow)
