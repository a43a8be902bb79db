"""The delivery of an answer: found, unfolded, written, marked, folded again."""

from __future__ import annotations

import json
from pathlib import Path

from tests.tui.answer.test_fields import PLAIN, open_fixture, put
from tests.tui.running import Running, play_each
from tests.tui.test_app import WORLD, play
from workbench.core.digest import digest
from workbench.tui.answer.delivery_card import DeliveryCard

# The delivery is the last of the fields.
HIGH = (80, 36)


def card(running: Running) -> DeliveryCard:
    return running.app.misses.query_one(DeliveryCard)


async def a_miss_is_answered_by_an_error(running: Running) -> None:
    await running.press("enter")
    await running.until_shown(" · at once · no description")
    await running.press("ctrl+f")
    await running.until(lambda: card(running).inputs["status"].has_focus)
    await running.write("429")
    await running.until_shown("error 429 instead")
    await running.until(running.shows("Too Many Requests"))  # what is sent if nothing is typed
    await running.press("tab")
    await running.write("2")
    await running.press("tab")
    await running.write("slow down")
    await running.until_shown("no problems, error 429, streamed or not")
    await running.press("ctrl+s")
    error = {"status": 429, "message": "slow down", "retry_after": 2}
    assert running.saved()["response"]["error"] == error


async def delays_and_a_cut_are_typed(running: Running) -> None:
    await running.press("enter")
    await running.write("hello there, all of you")
    await running.press("ctrl+f")
    await running.until_shown("chunk_delay_ms")
    for name, text in (("delay_ms", "20"), ("chunk_delay_ms", "5"), ("disconnect_after", "2")):
        card(running).inputs[name].focus()
        await running.pilot.pause()
        await running.write(text)
    await running.until(running.shows("20 ms late, 5 ms a frame, cut off after 2 frames"))
    await running.press("ctrl+s")
    response = running.saved()["response"]
    assert response["content"] == "hello there, all of you"
    assert (response["delay_ms"], response["chunk_delay_ms"]) == (20, 5)
    assert response["disconnect_after"] == 2


async def what_is_wrong_is_marked_where_it_stands(running: Running) -> None:
    await running.press("enter", "ctrl+f")
    await running.write("42x")
    await running.until_shown("cannot be sent")
    await running.until(lambda: card(running).inputs["status"].has_class("-marked"))
    await running.until_shown("error · reply-shape")
    status = card(running).inputs["status"]
    assert status.has_class("-marked")
    # From elsewhere, folded: the key of the next problem unfolds the field.
    await running.press("ctrl+f")
    assert not status.is_on_screen
    await running.press("ctrl+s")
    await running.until(lambda: status.has_focus and status.is_on_screen)
    assert digest(running.asked) not in running.session.store.fixtures()
    await running.write("429")
    await running.until(lambda: not status.has_class("-marked"))
    await running.until_shown("error 429 instead")
    # The other fields are marked in the same way.
    prompt = running.parts.view.answer.fields.inputs["prompt"]
    await running.parts.view.answer.fields.details.open("prompt")
    await running.write("many")
    await running.until(lambda: prompt.has_class("-marked"))
    await running.press("escape")
    await running.until_shown("× stop · usage many/")


async def a_key_and_a_click_on_the_line_unfold_the_fields(running: Running) -> None:
    await running.press("enter", "f11")
    await running.until_shown("^f folds")
    await running.press("f11")
    await running.until(lambda: running.parts.view.answer.fields.content_editor.has_focus)
    await running.pilot.click("#details")
    await running.until_shown("^f delay, truncate")
    label = card(running).query_one("#delivery")
    await running.pilot.click(label, offset=(30, 0))
    await running.until(lambda: card(running).inputs["status"].has_focus)
    await running.press("f12", "ctrl+f")
    await running.until(lambda: running.status == "The document contains it. F12 shows the fields.")


def test_it_is_found_written_marked_and_unfolded(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        what_is_wrong_is_marked_where_it_stands,
        a_miss_is_answered_by_an_error,
        delays_and_a_cut_are_typed,
        a_key_and_a_click_on_the_line_unfold_the_fields,
        size=HIGH,
    )


def test_a_fixture_that_is_an_error_is_shown_as_one(tmp_path: Path) -> None:
    error = {"code": "rate_limit_exceeded", "status": 429, "_why": "as of May"}
    path = put(tmp_path, {"error": error, "delay_ms": 200})
    before = path.read_text("utf-8")

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.until_shown("200 ms late, error 429 instead")
        fields = running.fixture_parts.view.answer.fields
        assert fields.details.delivery.inputs["code"].value == "rate_limit_exceeded"
        await fields.details.open("description")
        await running.write("busy")
        await running.press("ctrl+s")
        await running.until(lambda: "Saved" in running.status)
        text = path.read_text("utf-8")
        assert json.loads(text)["description"] == "busy"
        assert (
            "".join(line for line in text.splitlines(True) if "description" not in line) == before
        )
        await running.press("enter")
        await fields.details.open("status")
        await running.write("420")
        await running.press("ctrl+s")
        await running.until(lambda: '"status": 420' in path.read_text("utf-8"))
        assert path.read_text("utf-8") == text.replace("429", "420")
        # What is left empty is no member of the response.
        await fields.details.open("delay_ms")
        await running.press(*["backspace"] * 3)
        draft = running.session.drafting.open(PLAIN)
        await running.until(lambda: "delay_ms" not in draft.document.response)

    play(tmp_path, [WORLD], flow, HIGH)
