"""Holes of an answer: Tab goes through them, typing fills them in, an ``enum`` is chosen."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

from tests.tui.running import Running, ask, play_each
from tests.tui.test_app import play
from workbench.session.misses.states import state_of
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.editor import Editor

GUESTS = "Full names of all who travel, with the person who pays first."
GUEST_HOLE = "‹Full names of all who travel, with the …›"
BOOKING = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "unit": {"type": "string", "enum": ["night", "week", "month"]},
        "count": {"type": "integer"},
        "guests": {"type": "array", "items": {"type": "string", "description": GUESTS}},
    },
    "required": ["city", "unit", "count", "guests"],
}
PLAN = {
    "type": "object",
    "properties": {
        "goal": {"type": "string"},
        "steps": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["goal", "steps"],
}
BOOK = {"type": "function", "function": {"name": "book", "parameters": BOOKING}}
JSON = ask(
    "plan it",
    tools=[BOOK],
    response_format={"type": "json_schema", "json_schema": {"name": "Plan", "schema": PLAN}},
)


def arguments(running: Running) -> Any:
    call = running.saved()["response"]["tool_calls"][0]
    return json.loads(call["function"]["arguments"])


def focused_id(running: Running) -> str | None:
    assert running.app.focused is not None
    return running.app.focused.id


def is_selected(editor: Editor, text: str) -> bool:
    return editor.has_focus and editor.selected_text == text


async def save(running: Running) -> None:
    await running.press("ctrl+s")
    await running.until(lambda: running.status.startswith("Saved "))


async def a_call_is_filled_in_with_tab_and_enter(running: Running) -> None:
    await running.press("t", "enter")  # Enter right after it does nothing
    await running.until_shown("4 to fill")
    assert "arguments-invalid-json" not in running.screen_text()
    await running.press("ctrl+l")
    assert running.status == "A value to fill in cannot be allowed. Type over it."
    await running.write("Ulm")
    await running.press("tab")
    await running.until_shown('"month"')
    await running.press("down", "enter")
    await running.until(lambda: '"month"' not in running.screen_text())
    await running.write("2")
    await running.press("tab")
    await running.until_shown("1 to fill")
    await running.write("Ada")
    await save(running)
    assert arguments(running) == {
        "city": "Ulm",
        "unit": "week",
        "count": 2,
        "guests": ["Ada"],
    }


async def three_arguments_take_five_keys(running: Running) -> None:
    await running.press("t")
    await running.write("Ulm")
    await running.press("tab")
    await running.until_shown('"month"')
    await running.write("m")
    await running.press("enter")
    await running.write("2")
    await running.press("tab", "backspace")
    await save(running)
    assert arguments(running) == {"city": "Ulm", "unit": "month", "count": 2, "guests": []}


async def a_save_takes_a_value_that_was_typed_towards(running: Running) -> None:
    await running.press("t")
    await running.write("Ulm")
    await running.press("tab", "tab")
    await running.write("2")
    await running.press("tab", "backspace", "shift+tab")
    editor = running.app.misses.query_one(CallCard).editor
    await running.until(partial(is_selected, editor, "‹night | week | month›"))
    await running.press(*"mo")
    await save(running)
    assert arguments(running) == {"city": "Ulm", "unit": "month", "count": 2, "guests": []}


async def a_refused_save_selects_the_first_hole(running: Running) -> None:
    await running.press("t")
    await running.write("Ulm")
    await running.press("tab", "tab")
    await running.write("2")
    await running.press("ctrl+s")
    await running.until(lambda: running.status.startswith("2 to fill: not saved."))
    editor = running.app.misses.query_one(CallCard).editor
    assert is_selected(editor, "‹night | week | month›")
    digest = running.draft.name
    assert running.session.store.stamp(digest) is None
    await running.until(lambda: state_of(running.session, digest).kind == "draft")
    await running.press("ctrl+l")
    assert running.draft.document.allowed == frozenset()
    await running.press("f12")
    raw = running.parts.view.answer.raw
    await running.until(lambda: raw.has_focus)
    await running.press("ctrl+s")
    assert is_selected(raw, "‹night | week | month›")
    await running.press("f12")


async def a_refused_save_selects_a_wrong_value_to_type_over(running: Running) -> None:
    await running.press("t")
    editor = running.app.misses.query_one(CallCard).editor
    editor.replace_text('{"city": 1, "unit": "week", "count": "two", "guests": []}')
    for wrong, right in (("1", '"Ulm"'), ('"two"', "2")):
        await running.press("ctrl+s")
        await running.until(partial(is_selected, editor, wrong))
        await running.write(right)
    # One that is no JSON is selected whole, wherever its parsing ends.
    for wrong in ("two", "2wo"):
        editor.replace_text(f'{{"city": "Ulm", "unit": "week", "count": {wrong}, "guests": []}}')
        await running.press("ctrl+s")
        await running.until(partial(is_selected, editor, wrong))
    await running.write("2")
    await save(running)
    assert arguments(running) == {"city": "Ulm", "unit": "week", "count": 2, "guests": []}


async def what_a_hole_has_no_room_for_stands_below(running: Running) -> None:
    await running.press("t", "tab", "tab", "tab")
    await running.until_shown("Full names of all who travel, with the person who pays first.")
    await running.press("shift+tab")
    await running.until(lambda: not running.shows("who pays first")())


async def the_preview_says_what_is_missing(running: Running) -> None:
    await running.press("t")
    await running.until_shown("4 to fill")
    preview = running.parts.view.preview
    running.app.misses.panes.focus("preview")
    await running.until_shown("○ call 0: 4 to fill: ‹text›")
    await running.press("y")
    assert running.app.clipboard.startswith("call 0: 4 to fill")
    await running.press("v")
    await running.until(lambda: running.status.startswith("Nothing to verify yet: call 0: 4"))
    assert preview.live.claim is None


async def a_value_is_chosen_by_its_first_letter_and_is_a_hole_again_when_that_is_undone(
    running: Running,
) -> None:
    await running.press("t", "tab")
    await running.until_shown('"month"')
    await running.write("w")
    await running.press("enter")
    await running.until_shown('"unit": "week"')
    editor = running.app.misses.query_one(CallCard).editor
    assert is_selected(editor, "‹integer›")
    await running.press("ctrl+z")
    await running.until_shown('"unit": ‹night')
    assert is_selected(editor, "‹night | week | month›")
    # With nothing that begins so in the list it is text.
    await running.write("x")
    await running.until_shown('"unit": "x"')


async def tab_goes_through_the_holes_and_takes_nothing(running: Running) -> None:
    answer = running.parts.view.answer
    await running.press("t")
    await running.write("Ulm")
    await running.press("tab", "tab", "tab", "tab")
    await running.until(lambda: focused_id(running) == "finish")
    editor = answer.fields.cards[0].editor
    for selected in (GUEST_HOLE, "‹integer›", "‹night | week | month›"):
        await running.press("shift+tab")
        await running.until(partial(is_selected, editor, selected))
    await running.press("shift+tab")
    await running.until(lambda: focused_id(running) == "content")
    await running.press("tab")
    await running.until(partial(is_selected, editor, "‹night | week | month›"))
    await running.press("backspace")
    await running.until_shown("arguments-invalid-json")


async def tab_goes_on_after_a_value_that_is_not_json(running: Running) -> None:
    await running.press("t")
    await running.write("Rome")
    await running.press("tab", "tab")
    [editor] = [card.editor for card in running.parts.view.answer.fields.cards]
    await running.until(lambda: is_selected(editor, "‹integer›"))
    await running.write("two")
    await running.press("tab")
    assert is_selected(editor, GUEST_HOLE)
    await running.write("Ann")
    assert '"count": two,' in editor.text
    assert '"Ann"' in editor.text
    await running.press("tab")
    assert not editor.has_focus


async def tab_goes_through_the_holes_of_the_whole_document(running: Running) -> None:
    await running.press("t")
    await running.write("Ulm")
    await running.press("f12")
    raw = running.parts.view.answer.raw
    await running.until(lambda: raw.has_focus)
    for selected in ("‹night | week | month›", "‹integer›", GUEST_HOLE):
        await running.press("tab") if not is_selected(raw, selected) else None
        await running.until(partial(is_selected, raw, selected))
    await running.press("shift+tab")
    await running.until(partial(is_selected, raw, "‹integer›"))
    await running.write("2")
    await running.until_shown("2 to fill")
    await running.press("f12")


ANYTHING = {
    "type": "object",
    "properties": {
        "a": {},
        "b": {},
        "c": {"type": ["string", "null"]},
        "d": {"type": "object"},
        "e": {
            "type": "object",
            "properties": {"f": {}, "g": {"type": "object", "additionalProperties": True}},
            "required": ["f", "g"],
        },
    },
    "required": ["a", "b", "c", "d", "e"],
}
STORE = {"type": "function", "function": {"name": "store", "parameters": ANYTHING}}


async def what_is_typed_for_any_value_is_json_where_it_is_json(running: Running) -> None:
    await running.press("t")
    await running.write('{"k": [1]}')
    await running.press("tab")
    await running.write("12")
    await running.press("tab")
    await running.write("null")
    await running.press("tab")
    await running.write("{}")
    await running.press("tab")
    await running.write("true")
    await running.press("tab")
    await running.write('{"x": "y"}')
    await save(running)
    assert arguments(running) == {
        "a": {"k": [1]},
        "b": 12,
        "c": None,
        "d": {},
        "e": {"f": True, "g": {"x": "y"}},
    }


async def what_is_typed_for_any_value_is_a_string_where_it_is_not(running: Running) -> None:
    await running.press("t")
    await running.write("12 Main St")
    await running.press("tab")
    await running.write("nullify")
    await running.press("tab")
    await running.write("12")  # a string or null, no number
    await running.press("tab")
    await running.write("{}")
    await running.press("tab")
    await running.write('"5"')
    await running.press("tab")
    await running.write("{}")
    await save(running)
    assert arguments(running) == {
        "a": "12 Main St",
        "b": "nullify",
        "c": "12",
        "d": {},
        "e": {"f": "5", "g": {}},
    }


def test_any_value_is_typed_as_it_is_meant(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        what_is_typed_for_any_value_is_json_where_it_is_json,
        what_is_typed_for_any_value_is_a_string_where_it_is_not,
        tools=[STORE],
    )


def test_the_holes_of_a_call_are_gone_through_and_filled_in(tmp_path: Path) -> None:
    play_each(
        tmp_path,
        a_call_is_filled_in_with_tab_and_enter,
        three_arguments_take_five_keys,
        a_save_takes_a_value_that_was_typed_towards,
        a_refused_save_selects_the_first_hole,
        a_refused_save_selects_a_wrong_value_to_type_over,
        what_a_hole_has_no_room_for_stands_below,
        the_preview_says_what_is_missing,
        a_value_is_chosen_by_its_first_letter_and_is_a_hole_again_when_that_is_undone,
        tab_goes_through_the_holes_and_takes_nothing,
        tab_goes_on_after_a_value_that_is_not_json,
        tab_goes_through_the_holes_of_the_whole_document,
        tools=[BOOK],
    )


def test_an_answer_in_json_begins_in_its_first_hole(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        await running.write("win")
        await running.press("tab", "backspace")  # an empty list
        await save(running)
        assert running.saved(JSON)["response"]["content"] == '{"goal": "win", "steps": []}'
        await call_instead(running)

    play(tmp_path, [JSON, {**JSON, **ask("plan it again")}], flow)


async def call_instead(running: Running) -> None:
    """An untouched skeleton leaves when a call comes; what was written stays."""
    fields = running.parts.view.answer.fields
    await running.press("enter", "ctrl+t")
    await running.until(lambda: running.app.misses.query(CallCard))
    assert fields.content_editor.text == ""
    await running.press("ctrl+g")
    await running.until(lambda: not running.app.misses.query(CallCard))
    fields.content_editor.replace_text('{"goal": "win"}')
    await running.press("ctrl+t")
    await running.until(lambda: running.app.misses.query(CallCard))
    assert fields.content_editor.text == '{"goal": "win"}'
