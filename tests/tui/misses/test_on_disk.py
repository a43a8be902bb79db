"""Files that others change, or that are no use: noticed at once, nothing of either side lost."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from tests.server.running import RunningServer
from tests.tui.answer.test_fields import PLAIN, open_fixture, put
from tests.tui.running import Running, application, ask, in_turn
from tests.tui.test_app import HELLO, WORLD, play
from workbench.core.fixture.document import new_document
from workbench.session.misses.states import state_of

THEIRS = new_document(PLAIN, {"content": "theirs"}).text


async def write_while_another_does(running: Running, path: Path) -> None:
    await open_fixture(running)
    await running.write("mine ")
    path.write_text(THEIRS, "utf-8")
    await running.until(lambda: "Changed on disk." in running.status)


def content(path: Path) -> str:
    return json.loads(path.read_bytes())["response"]["content"]  # type: ignore[no-any-return]


async def a_change_by_another_is_told_and_overwritten_when_asked(running: Running) -> None:
    path = put(running.folder, {"content": "first"})

    await write_while_another_does(running, path)
    assert "mine" in running.fixture_parts.view.answer.fields.content_editor.text
    assert content(path) == "theirs"
    await running.press("ctrl+s")
    assert content(path) == "theirs", "the key may have been on its way before it was told"
    assert "^s again overwrites it" in running.status
    running.fixtures_tab.files_changed(frozenset([path.name]))  # as it is told of late
    await running.pilot.pause()
    assert "^s again overwrites it" in running.status
    path.write_text(THEIRS.replace("theirs", "theirs once more"), "utf-8")
    await running.press("ctrl+s")
    assert content(path) == "theirs once more", "what changes again is asked again"
    await running.press("ctrl+s")
    assert "mine" in content(path)
    await running.press("enter")
    await running.until(lambda: running.fixture_parts.view.answer.has_focus_within)
    await running.write("again ")
    path.unlink()
    await running.until(lambda: running.status.startswith("The file is gone. ^s twice"))
    await running.press("ctrl+s", "ctrl+s")
    assert "again" in content(path)


async def the_version_of_another_is_taken(running: Running) -> None:
    path = put(running.folder, {"content": "first"})

    await running.press("Y")  # on a miss
    await running.until(lambda: running.status.startswith("It has no file yet"))
    await open_fixture(running)
    editor = running.fixture_parts.view.answer.fields.content_editor
    path.write_text(THEIRS.replace("theirs", "before mine"), "utf-8")
    await running.until(lambda: editor.text == "before mine")
    assert "changed" not in running.status, "nobody wrote into it"
    await running.press("escape")
    await write_while_another_does(running, path)
    await running.press("escape", "Y")
    await running.until_shown("Discard your draft and take the file's text?")
    await running.press("n")
    assert running.session.drafting.open(PLAIN).touched
    await running.press("Y", "y")
    await running.until(lambda: editor.text == "theirs")
    assert not running.session.drafting.open(PLAIN).touched
    assert not running.session.drafts.path(PLAIN).exists()
    assert path.read_text("utf-8") == THEIRS
    await running.press("enter", "ctrl+z")
    await running.until(lambda: "mine" in editor.text)
    assert running.session.drafting.open(PLAIN).touched


def test_a_broken_file_is_said_to_be_and_not_verified(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "first"})
    cases = [
        (b'{"response": {"content": "\xe9"}}', "byte 0xe9 is not UTF-8"),
        (b'{"response": {"content": 5}}', "content is a number; expected a string"),
    ]

    async def flow(running: Running) -> None:
        await running.press("2")
        await running.until(lambda: running.fixtures_tab.subject == PLAIN)
        for data, said in cases:
            path.write_bytes(data)
            await running.until_shown(said)
            await running.until_shown("Its fixture is broken")
            await running.until_shown("╳ broken")
            await running.press("v")
            start = "The server cannot answer with it, because the file is broken: "
            assert running.status.startswith(start + said)

    play(tmp_path, [WORLD], flow)


def test_what_is_wrong_with_a_file_is_seen_on_the_smallest_screen(tmp_path: Path) -> None:
    put(tmp_path, {"content": "first"}).write_bytes(b'{"response": {"content": "a"} "id": 1}')

    async def flow(running: Running) -> None:
        await running.until_shown("╳ Its fixture is broken: a comma is missing")
        await running.press("2")
        await running.until_shown("(unknown)")  # what it stores cannot be read
        await running.until_shown("╳ Its fixture is broken: a comma is missing")

    play(tmp_path, [HELLO, WORLD, ask("third"), ask("fourth")], flow, size=(60, 15))


def test_a_row_says_that_its_answer_was_verified(tmp_path: Path) -> None:
    async def flow() -> None:
        with RunningServer(tmp_path) as server:
            async with application(tmp_path, [HELLO], server_url=server.url) as running:
                await running.press("enter")
                await running.write("mine")
                await running.press("ctrl+s", "full_stop", "home")
                await running.until_shown("> ● saved")
                await running.press("v")
                await running.until_shown("> ✓ saved")

    asyncio.run(flow())


def test_a_save_in_the_list_of_fixtures_is_seen_in_that_of_misses(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": 1})
    path.write_text(new_document(PLAIN, {"content": 1}).text, "utf-8")

    async def flow(running: Running) -> None:
        misses = running.app.misses.rows
        await running.until(lambda: state_of(running.session, PLAIN).kind == "broken")
        assert PLAIN in misses.keys
        await open_fixture(running)
        await running.press("ctrl+a")
        await running.write("mended")
        await running.press("ctrl+s")
        assert content(path) == "mended"
        await running.until(lambda: PLAIN not in misses.keys, 5)

    play(tmp_path, [HELLO, WORLD], flow)


def test_a_fixture_that_another_changes(tmp_path: Path) -> None:
    flow = in_turn(
        the_version_of_another_is_taken,
        a_change_by_another_is_told_and_overwritten_when_asked,
    )
    play(tmp_path, [WORLD], flow)


def test_a_miss_that_another_answers_while_its_answer_is_written(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        await running.write("mine")
        path = put(tmp_path, {"content": "theirs"})
        said = "Saved elsewhere. ^s twice overwrites it, esc keeps your draft. d compares, "
        said += "Y takes the file."
        await running.until(lambda: running.status == said)
        await running.press("escape", "d")
        await running.until_shown("- the file on disk   + the draft")
        await running.until_shown("theirs")
        await running.until_shown("mine")
        await running.press("ctrl+s", "ctrl+s")
        assert content(path) == "mine"
        await running.press("u")
        assert content(path) == "theirs"

    play(tmp_path, [HELLO], flow)
