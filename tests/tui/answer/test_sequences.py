"""Answers to the first requests: added, chosen, edited, previewed, removed, undone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.tui.answer.test_fields import PLAIN, open_fixture, put
from tests.tui.drawn import facts_of
from tests.tui.keys.test_palette import choose
from tests.tui.running import Running
from tests.tui.test_app import WORLD, play
from workbench.tui.answer.fields import AnswerFields

# The delivery is the last of the fields.
HIGH = (120, 36)
LATER = "1st request · every later one"


def fields(running: Running) -> AnswerFields:
    return running.fixture_parts.view.answer.fields


def write_first(path: Path, *first: object) -> None:
    value = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({"first": [*first], **value}, indent=2) + "\n", "utf-8")


def test_the_first_request_is_answered_otherwise(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "Hello."})
    before = json.loads(path.read_text("utf-8"))

    async def flow(running: Running) -> None:
        await open_fixture(running)
        assert not running.shows("every later one")()
        await running.press("f6")  # selects the line, as anywhere
        assert fields(running).content_editor.selected_text.strip() == "Hello."
        await running.fixture_parts.draft.add_response()
        await running.until_shown(LATER)
        status = fields(running).details.delivery.inputs["status"]
        await running.until(lambda: status.has_focus and status.value == "429")
        preview = running.fixture_parts.view.preview
        await running.until(lambda: facts_of(preview).startswith("1st request · "))
        await running.until_shown("no problems, error 429")
        await running.press("end", *["backspace"] * 3)
        await running.write("503")
        await running.press("f6")
        await running.until(lambda: fields(running).content_editor.has_focus)
        assert fields(running).content_editor.text == "Hello."
        await running.press("ctrl+end")
        await running.write(" Again.")
        await running.press("f6")
        await running.until(lambda: status.has_focus and status.value == "503")
        await running.press("ctrl+s")
        await running.until(lambda: "Saved" in running.status)

    play(tmp_path, [WORLD], flow, HIGH)
    after = json.loads(path.read_text("utf-8"))
    assert after["first"] == [{"error": {"status": 503, "retry_after": 0}}]
    assert after["response"] == {"content": "Hello. Again."}
    assert after["request"] == before["request"]


@pytest.mark.parametrize("size", [(60, 15), (80, 24)])
def test_the_fields_of_the_error_are_seen(tmp_path: Path, size: tuple[int, int]) -> None:
    put(tmp_path, {"content": "Hello."})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        for line in (LATER, "1st request · 2nd · every later one"):
            await choose(running, "first request")
            await running.until_shown(line)
            await running.until_shown("status 429")

    play(tmp_path, [WORLD], flow, size)


def test_what_is_no_list_is_neither_replaced_nor_removed(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "Hello."})
    value = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({"first": {"content": "mine"}, **value}), "utf-8")

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.fixture_parts.draft.add_response()
        assert "first is an object; expected a list of responses" in running.status
        await running.fixture_parts.draft.remove_response()
        assert "every later request" in running.status
        assert '"mine"' in running.session.drafting.open(PLAIN).text

    play(tmp_path, [WORLD], flow, HIGH)


def test_a_problem_leads_to_the_answer_that_has_it(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "Hello."})
    write_first(path, {"content": "a"}, {"error": {"status": 99}})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.until_shown("1st request · 2nd · every later one")
        assert fields(running).content_editor.text == "Hello."
        await running.until_shown("× error.status is 99; expected 400 to 599")
        await running.until_shown("2nd request")
        await running.press("ctrl+n")
        await running.until(lambda: fields(running).details.delivery.inputs["status"].has_focus)
        assert fields(running).details.delivery.inputs["status"].has_class("-marked")
        await running.press("f6", "f6")
        await running.until(lambda: fields(running).content_editor.text == "a")

    play(tmp_path, [WORLD], flow, HIGH)


def test_what_is_no_problem_is_said_whole(tmp_path: Path) -> None:
    write_first(put(tmp_path, {"content": "Hello."}), {"content": "a"})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.until_shown("only workbench supports first;")
        await running.until_shown("always sends response")

    play(tmp_path, [WORLD], flow, (60, 40))


def test_undo_goes_to_the_answer_that_it_changes(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "Hello."})
    write_first(path, {"content": "a"}, {"content": "b"})
    text = path.read_text("utf-8")

    async def flow(running: Running) -> None:
        def shows(content: str) -> bool:
            return fields(running).content_editor.text == content

        await open_fixture(running)
        await running.press("f6")
        await running.until(lambda: shows("a"))
        await running.write("!")
        await running.press("f6")
        await running.until(lambda: shows("b"))
        await running.press("ctrl+z")
        await running.until(lambda: shows("a"))
        draft = running.session.drafting.open(PLAIN)
        assert (draft.text, draft.shown_response) == (text, ("first", 0))
        await running.press("ctrl+y")
        await running.until(lambda: shows("a!"))
        await running.fixture_parts.draft.remove_response()
        await running.until_shown(LATER)
        await running.until(lambda: shows("b"))
        await running.press("f6")
        await running.until(lambda: shows("Hello."))
        await running.fixture_parts.draft.remove_response()
        assert "every later request" in running.status
        await running.press("ctrl+s")
        await running.until(lambda: "Saved" in running.status)

    play(tmp_path, [WORLD], flow, HIGH)
    assert json.loads(path.read_text("utf-8"))["first"] == [{"content": "b"}]
