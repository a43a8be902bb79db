"""The Recordings tab under Pilot: what it shows, steps through, forks, compares and promotes."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.recorded import SECOND, WEATHER, write_recording
from tests.tui.running import SIZE, Running, application, in_turn
from tests.tui.steady import resize
from workbench.core.digest import digest
from workbench.core.recordings.exchanges import CheckpointMark, End, Exchange, Parent, Returned
from workbench.io.recordings.journal import JournalWriter
from workbench.io.recordings.recording_file import Recording
from workbench.session.drafts.store import Draft
from workbench.tui.answer.editor import MOST_IN_A_LINE
from workbench.tui.keys.palette import can_run, groups
from workbench.tui.recordings.tab import RecordingsTab
from workbench.tui.tabs import RECORDINGS

SIZES = [(80, 24), (120, 36)]
Flow = Callable[[Running], Awaitable[None]]


@pytest.fixture
def recordings(tmp_path: Path) -> Path:
    return tmp_path / ".workbench" / "runs"


def tab(running: Running) -> RecordingsTab:
    return running.tab(RECORDINGS, RecordingsTab)


def play(folder: Path, flow: Flow, size: tuple[int, int] = SIZE) -> None:
    """Run ``flow`` in the Recordings tab, when all recordings are listed."""

    async def run() -> None:
        async with application(folder, [], size=size) as running:
            files = list((folder / ".workbench" / "runs").glob("*.jsonl"))
            await running.until(lambda: len(running.session.recordings) == len(files))
            await running.press("3")
            await running.until(lambda: tab(running).recordings.has_focus)
            await running.pilot.pause()
            await flow(running)

    asyncio.run(run())


def test_recordings_exchanges_and_one_exchange_whole(tmp_path: Path, recordings: Path) -> None:
    write_recording(recordings, "aa")
    forked = Exchange(2, "get_weather", 1, {"city": "London"}, Returned("24C"), source="replaced")
    write_recording(
        recordings, "bb", [forked, End("KeyError: 'x'")], name="sunny", parent=Parent("aa", 2)
    )

    async def flow(running: Running) -> None:
        for size in SIZES:
            await resize(running.pilot, *size)
            screen = running.screen_text()
            assert "3 Recordings 2" in screen
            assert "└ sunny" in screen
            assert "   #       at  node " in screen
            for text in (
                "get_weather(city=Lond",
                '"12C rain"',
                "◆ checkpoint after 1   iteration 1",
            ):
                assert text in screen
            assert '└ fork "sunny"   reply replaced: "24C"' in screen
        await running.press("down")
        await running.until_shown("Died at get_weather, call 1: KeyError: 'x'")
        await running.press("up", "enter", "G", "up", "enter")
        await running.until(lambda: tab(running).request.has_focus)
        await running.until_shown("2 tool  get_weather  answers call_c62fad60")
        await running.press("tab")
        await running.until_shown("12 degrees and rain.")
        await running.until_shown("the application made of it")
        await running.until_shown('"degrees": 12')
        await running.press("y")
        assert running.app.clipboard == "12 degrees and rain."
        await running.press("right_square_bracket")
        await running.until_shown("chatcmpl-e2e-")
        await running.press("escape")
        assert tab(running).recordings.has_focus
        await copy_and_enter_a_fork(running)

    play(tmp_path, flow)


async def copy_and_enter_a_fork(running: Running) -> None:
    """What ``y`` copies, and where Enter on a fork leads."""
    await running.press("y")
    assert running.app.clipboard == "aa"
    await running.press("enter", "y")
    assert running.app.clipboard == digest(SECOND)
    await running.press("g", *["down"] * 3, "enter")
    assert tab(running).recording == "bb"
    assert running.status.startswith("Copied")


def test_each_recording_keeps_its_place_and_two_that_are_marked_are_compared(
    tmp_path: Path, recordings: Path
) -> None:
    write_recording(recordings, "aa", name="one", started="2026-11-20T10:00:02+01:00")
    write_recording(recordings, "bb", WEATHER[:3], name="two", started="2026-11-20T10:00:01+01:00")

    async def flow(running: Running) -> None:
        tab(running).exchanges.go_to(3)
        await running.press("down")
        await running.until(lambda: (tab(running).recording, tab(running).position) == ("bb", 1))
        await running.press("up")
        await running.until(lambda: (tab(running).recording, tab(running).position) == ("aa", 3))
        await running.press("d")
        assert running.status == "This recording is not a fork. m marks two recordings to compare."
        await running.press("m", "down", "m")
        await running.until_shown("2 marked")
        await running.press("d")
        await running.until(lambda: running.status.startswith("The first difference is at"))
        await running.until_shown("only in the first")

    play(tmp_path, flow)


async def a_run_is_stepped_through_and_an_exchange_promoted_never_over_a_fixture_unasked(
    running: Running,
) -> None:
    path = running.fixtures / f"{digest(SECOND)}.json"

    await running.press("full_stop")
    assert running.status == "At 2 of 3, next is 3 (ask)."
    await running.until_shown("»    3")
    await running.press("full_stop", "full_stop")
    assert running.status == "At 3 of 3: complete."
    await running.press("B", "B")
    assert running.status == "At 1 of 3, next is 2 (get_weather)."
    assert tab(running).position == 1
    assert tab(running).recordings.has_focus
    await running.press("full_stop", "P")
    assert running.status == "Not promoted: it is not an LLM call."
    await running.press("full_stop", "P")
    assert running.status == f"Promoted to {digest(SECOND)[:12]}….json. u undoes."
    saved = json.loads(path.read_bytes())
    assert saved["response"]["content"] == "12 degrees and rain."
    await running.press("P")
    assert running.status.endswith("has a fixture. P again overwrites it.")
    await running.press("u")
    assert not path.exists()
    path.write_text("{}")
    await running.press("P")
    assert path.read_text() == "{}"
    await running.press("P")
    assert json.loads(path.read_bytes()) == saved
    await running.press("u")
    assert path.read_text() == "{}"


async def a_fork_that_does_not_fit_its_request_is_written_when_asked_twice(
    running: Running,
) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "get_wether", "arguments": "{}"}}
    hole = {"name": "get_weather", "arguments": '{"city": ‹text›}'}
    to_fill = {**call, "index": 0, "function": hole}

    tab(running).recordings.select("ab")
    await running.until(lambda: tab(running).recording == "ab")
    await running.press("f")
    fields = tab(running).view.answer.fields
    await running.until(lambda: fields.cards and fields.cards[0].editor.has_focus)
    await running.press("ctrl+g")
    await running.until(lambda: not fields.cards)
    await running.press("ctrl+z")
    await running.until(lambda: fields.cards)
    response = {"content": "", "tool_calls": [to_fill], "finish_reason": "tool_calls"}
    await tab(running).view.change(
        lambda draft: draft.set_document(draft.document.with_response(response))
    )
    await running.until_shown("1 to fill")
    await running.press("ctrl+l")
    assert running.status == "A value to fill in cannot be allowed. Type over it."
    response["tool_calls"] = [call]
    await tab(running).view.change(
        lambda draft: draft.set_document(draft.document.with_response(response))
    )
    await running.until_shown("the request does not offer get_wether")
    await running.press("ctrl+s")
    said = "Not written. Press ^s again to write it anyway: call 0: the request does not offer"
    assert running.status.startswith(said)
    await running.press("ctrl+s")
    await running.until_shown("What is the fork called?")
    await running.write("misspelt")
    await running.press("enter")
    await running.until_shown("└ misspelt")


def test_a_recording_is_stepped_through_and_forked(tmp_path: Path, recordings: Path) -> None:
    for name in ("aa", "ab"):
        write_recording(recordings, name)
    flow = in_turn(
        a_run_is_stepped_through_and_an_exchange_promoted_never_over_a_fixture_unasked,
        a_fork_that_does_not_fit_its_request_is_written_when_asked_twice,
    )
    play(tmp_path, flow)


def test_a_fork_is_written_on_a_small_and_compared_on_a_larger_screen(
    tmp_path: Path, recordings: Path
) -> None:
    parent = write_recording(recordings, "aa")
    before = parent.read_bytes()

    async def flow(running: Running) -> None:
        await running.press("full_stop", "f")
        await running.until(lambda: tab(running).view.answer.raw.has_focus)
        assert tab(running).view.answer.raw.text == '"12C rain"'
        await running.press("ctrl+a")
        tab(running).view.answer.raw.replace_text('"24C ')
        await running.press("ctrl+s")
        assert running.status.startswith("Not written: line 1, column 1: this string has no end")
        await running.press("end")
        await running.write('sun"')
        await running.press("escape")
        assert tab(running).exchanges.has_focus
        assert list(recordings.iterdir()) == [parent]
        await resize(running.pilot, *SIZES[1])
        await running.press("f")
        await running.until(lambda: tab(running).view.answer.raw.has_focus)
        assert tab(running).view.answer.raw.text == '"24C sun"'
        await running.press("ctrl+s")
        await running.write("sunny")
        await running.press("enter")
        await running.until_shown("└ sunny")
        assert running.status.startswith("Forked from exchange 2.")
        assert tab(running).position == 2
        await running.press("d")
        await running.until_shown('+ "24C sun"')
        await running.until_shown('- "12C rain"')
        assert running.status.startswith(
            "The first difference is at exchange 2 (get_weather): reply:"
        )
        await running.press("d")
        await running.until(lambda: '- "12C rain"' not in running.screen_text())
        assert running.status == ""
        await running.press("f")
        await running.until(lambda: tab(running).view.answer.raw.has_focus)
        await running.press("ctrl+s")
        tab(running).index.recordings.clear()
        await running.write("late")
        await running.press("enter")
        await running.until(lambda: running.status == "Not written: its parent is gone.")

    play(tmp_path, flow, SIZES[0])
    assert parent.read_bytes() == before
    [child] = set(recordings.iterdir()) - {parent}
    recording = Recording(child)
    assert (recording.header.parent, recording.header.name) == (Parent("aa", 2), "sunny")
    assert recording.exchange(2).outcome == Returned("24C sun")


def offered(running: Running) -> set[str]:
    """The commands of the answer that the palette offers here."""
    here = (c for _, of_group in groups(running.app, running.app.focused) for c in of_group)
    ids = {c.id for c in here if tab(running) in c.owner.ancestors and can_run(c)}
    return {name.removeprefix("answer.") for name in ids if name.startswith("answer.")}


def test_what_a_fork_does_not_keep_is_not_offered(tmp_path: Path, recordings: Path) -> None:
    parent = write_recording(recordings, "aa")

    async def flow(running: Running) -> None:
        assert not offered(running)
        await running.press("f")
        view = tab(running).view
        await running.until(lambda: view.answer.fields.cards)
        assert offered(running) > {"add_call", "toggle_json", "details", "undo"}
        assert not offered(running) & {"another", "remove_response", "response"}
        await running.press("ctrl+f")
        await running.until_shown("disconnect_after")
        screen = running.screen_text()
        assert not [name for name in ("description", "delay_ms", "retry_after") if name in screen]
        await running.press("f12")
        await running.until(lambda: view.answer.raw.has_focus)
        response = {"content": "", "delay_ms": 3}
        await view.change(
            lambda draft: draft.set_document(
                draft.document.with_response(response).with_first({"content": "no"})
            )
        )
        await running.press("ctrl+s")
        said = (
            "Not written: a recording cannot store first and delay_ms. Remove it from the document."
        )
        assert running.status == said
        await running.press("f12", "escape", "full_stop")
        await running.until(lambda: tab(running).position == 2)
        await running.press("f")
        await running.until(lambda: view.answer.raw.has_focus)
        assert offered(running) == {"leave", "edit_outside", "undo", "redo"}
        assert "F12" not in running.screen_text()
        await running.press("f12", "ctrl+t", "ctrl+f")
        assert view.answer.raw.has_focus
        assert "F12" not in running.status
        await running.press("escape")
        assert not offered(running)

    play(tmp_path, flow, SIZES[1])
    assert list(recordings.iterdir()) == [parent]


def test_a_fork_too_much_to_be_edited_is_kept_whole_and_none_is_lost_unasked(
    tmp_path: Path, recordings: Path
) -> None:
    parent = write_recording(recordings, "aa")
    text = '"' + "x" * MOST_IN_A_LINE + '"'

    async def flow(running: Running) -> None:
        tab(running).index.forks_begun["aa", 2] = Draft("", text, touched=True)
        await running.press("full_stop", "f")
        await running.until(lambda: tab(running).view.answer.raw.has_focus)
        await running.until_shown("A line of over 50,000 characters. ^o edits it in $EDITOR.")
        assert tab(running).view.answer.raw.whole_text == text
        await running.press("ctrl+s")
        await running.write("long")
        await running.press("enter")
        await running.until_shown("└ long")
        [child] = set(recordings.iterdir()) - {parent}
        assert Recording(child).exchange(2).outcome == Returned(text.strip('"'))
        tab(running).recordings.select("aa")
        await running.until(lambda: tab(running).recording == "aa")
        await running.press("f")
        await running.until(lambda: tab(running).view.answer.raw.has_focus)
        await running.write("x")
        await running.press("escape", "q")
        await running.until_shown("1 fork not written would be lost.")
        await running.press("n")
        assert running.app.is_running
        await running.press("q", "y")
        await running.until(lambda: running.app._exit)

    play(tmp_path, flow)


def test_the_first_recording_comes_and_grows_and_nothing_moves(
    tmp_path: Path, recordings: Path
) -> None:
    async def flow(running: Running) -> None:
        await running.until_shown("No recordings yet. Record one:")
        await running.until_shown("workbench run --record --upstream URL")
        path = write_recording(recordings, "aa", WEATHER[:1])
        await running.until_shown("No end yet.")
        await running.press("enter")
        writer = JournalWriter(path)
        writer.append(WEATHER[2])
        await running.until(lambda: len(tab(running).exchanges.keys) == 2)
        assert tab(running).position == 1
        write_recording(recordings, "bb", name="another", started="2026-11-21T10:00:00+01:00")
        await running.until(lambda: len(tab(running).recordings.keys) == 2)
        assert (tab(running).recording, tab(running).position) == ("aa", 1)
        writer.append(CheckpointMark("c", 2, 1))
        writer.append(End())
        writer.close()
        await running.until_shown("✓ complete")
        await running.until_shown("◆ checkpoint after 2")
        assert tab(running).exchanges.has_focus
        os.unlink(path)
        await running.until(lambda: tab(running).recording == "bb")
        await running.until_shown("3 Recordings 1")

    play(tmp_path, flow)


def test_filters(tmp_path: Path, recordings: Path) -> None:
    write_recording(recordings, "aa")
    write_recording(recordings, "bb", name="another", started="2026-11-19T10:00:00+01:00")

    async def flow(running: Running) -> None:
        await running.press("slash")
        await running.write("anoth")
        await running.until(lambda: list(tab(running).recordings.keys) == ["bb"])
        await running.press("escape")
        await running.until(lambda: len(tab(running).recordings.keys) == 2)
        await running.press("enter", "slash")
        await running.write("12c")
        await running.until(lambda: list(tab(running).exchanges.keys) == ["2"])
        writer = JournalWriter(recordings / "bb.jsonl")
        writer.append(Exchange(4, "other", 1, {}, Returned("no")))
        writer.append(Exchange(5, "get_weather", 2, {}, Returned("12C again")))
        writer.close()
        await running.until(lambda: list(tab(running).exchanges.keys) == ["2", "5"])
        await running.press("enter", "escape")
        await running.until(lambda: len(tab(running).exchanges.keys) == 7)
        await running.press("slash")
        await running.write("zebra")
        await running.until_shown('No exchange matches "zebra".')
        await running.press("escape")
        # A filter that is gone when the texts are read filters nothing.
        rows = tab(running).exchanges
        assert rows.shown_rows is not None
        reading = rows._read_texts(rows.shown_rows)
        await running.until(lambda: reading.is_finished)
        assert len(rows.keys) == 7
        # A filter is for one recording.
        rows.set_filter("zebra")
        await running.until(lambda: not rows.keys)
        tab(running).recordings.select("aa" if tab(running).recording == "bb" else "bb")
        await running.until(lambda: rows.keys and not rows.filter_text)

    play(tmp_path, flow)


def test_what_cannot_be_read_is_listed_with_its_reason(tmp_path: Path, recordings: Path) -> None:
    torn = write_recording(recordings, "aa", WEATHER[:-1], started="2026-11-20T10:00:02+01:00")
    torn.write_bytes(torn.read_bytes()[:-5])
    (recordings / "cc.jsonl").write_text(
        '{"type":"run","format":3,"id":"cc","name":"","started":""}\n'
    )

    async def flow(running: Running) -> None:
        await running.until_shown("line 7 was cut after")
        await running.press("down")
        await running.until_shown("written in format 3; this workbench only reads up to format 1")
        await running.press("full_stop", "f", "P", "d", "m", "y")
        assert tab(running).recordings.has_focus

    play(tmp_path, flow)


def test_a_reply_that_no_server_can_send_is_listed_with_its_reason(
    tmp_path: Path, recordings: Path
) -> None:
    path = write_recording(recordings, "aa")
    path.write_bytes(path.read_bytes().replace(b'"status":200', b'"status":1000', 1))

    async def flow(running: Running) -> None:
        await running.until_shown("cannot be read: reply.status is 1000, not one of 200 to 599")
        await running.press("full_stop")
        await running.until_shown("At 2 of 3, next is 3")

    play(tmp_path, flow)
