"""The nearest fixture on the screen: seen, re-keyed one by one and all at once, copied from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.events import Key

from tests.core.fixture.rules.rule_cases import KEY
from tests.tui.running import Running, application, ask
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.text.digests import short
from workbench.session.misses.nearest_result import find_nearest
from workbench.session.misses.states import state_of
from workbench.tui.leaving import question


def news(day: int, more: str = "") -> dict[str, Any]:
    said = [
        {"role": "system", "content": f"Today is 2026-11-{day}. Be brief.{more}"},
        {"role": "user", "content": f"What is new?{more}"},
    ]
    return {"model": "gpt-4o-mini", "messages": said}


def store(folder: Path, payload: dict[str, Any], answer: str = "Nothing at all.") -> str:
    fixtures = folder / "fixtures"
    fixtures.mkdir(exist_ok=True)
    found = digest(payload)
    response = {"content": answer, "finish_reason": "stop"}
    text = new_document(found, response, request=payload).text
    (fixtures / f"{found}.json").write_text(text)
    return found


def files(running: Running) -> set[str]:
    return {path.stem for path in running.fixtures.iterdir()}


async def begun(running: Running) -> None:
    """Wait until long work is under way, no longer."""
    async with asyncio.timeout(60):
        while not running.session.batch_job.is_running:
            await asyncio.sleep(0)


@asynccontextmanager
async def on_another_day(
    folder: Path, payloads: Sequence[dict[str, Any]], matching: int, **more: Any
) -> AsyncIterator[Running]:
    """The application, once it found so many misses of another day."""
    async with application(folder, payloads, **more) as running:
        await running.until(lambda: len(running.session.stale.matching) == matching)
        await running.pilot.pause()
        yield running


def test_the_same_request_on_another_day_is_named_by_its_span(tmp_path: Path) -> None:
    old, new = store(tmp_path, news(19)), digest(news(20))

    async def flow() -> None:
        async with on_another_day(tmp_path, [news(20)], 1, size=(200, 40)) as running:
            await running.until_shown("≈ stale")
            said = "1 miss is stale: only dates, ids and the like differ. R moves it."
            await running.until(lambda: said in running.status)
            await running.until_shown("Nearest ≈")
            await running.press("d", "tab")
            await running.until_shown("≈ The same request but for a")
            screen = running.screen_text()
            assert f"{short(old)} → {short(new)}  1 span differs" in screen
            assert "messages[0] system, characters 9-19, a date" in screen
            assert "- Today is 2026-11-19. Be brief." in screen
            assert "+ Today is 2026-11-20. Be brief." in screen
            assert "its answer  Nothing at all.   finish stop" in screen
            assert "c copy its answer" not in screen  # the key bar has it
            keys = screen.split("\n")[-1]
            assert "r Move  c Copy answer" in keys
            lines = screen.split("\n")
            place = next(n for n, line in enumerate(lines) if "+ Today is" in line)
            column = lines[place].index("2026-11-20")
            assert lines[place + 1][column - 1 : column + 11].strip() == "▔" * 10
            await running.press("d")
            await running.until_shown("[Conversation 2]")

    asyncio.run(flow())


def test_the_view_stays_while_rows_are_gone_through(tmp_path: Path) -> None:
    store(tmp_path, news(19))

    async def flow() -> None:
        asked, size = [news(20), ask("a joke")], (80, 24)
        async with on_another_day(tmp_path, asked, 1, size=size) as running:
            await running.press("d")
            await running.until_shown("The same request but for a")
            # Another pane has its place: there is nothing to go back from.
            await running.press("enter", "escape")
            await running.until_shown("[Answer]")
            await running.press("d")
            await running.until_shown("The same request but for a")
            await running.press("j")
            await running.until_shown("[Nearest none]")
            await running.until_shown("No similar fixture.")
            # What was found for the row before comes too late.
            running.parts.nearest.show_result(
                find_nearest(running.session, running.session.nearest, digest(news(20)))
            )
            await running.press()
            await running.until_shown("No similar fixture.")
            await running.press("right_square_bracket")
            await running.until_shown("[Conversation 1]")

    asyncio.run(flow())


def test_another_nearest_shows_what_it_shares_and_where_it_differs(tmp_path: Path) -> None:
    asked = news(20)
    asked["messages"].append({"role": "assistant", "content": "Nothing."})
    asked["messages"].append({"role": "user", "content": "[bold]Really?[/]\n\x1b[2JSure?"})
    old = store(tmp_path, news(20))

    async def flow() -> None:
        async with application(tmp_path, [asked]) as running:
            await running.press("d")
            await running.until_shown(f"{short(old)} · 2 of 4 messages")
            screen = running.screen_text()
            assert "+ Nothing." in screen
            assert "+ [bold]Really?[/]" in screen
            assert "\\x1b[2JSure?" in screen
            await running.press("r")
            await running.until_shown("The request changed: messages[2] assistant")
            await running.press("n")
            assert files(running) == {old}
            await running.press("r", "y")
            await running.until(lambda: files(running) == {digest(asked)})

    asyncio.run(flow())


def test_one_is_rekeyed_and_taken_back(tmp_path: Path) -> None:
    old, new = store(tmp_path, news(19)), digest(news(20))
    before = (tmp_path / "fixtures" / f"{old}.json").read_bytes()

    async def flow() -> None:
        async with on_another_day(tmp_path, [news(20), ask("a joke")], 1) as running:
            await running.until_shown("Nearest ≈")
            await running.press("r")
            changed = "messages[0] system: 2026-11-19 → 2026-11-20"
            said = f"Moved {short(old)}: {changed}. u undoes."
            await running.until(lambda: running.status == said)
            assert files(running) == {new}
            assert running.app.misses.subject == digest(ask("a joke"))
            await running.press("u")
            await running.until(lambda: "Undid the move" in running.status)
            assert files(running) == {old}
            assert (running.fixtures / f"{old}.json").read_bytes() == before
            assert running.app.misses.subject == new
            await running.until_shown("≈ stale")

    asyncio.run(flow())


def test_all_are_listed_asked_for_and_taken_back_together(tmp_path: Path) -> None:
    olds = [store(tmp_path, news(19, more), f"about{more}") for more in (" a", " b", " c", " d")]
    todays = [news(20, more) for more in (" a", " b", " c", " d")]

    async def flow() -> None:
        async with on_another_day(tmp_path, todays, 4) as running:
            said = "4 misses are stale: only dates, ids and the like differ. R moves them."
            await running.until(lambda: running.status == said)
            await running.press("R")
            await running.until_shown("Move 4 fixtures?")
            for old, today in zip(olds, todays, strict=True):
                await running.until_shown(f"{short(old)} → {short(digest(today))}")
            screen = running.screen_text()
            assert "2026-11-19\u00a0→\u00a02026-11-20" in screen
            await running.press("n")
            assert files(running) == set(olds)
            await running.until_shown("[Conversation 2]")
            # Who writes by the time it is asked is not asked: what is typed there is no answer.
            tab = running.app.misses
            running.parts.rekeying.rekey_all()
            await asyncio.sleep(0)  # it has begun, and nothing of it has come back
            tab.panes.focus("answer")
            running.app.screen.set_focus(running.parts.view.answer.fields.content_editor)
            await running.until(
                lambda: running.status == "Not done, because you moved on. R asks again."
            )
            await running.press("y")
            assert running.parts.view.answer.fields.content_editor.text == "y"
            await running.press("backspace", "escape")
            await running.press("R")
            await running.until_shown("Move 4 fixtures?")
            await running.press("y")
            said = "Moved 4 fixtures. Their answers are unchanged. u undoes all 4."
            await running.until(lambda: running.status == said)
            assert files(running) == {digest(t) for t in todays}
            assert running.app.misses.rows.list_query.open_count == 0
            await running.press("u")
            await running.until(lambda: "Undid the move of 4" in running.status)
            assert files(running) == set(olds)
            assert running.app.misses.rows.list_query.open_count == 4

    asyncio.run(flow())


def test_where_one_of_several_changed_since_its_name_and_the_way_on_are_told(
    tmp_path: Path,
) -> None:
    olds = {store(tmp_path, news(19, more)) for more in (" a", " b")}
    todays = [news(20, more) for more in (" a", " b")]

    async def flow() -> None:
        async with on_another_day(tmp_path, todays, 2) as running:
            await running.press("R")
            await running.until_shown("Move 2 fixtures?")
            await running.press("y")
            await running.until(lambda: running.status.startswith("Moved 2 fixtures."))
            first = digest(todays[0])
            (running.fixtures / f"{first}.json").write_text("theirs")
            await running.press("u")
            said = f"{short(first)} was not undone, because another program has changed it"
            said += " since. u undoes the others."
            await running.until(lambda: running.status == said)
            assert not files(running) & olds
            await running.press("u")
            await running.until(lambda: "Undid the move of" in running.status)
            assert len(files(running) & olds) == 1
            assert (running.fixtures / f"{first}.json").read_text() == "theirs"

    asyncio.run(flow())


def test_a_long_undo_leaves_the_keys_alone_stops_at_escape_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 20
    olds = {store(tmp_path, news(19, f" {n}")) for n in range(count)}
    todays = [news(20, f" {n}") for n in range(count)]
    # Others have their turn behind each file, and each is told of.
    monkeypatch.setattr("workbench.session.batch_job.TURN", 0)
    monkeypatch.setattr("workbench.session.batch_job.TELL_EVERY", 0)

    async def flow() -> None:
        async with on_another_day(tmp_path, todays, count) as running:
            await running.press("R")
            await running.until_shown(f"Move {count} fixtures?")
            misses = running.app.misses
            running.app.post_message(Key("y", "y"))
            await begun(running)
            # Another of its kind does not end it.
            running.parts.rekeying.rekey_all()
            await running.until(lambda: f"u undoes all {count}." in running.status)
            await running.parts.undoing.undo()
            await begun(running)
            asked = question(running.app.main, None, is_own=False)
            assert asked is not None
            assert "still running" in asked
            # No other undo comes in between; Escape ends it.
            await running.parts.undoing.undo()
            misses.action_leave()
            await running.until(lambda: running.status.startswith("Stopped."))
            back = files(running) & olds
            assert 0 < len(back) < count
            assert len(files(running)) == count
            assert running.status == (
                f"Stopped. {len(back)} of {count} are undone; u goes on with the others."
            )
            assert misses.rows.list_query.open_count == len(back)
            assert question(running.app.main, None, is_own=False) is None
            await running.press("u")
            await running.until(lambda: files(running) == olds)
            await running.until(lambda: "Undid the move" in running.status)
            assert misses.rows.list_query.open_count == count

    asyncio.run(flow())


def test_what_is_not_certain_is_left_out_and_asked_for(tmp_path: Path) -> None:
    olds = [store(tmp_path, news(day), f"answer of {day}") for day in (17, 18)]
    new = digest(news(20))

    async def flow() -> None:
        async with on_another_day(tmp_path, [news(20)], 1) as running:
            await running.press("R")
            await running.until_shown("2 fixtures are possible")
            assert files(running) == set(olds)
            await running.press("escape", "k")
            await running.parts.show(new)
            await running.until_shown("Nearest ≈")
            await running.press("r")
            await running.until_shown("Which fixture?")
            await running.write(f"{olds[0][:6]}\n")
            await running.until(lambda: new in files(running))
            value = json.loads((running.fixtures / f"{new}.json").read_bytes())
            assert value["response"]["content"] == "answer of 17"

    asyncio.run(flow())


def test_the_nearests_answer_is_copied_into_the_draft(tmp_path: Path) -> None:
    store(tmp_path, news(19), "Nothing at all.")

    async def flow() -> None:
        async with on_another_day(tmp_path, [news(20)], 1) as running:
            await running.until_shown("Nearest ≈")
            draft = running.session.drafting.open(digest(news(20)))
            await running.press("c")
            await running.until(lambda: draft.document.response["content"] == "Nothing at all.")
            await running.until_shown("Copied the answer of")
            draft.set_text(draft.text.replace("Nothing", "Something"))
            await running.press("c")
            await running.until_shown("Replace what is written?")
            await running.press("n")
            assert draft.document.response["content"] == "Something at all."
            # The palette copies the setting that serves it on any day.
            running.parts.nearest.serve_across_days()
            await running.until_shown('[tool.workbench] normalise = ["date"]')
            assert running.app.clipboard == '[tool.workbench]\nnormalise = ["date"]\n'

    asyncio.run(flow())


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    async def flow() -> None:
        async with application(tmp_path, [news(20)]) as running:
            await running.press("d")
            await running.until_shown("No fixture to compare with.")
            for key in ("r", "c"):
                await running.press(key)
                assert running.status == "No similar fixture."
            await running.press("R")
            await running.until_shown("No miss has a stale fixture")
            # One that comes later is found.
            store(tmp_path, news(19))
            await running.until_shown("The same request but for a")
            assert state_of(running.session, digest(news(20))).kind == "stale"

    asyncio.run(flow())


def test_a_guess_and_a_secret_are_asked_about(tmp_path: Path) -> None:
    fixtures = tmp_path / "fixtures"
    fixtures.mkdir()
    asked = ask("please water the plants", user=KEY)
    value = {"_comment": "'please water the plants' -> a call", "response": {"content": "x"}}
    (fixtures / f"{'a' * 64}.json").write_text(json.dumps(value))

    async def flow() -> None:
        async with application(tmp_path, [asked]) as running:
            await running.press("d")
            await running.until_shown("? Perhaps this one, going by its description.")
            await running.until_shown("Nearest ?")
            await running.press("r")
            await running.until_shown("This is a guess, because")
            await running.press("n")
            assert files(running) == {"a" * 64}
            await running.press("r")
            await running.until_shown("This is a guess, because")
            await running.press("y")
            await running.until_shown("contains what looks like an API key (sk-…f3a).")
            assert files(running) == {"a" * 64}
            await running.press("y")
            await running.until(lambda: files(running) == {digest(asked)})

    asyncio.run(flow())
