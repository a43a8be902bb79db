"""The Preview pane: views, bytes, playing, copying, and verifying against a server."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.scripted_server import ScriptedServer, reply
from tests.server.running import RunningServer
from tests.tui.pane_app import DIGEST, JOKE, NARROW, TEXT, WIDE, Shown, on_pane
from tests.tui.preview.test_preview_lines import HOSTILE
from tests.tui.running import Running, application
from tests.tui.steady import resize
from workbench.core.fixture.document import new_document
from workbench.core.text.digests import short
from workbench.session.misses.states import state_of
from workbench.tui.preview.playback import AT_ONCE
from workbench.tui.preview.preview_lines import envelope_lines

ACTING = set("\x1b\x00\x07\u202e\u2028\u0085")


# Views


def test_views_of_a_narrow_pane(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        assert shown.views == "[Envelope]  Stream  Client"
        await shown.until_shown('"created": <clock>')
        await shown.press("right_square_bracket")
        assert shown.views == "Envelope  [Stream]  Client"
        await shown.until_shown("▕A stub walks▏")
        assert "<clock>" not in shown.screen
        await shown.press("right_square_bracket")
        await shown.until_shown("✓ finish stop = stop")
        await shown.press("right_square_bracket")
        assert shown.views == "[Envelope]  Stream  Client"
        await shown.press("left_square_bracket")
        assert shown.views == "Envelope  Stream  [Client]"
        await shown.pilot.click("#views", offset=(13, 0))
        await shown.until_shown("▕A stub walks▏")

    on_pane(tmp_path, flow)


def test_both_shapes_stand_side_by_side_where_there_is_room(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        await shown.until_shown("▕A stub walks▏")
        await shown.until_shown("<clock>")
        await shown.until_shown("✓ client  5 pieces of at most 12 put together")
        await shown.press("left_square_bracket")
        await shown.until_shown("✓ finish stop = stop")
        assert "▕A stub walks▏" not in shown.screen

    on_pane(tmp_path, flow, size=WIDE)


def test_the_envelope_is_laid_out_anew_for_another_width(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        made = await shown.show()
        counts = set()
        for width in (85, 60):
            await resize(shown.pilot, width, 24)
            room = shown.envelope.content_size.width - 1
            expected = [line.plain for line in envelope_lines(made, room)]
            await shown.until(lambda: [x.plain for x in shown.envelope.complete()] == expected)  # noqa: B023
            counts.add(len(expected))
        assert len(counts) == 2

    on_pane(tmp_path, flow)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_bytes_are_shown_as_they_are_sent(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show("ï1234")
        await shown.press("b", "right_square_bracket")
        await shown.until_shown("\\xc3")
        assert "bytes ·" in shown.facts
        await shown.press("b")
        await shown.until_shown("▕ï▏")
        assert "text ·" in shown.facts

    on_pane(tmp_path, flow, size=size)


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_hostile_text_is_inert_in_every_view(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show(HOSTILE, finish_reason=HOSTILE)
        await shown.until_shown("[31m[/bold]")
        for key in (*["right_square_bracket"] * 3, "b", *["right_square_bracket"] * 3, "left"):
            await shown.press(key)
            assert not set(shown.screen) & ACTING

    on_pane(tmp_path, flow, size=size)


def test_the_keys_that_scroll_are_those_of_every_text(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show("0123456789" * 400)
        await shown.press("right_square_bracket")
        await shown.until_shown("role")
        [frames] = shown.pane.scrolled
        await shown.press("pagedown")
        assert frames.scroll_offset.y == frames.size.height - 1
        await shown.press("G")
        await shown.until_shown("[DONE]")
        await shown.press("g")
        assert frames.scroll_offset.y == 0

    on_pane(tmp_path, flow)


def test_nothing_is_shown_of_nothing(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.press("p", "left", "y", "b", "b")
        await shown.show()
        await shown.until_shown("▕A stub walks▏")
        shown.pane.show(None)
        await shown.until(lambda: "walks" not in shown.screen)
        await shown.press("y")
        assert shown.said == ""

    on_pane(tmp_path, flow)


# Playing


def test_a_pause_and_steps(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show(chunk_delay_ms=60_000)
        assert shown.pane.playback.times[-1] == 300
        await shown.press("space")
        assert shown.facts == "stub (settings) · text · 1x playing"
        await shown.press("space")
        assert shown.facts == "stub (settings) · text · 1x paused"
        await shown.press("right", "right")
        await shown.until_shown("3 of 7 frames   120.0 s")
        await shown.press("left")
        await shown.until_shown("2 of 7 frames")
        await shown.press("p")
        assert shown.facts == "stub (settings) · text · 1x playing"
        await shown.press("escape")
        assert shown.facts == "stub (settings) · text · 1x paused"

    on_pane(tmp_path, flow)


def test_a_timer_runs_only_while_frames_are_awaited(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show(chunk_delay_ms=60_000)
        before = len(shown.pane._timers)
        await shown.press("p")
        assert len(shown.pane._timers) == before + 1
        await shown.press("p")
        await shown.until(lambda: len(shown.pane._timers) == before)
        await shown.press("p", *["plus"] * 5)
        assert shown.pane.playback.pace == AT_ONCE
        assert shown.facts == "stub (settings) · text · at once"
        await shown.until(lambda: len(shown.pane._timers) == before)
        await shown.press(*["minus"] * 9)
        assert shown.facts == "stub (settings) · text · 0.25x"

    on_pane(tmp_path, flow)


def test_without_motion_all_is_shown_at_once(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        shown.app.animation_level = "none"
        await shown.show()
        await shown.press("left", "p")
        assert shown.facts == "stub (settings) · text · 1x"
        await shown.until_shown("7 frames, ")
        assert shown.said == "Motion is off, so all frames are shown. ← → go one by one."

    on_pane(tmp_path, flow)


def test_another_preview_is_whole_again_and_the_same_keeps_its_place(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        await shown.press("left", "left")
        await shown.until_shown("5 of 7 frames")
        await shown.show()
        await shown.until_shown("5 of 7 frames")
        await shown.show("Another")
        assert "9 frames" not in shown.screen
        await shown.until_shown("6 frames, ")

    on_pane(tmp_path, flow)


# Copying


def test_what_is_copied_is_what_is_sent(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        made = await shown.show("naïve 🚀")
        await shown.press("y")
        assert shown.app.clipboard.encode() == made.envelope
        await shown.press("right_square_bracket", "y")
        assert shown.app.clipboard.encode() == made.stream
        await shown.press("left", "y")
        assert shown.app.clipboard.encode() == b"".join(f.data for f in made.frames[:-1])
        await shown.press("right_square_bracket", "y")
        assert "✓ finish stop = stop" in shown.app.clipboard

    on_pane(tmp_path, flow)


# Verifying


def test_the_server_sends_what_is_saved(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.session.save(DIGEST)
        shown.verify()
        expected = f"Verified {short(DIGEST)}: the server sends exactly this."
        await shown.until(lambda: shown.said == expected)
        await shown.until_shown("Verified")
        assert shown.views == "Envelope  Stream  Client  [Live]"
        assert shown.facts == "✓ verified"
        assert state_of(shown.session, DIGEST).is_verified
        await shown.until_shown("as previewed")
        found = shown.pane.live.result
        await shown.press("y")
        assert found is not None
        assert found.stream.reply.body.decode() in shown.app.clipboard
        shown.verify()
        assert shown.pane.live.is_running
        await shown.until(lambda: shown.pane.live.result not in (None, found))
        await shown.show("Another")
        assert shown.views == "[Envelope]  Stream  Client"

    with RunningServer(tmp_path) as server:
        on_pane(tmp_path, flow, url=server.url)


def test_a_draft_that_is_not_saved(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.verify()
        expected = "This draft is not saved yet: the server answers without it. ^s saves it."
        await shown.until(lambda: shown.said == expected)
        await shown.until_shown("Differs")
        assert state_of(shown.session, DIGEST).kind == "draft"
        await shown.until_shown("≠")
        assert shown.facts == "stub (settings) · text · 1x"
        await shown.press("y")
        assert shown.app.clipboard.startswith("--- envelope, expected\n")
        assert "I don't have enough information" in shown.app.clipboard

    with RunningServer(tmp_path) as server:
        on_pane(tmp_path, flow, url=server.url)


def test_what_is_verified_before_its_preview_comes_is_not_given_up(tmp_path: Path) -> None:
    """Nor is it shown as that of another digest, of which the same is sent."""

    async def flow(shown: Shown) -> None:
        await shown.show()
        typed = new_document(DIGEST, {"content": "typed"}).text
        shown.session.drafting.open(DIGEST).set_text(typed)
        shown.verify()
        made = await shown.show("typed")
        assert shown.views == "Envelope  Stream  Client  [Live]"
        await shown.until_shown("Differs")
        await shown.until(lambda: shown.said.startswith("This draft is not saved yet"))
        shown.pane.show(made, "b" * 64)
        assert shown.views == "[Envelope]  Stream  Client"

    with RunningServer(tmp_path) as server:
        on_pane(tmp_path, flow, url=server.url)


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        where = f"127.0.0.1:{listener.getsockname()[1]}"

    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.verify()
        expected = f"No server at {where}. v and hold need it; saving works."
        await shown.until(lambda: shown.said == expected)
        assert shown.views == "[Envelope]  Stream  Client"

    on_pane(tmp_path, flow, url=f"http://{where}/v1")


def test_what_cannot_be_verified_is_said(tmp_path: Path) -> None:
    deep: Any = 0
    for _ in range(100_000):
        deep = [deep]

    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.verify()
        assert await _says(shown, "There is no server to ask. Name one with --server URL.")
        shown.session.server.url = "http://127.0.0.1:1"
        shown.pane.verify(DIGEST, None)
        assert await _says(shown, "The request is not known, so it cannot be sent again.")
        assert shown.views == "[Envelope]  Stream  Client"
        shown.pane.verify(DIGEST, {**JOKE, "deep": deep})
        assert await _says(shown, "Not verified: RecursionError: ")

    on_pane(tmp_path, flow)


async def _says(shown: Shown, text: str) -> bool:
    await shown.until(lambda: shown.said.startswith(text))
    return True


def test_a_server_that_answers_nonsense_is_inert(tmp_path: Path) -> None:
    answers = [
        reply(HOSTILE.encode(), "text/html", "503 No"),
        reply(b'data: {"a": "' + HOSTILE.encode() + b'"}\n\n', "text/event-stream"),
    ]

    def answer(connection: socket.socket, request: bytes) -> None:
        connection.sendall(answers[b'"stream": true' in request])

    async def flow(shown: Shown) -> None:
        await shown.show()
        shown.verify()
        await shown.until_shown("the server answers 503")
        await shown.until_shown("aGk=")
        assert not set(shown.screen) & ACTING

    with ScriptedServer(answer) as server:
        on_pane(tmp_path, flow, url=server.url)


# The profile


def test_o_switches_the_profile(tmp_path: Path) -> None:
    """What is shown, proved, copied and verified is then in the other one."""

    async def flow(running: Running) -> None:
        pane = running.parts.view.preview
        running.parts.view.answer.fields.content_editor.insert(TEXT)
        pane.focus()
        await running.until_shown("put together = message.content")
        await running.press("right_square_bracket", "o")
        assert running.status == "Profile openai: as the OpenAI API writes it."
        await running.until_shown(" 7           [DONE]")
        assert pane.profile == "openai"
        assert running.shows(" 6  finish   finish_reason=stop")()
        assert running.shows("✓ client  5 pieces of at most 12 put together")()
        await running.press("y")
        assert '"system_fingerprint":"fp_' in running.app.clipboard
        await running.press("left_square_bracket", "y")
        assert '"service_tier": "default"' in running.app.clipboard
        await running.press("right_square_bracket", "o")
        assert running.status == "Profile stub: as the reference stub writes it."
        await running.until_shown(" 6           [DONE]")

    async def run() -> None:
        async with application(tmp_path, [JOKE]) as running:
            await flow(running)

    asyncio.run(run())


def test_another_profile_is_named_where_little_else_has_room(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        assert shown.facts == "stub (settings) · text · 1x"
        await shown.press("o")
        assert shown.facts == "openai · text · 1x"
        assert shown.said == "Profile openai: as the OpenAI API writes it."

    on_pane(tmp_path, flow)


def test_the_first_profile_is_that_of_the_project(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show()
        assert shown.facts == "openai (settings) · text · 1x"

    on_pane(tmp_path, flow, profile="openai")


# Where no completion comes to its end


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_an_error_can_be_looked_at_and_copied(tmp_path: Path, size: tuple[int, int]) -> None:
    async def flow(shown: Shown) -> None:
        made = await shown.show(error={"status": 503, "message": "Busy."})
        await shown.until_shown("503 application/json")
        for key in ("p", "left", "right", "b", "b", *["right_square_bracket"] * 3):
            await shown.press(key)
        await shown.until_shown("no completion")
        await shown.press("y")
        assert shown.app.clipboard.encode() == made.envelope

    on_pane(tmp_path, flow, size=size)


def test_frames_before_the_connection_is_closed_are_played(tmp_path: Path) -> None:
    async def flow(shown: Shown) -> None:
        await shown.show(disconnect_after=3, chunk_delay_ms=10)
        await shown.press("p")
        await shown.until_shown("… then the connection is closed after 3 frames")
        await shown.until(lambda: shown.facts == "stub (settings) · text · 1x")
        await shown.press("y")
        assert shown.app.clipboard.count("data: ") == 3

    on_pane(tmp_path, flow)
