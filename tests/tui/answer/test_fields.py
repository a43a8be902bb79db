"""The fields of an answer: what they write, where its problems are, texts that are too long."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.tui.running import WEATHER_TOOL, Running, ask, play_each
from tests.tui.steady import resize
from tests.tui.test_app import HELLO, WORLD, play
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.editor import MOST_CHARACTERS

PLAIN = digest(HELLO)


def put(folder: Path, response: dict[str, object]) -> Path:
    """Write the fixture of ``HELLO``."""
    path = folder / "fixtures" / f"{PLAIN}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(new_document(PLAIN, response, request=HELLO).text, "utf-8")
    return path


async def open_fixture(running: Running) -> None:
    await running.press("2")
    await running.until(lambda: running.fixtures_tab.subject == PLAIN)
    await running.until(lambda: PLAIN in running.session.drafting.assessments)
    await running.press("enter")
    await running.until(lambda: running.fixture_parts.view.answer.has_focus_within)


def test_what_is_typed_and_taken_back_is_no_draft(tmp_path: Path) -> None:
    # Not as it would be laid out: the string has to be the same to the byte.
    path = put(tmp_path, {"content": '{"a":1,  "b":[]}'})
    before = path.read_bytes()

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.write("x")
        await running.until(lambda: running.session.drafting.open(PLAIN).touched)
        await running.press("ctrl+z")
        await running.until(lambda: not running.session.drafting.open(PLAIN).touched)
        assert running.session.drafting.open(PLAIN).text.encode() == before
        await running.press("ctrl+s")
        await running.until(lambda: running.status == "Nothing changed. The file is as it was.")

    play(tmp_path, [WORLD], flow)


def test_an_undo_goes_back_through_a_save_and_a_change_by_another(tmp_path: Path) -> None:
    path = put(tmp_path, {"content": "one"})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        editor = running.fixture_parts.view.answer.fields.content_editor
        await running.write(" two")
        await running.press("ctrl+s")
        await running.until(lambda: running.status.startswith("Saved "))
        put(tmp_path, {"content": "of another"})
        await running.until(lambda: editor.text == "of another")
        await running.press("enter", "ctrl+z")
        await running.until(lambda: editor.text == "one two")
        await running.press("ctrl+z")
        await running.until(lambda: editor.text == "one")
        await running.press("ctrl+y", "ctrl+y")
        await running.until(lambda: editor.text == "of another")
        assert not running.session.drafting.open(PLAIN).touched
        await running.press("ctrl+z", "ctrl+s")
        await running.until(
            lambda: json.loads(path.read_text())["response"]["content"] == "one two"
        )

    play(tmp_path, [WORLD], flow)


def test_only_a_field_that_is_edited_shows_where_its_cursor_is(tmp_path: Path) -> None:
    put(tmp_path, {"content": "one\ntwo"})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        editor = running.fixture_parts.view.answer.fields.content_editor
        await running.until(lambda: bool(editor.border_subtitle))
        assert editor.match_cursor_bracket
        await running.press("escape")
        await running.until(lambda: not editor.has_focus)
        assert not editor.border_subtitle
        assert not editor.match_cursor_bracket

    play(tmp_path, [WORLD], flow)


def editor_text(running: Running) -> str:
    return running.app.misses.query_one(CallCard).editor.text


async def a_fix_and_a_removed_call_are_undone_like_what_was_typed(running: Running) -> None:
    await running.press("t")
    await running.until(lambda: running.app.misses.query(CallCard))
    await running.press("ctrl+z")
    await running.until(lambda: not running.app.misses.query(CallCard))
    await running.press("ctrl+t")
    await running.until(lambda: running.app.misses.query(CallCard))
    await running.write("Ulm")
    await running.press("right")
    await running.write(",")
    await running.until_shown("arguments-invalid-json")
    broken = editor_text(running)
    await running.press("ctrl+r")
    await running.until(lambda: running.status.startswith("Fixed: "))
    fixed = editor_text(running)
    assert fixed != broken
    await running.write(" ")
    await running.press("ctrl+z")
    await running.until(lambda: editor_text(running) == fixed)
    await running.press("ctrl+z")
    await running.until(lambda: editor_text(running) == broken)
    await running.press("ctrl+g")
    await running.until(lambda: not running.app.misses.query(CallCard))
    assert running.status == "The call is removed. ^z brings it back."
    await running.press("ctrl+z")
    await running.until(lambda: running.app.misses.query(CallCard))
    assert editor_text(running) == broken
    assert running.app.misses.query_one(CallCard).editor.has_focus


async def an_undo_goes_back_through_a_fix_and_the_typing_before_it(running: Running) -> None:
    await running.press("enter", "ctrl+z")
    await running.until(lambda: running.status == "Nothing left to undo.")
    await running.press("ctrl+t")
    await running.until(lambda: running.app.misses.query(CallCard))
    await running.write("Ulm")
    await running.press("right")
    await running.until(lambda: "Ulm" in running.draft.text)
    await running.write(",")
    await running.until_shown("arguments-invalid-json")
    broken = editor_text(running)
    await running.press("ctrl+r")
    await running.until(lambda: running.status.startswith("Fixed: "))
    fixed = editor_text(running)
    await running.press("ctrl+z")
    await running.until(lambda: editor_text(running) == broken)
    assert running.status.startswith("Undone.")
    await running.press("ctrl+z")
    await running.until(lambda: "Ulm" not in editor_text(running))
    await running.press("ctrl+z")
    await running.until(lambda: not running.app.misses.query(CallCard))
    assert not running.draft.touched
    await running.press("ctrl+z")
    await running.until(lambda: running.status == "Nothing left to undo.")
    await running.press("ctrl+y", "ctrl+y", "ctrl+y")
    await running.until(lambda: editor_text(running) == fixed)
    assert running.status == "Redone."
    await running.press("ctrl+y")
    await running.until(lambda: running.status == "Nothing left to redo.")


async def an_undo_goes_to_the_field_that_it_changes(running: Running) -> None:
    fields = running.parts.view.answer.fields
    await running.press("enter")
    await fields.details.open("description")
    await running.write("for Ulm")
    await running.until(lambda: "for Ulm" in running.draft.text)
    fields.focus_start()
    await running.write('{"a": 1,')
    await running.press("enter")
    await running.write('"b": 2}')
    await running.until(lambda: "2}" in running.draft.text)
    await running.press("ctrl+z", "ctrl+z")
    await running.until(lambda: fields.inputs["description"].value == "")
    assert fields.inputs["description"].has_focus
    await running.press("ctrl+y", "ctrl+y")
    # As it was typed, not as it is stored.
    await running.until(lambda: fields.content_editor.text == '{"a": 1,\n"b": 2}')
    assert fields.content_editor.has_focus
    assert fields.content_editor.cursor_location == (1, 7)


async def the_layout_that_is_saved_is_undone_with_its_text(running: Running) -> None:
    await running.press("t")
    await running.write("Ulm")
    draft = running.draft
    await running.until(lambda: "Ulm" in draft.text)
    before = draft.text
    await running.app.misses.run_command("answer.keep_lines")
    assert draft.keep_lines
    assert draft.text != before
    await running.press("ctrl+z")
    await running.until(lambda: draft.text == before)
    assert not draft.keep_lines


async def a_call_of_a_tool_that_is_not_offered_is_named(running: Running) -> None:
    await running.press("enter", "ctrl+t")
    await running.until(lambda: running.app.misses.query(CallCard))
    card = running.app.misses.query_one(CallCard)
    await running.until(lambda: card.name_field.has_focus)
    assert running.status.startswith("This request offers no tools. Type a name,")
    await running.write("look_up")
    await running.press("tab")
    assert card.editor.has_focus
    await running.press("ctrl+s")
    if not running.fixtures.exists():  # it is not offered: an error, to be allowed
        await running.press("ctrl+l", "ctrl+s")
    call = running.saved()["response"]["tool_calls"][0]
    assert (call["function"]["name"], call["function"]["arguments"]) == ("look_up", "{}")


async def what_is_typed_while_the_fields_are_shown_anew_stays(running: Running) -> None:
    await running.press("t")
    misses = running.app.misses
    await running.until(lambda: misses.query(CallCard))
    editor = misses.query_one(CallCard).editor
    await running.until(lambda: editor.has_focus)
    await running.write("L")
    before, place = editor.text, editor.cursor_location
    for typed in ("ondon", '", "unit": "k', "elvin"):
        editor.insert(typed)
        # As when something is learned of the miss, before the editor tells of its change.
        await running.parts.show(misses.subject)
    said = editor.text
    assert said == before.replace('"L"', '"London", "unit": "kelvin"')
    assert editor.cursor_location == (place[0], place[1] + len('ondon", "unit": "kelvin'))
    [call] = running.draft.document.response["tool_calls"]
    arguments = json.loads(call["function"]["arguments"])
    assert arguments == {"city": "London", "unit": "kelvin"}
    # So does what is typed into the whole document.
    await running.press("f12")
    raw = running.parts.view.answer.raw
    await running.until(lambda: raw.has_focus)
    raw.insert(" ", raw.document.end)
    typed = raw.text
    await running.parts.show(misses.subject)
    assert raw.text == typed
    assert running.draft.text == typed


def test_what_is_typed_added_fixed_and_removed_is_in_the_draft(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        a_fix_and_a_removed_call_are_undone_like_what_was_typed,
        an_undo_goes_back_through_a_fix_and_the_typing_before_it,
        an_undo_goes_to_the_field_that_it_changes,
        the_layout_that_is_saved_is_undone_with_its_text,
        what_is_typed_while_the_fields_are_shown_anew_stays,
        tools=[WEATHER_TOOL],
    )


def test_a_saved_miss_that_is_still_shown_is_edited_on(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("full_stop", "enter")
        answer = running.parts.view.answer
        await running.until(lambda: answer.has_focus_within)
        await running.write("one")
        answer.fields.inputs["description"].insert_text_at_cursor("why")
        # Before the field's own message of its change is taken.
        running.parts.save()
        assert running.saved(HELLO)["description"] == "why"
        await running.press("g", "enter")
        await running.until(lambda: answer.has_focus_within)
        await running.write(" two")
        await running.press("ctrl+s")
        assert running.saved(HELLO)["response"]["content"] == "one two"

    play(tmp_path, [HELLO], flow)


def test_a_description_is_filled_in_once_and_stays_empty_when_emptied(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("full_stop", "enter")
        answer = running.parts.view.answer
        await running.until(lambda: answer.has_focus_within)
        await running.write("one")
        await running.press("ctrl+s")
        assert running.saved(HELLO)["description"] == 'turn 1: "hello"'
        await running.press("g", "enter")
        field = answer.fields.inputs["description"]
        await running.until(lambda: field.value == 'turn 1: "hello"')
        await answer.fields.details.open("description")
        await running.press("ctrl+u", "ctrl+k", "ctrl+s")
        assert running.saved(HELLO)["description"] == ""
        await running.press("g", "enter")
        await running.until(lambda: answer.has_focus_within)
        await running.write(" two")
        await running.press("ctrl+s")
        assert running.saved(HELLO)["response"]["content"] == "one two"
        assert running.saved(HELLO)["description"] == ""

    play(tmp_path, [HELLO], flow)


def test_a_call_is_as_high_as_its_arguments_and_a_problem_has_one_mark(tmp_path: Path) -> None:
    function = {"name": "f", "arguments": '{"a": 1, "b": {"c": 2}}'}
    call = {"index": 0, "id": "c", "type": "function", "function": function}
    put(tmp_path, {"content": "lost", "tool_calls": [call], "finish_reason": "tool_calls"})
    broken = tmp_path / "fixtures" / f"{'0' * 64}.json"
    broken.write_text("{", "utf-8")

    async def flow(running: Running) -> None:
        await running.press("2")
        fixtures = running.fixtures_tab
        await running.until(lambda: running.fixture_parts.view.answer.as_json)
        await running.press("down")
        await running.until(lambda: fixtures.query(CallCard))
        card = fixtures.query_one(CallCard)
        await running.until_shown('"c": 2')
        await running.until(lambda: card.region.height == 1 + 2 + 6)
        await running.until_shown("! content-lost-when-streaming")
        [mark] = running.fixture_parts.view.answer.fields.content_editor.problems
        assert mark.glyph == "!"

    play(tmp_path, [WORLD], flow, (120, 36))


def test_offered_tools_are_listed_and_their_names_not_typed(tmp_path: Path) -> None:
    long = {"type": "function", "function": {"name": "weather_" * 16}}
    tools = [
        json.loads(json.dumps(WEATHER_TOOL).replace("get_weather", f"tool_{number}"))
        for number in range(8)
    ]

    async def flow(running: Running) -> None:
        await running.press("enter")
        await running.until_shown("the answer; ^t calls tool_0, tool_1, tool_2, tool_3,")
        await running.until_shown("2 more")
        await running.press("escape")
        await running.press("down", "enter", "ctrl+t")
        await running.until(lambda: running.app.misses.query(CallCard))
        card = running.app.misses.query_one(CallCard)
        await running.until(lambda: card.editor.has_focus)
        assert not card.name_field.is_on_screen
        await running.until(lambda: re.search(r"call 0 ─ (weather_)+\w*…", running.screen_text()))

    play(tmp_path, [ask("which?", tools=tools), ask("weather?", tools=[long])], flow)


def test_another_answer_is_shown_from_its_beginning(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        fields = running.parts.view.answer.fields
        await running.press("enter", "ctrl+f", *["tab"] * 7)
        await running.until(lambda: fields.scroll_y > 0)
        await running.press("escape", "down")
        await running.until(lambda: running.app.misses.subject == digest(WORLD))
        await running.until(lambda: fields.scroll_y == 0)

    play(tmp_path, [HELLO, WORLD], flow, (60, 15))


def test_of_a_text_that_is_too_long_the_beginning_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    content = "some words\n" * (MOST_CHARACTERS // 10)
    path = put(tmp_path, {"content": content})

    async def flow(running: Running) -> None:
        await running.press("e")
        assert running.status == "No $EDITOR set. w edits the document here."
        await open_fixture(running)
        await running.until_shown("Over 1,000,000 characters. ^o edits it in $EDITOR.")
        await running.write("x")
        fields = running.fixture_parts.view.answer.fields
        await running.press("ctrl+o")
        said = (
            "No $EDITOR set. Over 1,000,000 characters, which is too much for the built-in editor."
        )
        assert running.status == said
        await fields.details.open("description")
        await running.write("long")
        await running.press("ctrl+s")
        await running.until(lambda: "Saved" in running.status)
        written = json.loads(path.read_bytes())
        assert written["response"]["content"] == content
        assert written["description"] == "long"
        fields.content_editor.replace_text("short")
        await running.until(lambda: not running.shows("Over 1,000,000 characters")())

    play(tmp_path, [WORLD], flow)


def test_after_a_broken_file_the_next_is_shown_in_fields(tmp_path: Path) -> None:
    broken = tmp_path / "fixtures" / f"{digest(ask('broken'))}.json"
    path = put(tmp_path, {"content": "fine"})
    broken.write_text('{"response": {"content" "x"}}', "utf-8")

    async def flow(running: Running) -> None:
        await running.press("2")
        fixtures = running.fixtures_tab
        answer = running.fixture_parts.view.answer
        await running.until(lambda: len(fixtures.rows.keys) == 2)
        fixtures.rows.select(broken.name)
        await running.until(lambda: answer.as_json)
        await running.until(lambda: broken.stem in running.session.drafting.assessments)
        await running.press("enter")
        assert answer.raw.has_focus
        assert answer.raw.cursor_location == (0, 24)
        await running.press("escape")
        fixtures.rows.select(f"{PLAIN}.json")
        await running.until(lambda: fixtures.subject == PLAIN)
        await running.until(lambda: not answer.as_json)
        # What was saved is edited on.
        for word in (" two", " three"):
            await running.press("enter")
            await running.until(lambda: answer.has_focus_within)
            await running.write(word)
            await running.press("ctrl+s")
        assert json.loads(path.read_bytes())["response"]["content"] == "fine two three"

    play(tmp_path, [WORLD], flow)


async def all_fields_of_a_row_are_seen_where_four_panes_stand_side_by_side(
    running: Running,
) -> None:
    await running.press("enter", "tab")
    fields = running.parts.view.answer.fields
    await running.until(lambda: fields.inputs["finish"].has_focus)
    room = fields.scrollable_content_region
    inputs = fields.inputs.values()
    await running.until(lambda: all(room.contains_region(field.region) for field in inputs))


def test_fields_on_a_large_screen(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        all_fields_of_a_row_are_seen_where_four_panes_stand_side_by_side,
        a_call_of_a_tool_that_is_not_offered_is_named,
        size=(160, 50),
    )


def test_in_a_low_pane_a_text_has_a_head_and_no_box(tmp_path: Path) -> None:
    put(tmp_path, {"content": "Hello."})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        await running.until_shown("▔▔ content ▔")
        assert "╭─ content" not in running.screen_text()

    play(tmp_path, [WORLD], flow, (60, 15))


def test_what_is_usual_gives_its_room_to_the_delivery(tmp_path: Path) -> None:
    late = {"delay_ms": 200, "chunk_delay_ms": 40, "disconnect_after": 3}
    put(tmp_path, {"content": "Hello.", **late})

    async def flow(running: Running) -> None:
        await open_fixture(running)
        said = "200 ms late, 40 ms a frame, cut off after 3 frames"
        for size in ((60, 15), (120, 36)):
            await resize(running.pilot, *size)
            await running.until(lambda: re.search(f"{said} +[┃│]", running.screen_text()))
        await resize(running.pilot, 80, 24)
        await running.until(lambda: f"usage 1/1 · {said}" in running.screen_text())

    play(tmp_path, [WORLD], flow, (60, 15))
