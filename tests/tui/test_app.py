"""The application's flows under Pilot: keys in, session state, files and screen out."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.content import Content
from textual.events import Paste

from tests.server.running import wait_until
from tests.tui.running import SIZE, WEATHER_TOOL, Running, application, ask, in_turn, play_each
from tests.tui.steady import resize
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.fixture.names import short_file_name, short_name
from workbench.core.replies.response import FALLBACK_TEXT
from workbench.core.text.digests import short
from workbench.io.fixture.store import FixtureStore
from workbench.io.state_folder import StateFolder
from workbench.session.misses.states import open_misses, state_of
from workbench.session.session import Session
from workbench.tui.answer.call_card import CallCard
from workbench.tui.answer.pane import AnswerPane
from workbench.tui.dialogs.picker import Picker
from workbench.tui.preview.pane import PreviewPane
from workbench.tui.request.pane import RequestPane

HELLO, WORLD = ask("hello"), ask("world")
WEATHER = ask("weather in London?", tools=[WEATHER_TOOL])
FORCED = ask(
    "x", tools=[WEATHER_TOOL], tool_choice={"type": "function", "function": {"name": "get_weather"}}
)
PLAN = ask(
    "plan",
    response_format={
        "type": "json_schema",
        "json_schema": {
            "name": "Plan",
            "strict": True,
            "schema": {
                "type": "object",
                "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
                "required": ["steps"],
                "additionalProperties": False,
            },
        },
    },
)


def play(
    folder: Path,
    payloads: list[dict[str, Any]],
    flow: Callable[[Running], Awaitable[None]],
    size: tuple[int, int] = SIZE,
) -> None:
    async def run() -> None:
        async with application(folder, payloads, size=size) as running:
            await flow(running)

    asyncio.run(run())


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate()]


def test_it_leaves_no_thread(tmp_path: Path) -> None:
    """A thread would keep everything the application knew."""
    before = threads()

    async def flow(_: Running) -> None:
        assert len(threads()) > len(before)

    play(tmp_path, [HELLO], flow)
    wait_until("no more threads than before", lambda: len(threads()) <= len(before))


async def the_first_miss_is_shown_and_escape_keeps_its_draft_and_goes_back_to_the_list(
    running: Running,
) -> None:
    assert running.app.misses.subject == digest(HELLO)
    assert running.app.focused is running.app.misses.rows
    await running.until_shown("hello")
    await running.until_shown(f"saves {short(digest(HELLO))}….json")
    await running.press("enter")
    await running.write("a draft")
    await running.press("escape")
    assert running.app.focused is running.app.misses.rows
    assert state_of(running.session, digest(HELLO)).kind == "draft"
    await running.until_shown("◐ draft")
    assert not running.fixtures.exists()
    kept = running.session.drafts.path(digest(HELLO))
    await running.until(lambda: kept.exists() and "a draft" in json.loads(kept.read_text())["text"])


def test_all_there_is_to_say_at_the_start_is_said(tmp_path: Path) -> None:
    before = Session(FixtureStore(tmp_path / "fixtures"), StateFolder(tmp_path / ".workbench"))
    before.drafting.open(digest(HELLO)).set_text('{"response": {"content": "a draft"}}')
    before.drafts.store(digest(HELLO))
    before.close()

    async def flow() -> None:
        async with application(tmp_path, [HELLO], notes=["Port 7899 is in use."]) as running:
            said = "1 draft of the last session is back. Port 7899 is in use."
            await running.until(lambda: running.status == said)

    asyncio.run(flow())


def test_a_whole_answer_in_json_is_pasted_over_its_skeleton(tmp_path: Path) -> None:
    """And a refused save goes to its first error, which can be allowed."""

    async def flow(running: Running) -> None:
        await running.press("enter")
        running.app.post_message(Paste('{"steps": ["a",\n"b"]}'))
        draft = running.session.drafting.open(digest(PLAN))
        pasted = '{"steps": ["a", "b"]}'
        await running.until(lambda: draft.document.response["content"] == pasted)
        # At once: the check that comes a moment behind the last key is not waited for.
        editor = running.parts.view.answer.fields.content_editor
        editor.replace_text('{"steps": ["a", 1]}')
        running.parts.save()
        assert editor.selected_text == "1"
        assert editor.cursor_location == (0, len('{"steps": ["a", 1'))
        await running.until(lambda: running.status.startswith("1 error: not saved."))
        editor.replace_text('{"steps": []}')
        await running.until(lambda: running.status == "")
        editor.replace_text('{"steps": "a"}')
        await running.until_shown("response-format-violated")
        await running.press("ctrl+s")
        assert "not saved" in running.status
        assert editor.selected_text == '"a"'  # to be typed over, with its quotes: a list is asked
        assert state_of(running.session, digest(PLAN)).word == "errors"
        assert not running.fixtures.exists()
        await running.press("ctrl+l")
        await running.until_shown("no problems except what is allowed: response-format-violated")
        assert "response-format-violated is now allowed" in running.status
        await running.press("ctrl+s")
        allow = running.saved(PLAN)["workbench"]["allow"]
        assert allow == ["response-format-violated"]

    play(tmp_path, [PLAN], flow)


async def several_tools_are_picked_by_name(running: Running) -> None:
    await running.press("t")
    assert isinstance(running.app.screen, Picker)
    await running.write("ask")
    assert "No tool of 2" not in running.screen_text()
    await running.write("s")
    await running.until_shown('No tool of 2 has "asks" in its name.')
    await running.press("backspace", "enter")
    await running.until(lambda: running.app.misses.query(CallCard))
    assert running.app.misses.query_one(CallCard).call.name == "ask_user"
    await running.press("ctrl+g")
    await running.until(lambda: not running.app.misses.query(CallCard))
    await running.until_shown("the answer; ^t calls")


def test_behind_the_last_miss_nothing_is_left_in_the_panes(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        # An empty answer that nobody touched takes two keys.
        await running.press("a")
        assert "Nothing written yet" in running.status
        assert not running.fixtures.exists()
        await running.press("a")
        assert running.saved(HELLO)["response"]["content"] == ""
        await running.press("u", "enter")
        await running.write("It rains.")
        await running.until_shown("no problems")
        await running.press("ctrl+s")
        await running.until_shown("The only miss is answered.")
        await running.until(lambda: "content" not in running.screen_text())
        assert "no problems" not in running.screen_text()
        await running.press("u")
        await running.until_shown("It rains.")

    play(tmp_path, [HELLO], flow)


async def skip_ignore_and_back(running: Running) -> None:
    name = short(digest(HELLO))
    await running.press("home")
    await running.press("s")
    assert running.status == f"Skipped {name}. u undoes; . shows it."
    await running.press("u")
    await running.until(lambda: running.status == f"{name} is open again.")
    await running.until(lambda: running.app.misses.subject == digest(HELLO))
    assert len(open_misses(running.session)) == 2
    await running.press("s")
    assert state_of(running.session, digest(HELLO)).kind == "skipped"
    assert running.app.misses.subject == digest(WORLD)
    await running.press("i")
    await running.write("the fallback is fine")
    await running.press("enter")
    ignored = (running.fixtures / "workbench-ignore.txt").read_text()
    assert f"{digest(WORLD)} the fallback is fine" in ignored
    assert running.app.misses.rows.keys == []
    await running.until_shown("miss is answered, skipped or ignored.")
    await running.press("u")
    assert state_of(running.session, digest(WORLD)).kind == "missing"
    await running.press("full_stop")
    assert len(running.app.misses.rows.keys) == 2


def test_a_miss_is_shown_drafted_skipped_and_ignored(tmp_path: Path) -> None:
    play(
        tmp_path,
        [HELLO, WORLD],
        in_turn(
            the_first_miss_is_shown_and_escape_keeps_its_draft_and_goes_back_to_the_list,
            skip_ignore_and_back,
        ),
    )


def test_an_empty_text_that_somebody_typed_is_saved(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("a")  # it cannot be saved as it is
        await running.until(lambda: running.status.startswith("1 to fill: not saved."))
        await running.press("enter")
        await running.write('""')
        await running.until_shown("empty-required")
        await running.press("ctrl+s")
        await running.until(lambda: running.status.startswith("Saved "))
        call = running.saved(FORCED)["response"]["tool_calls"][0]
        assert call == {
            "index": 0,
            "id": f"call_{digest(FORCED)[:8]}",
            "type": "function",
            "function": {"name": "get_weather", "arguments": '{"city": ""}'},
        }
        assert not running.session.drafts.path(digest(FORCED)).exists()

    play(tmp_path, [FORCED], flow)


def test_a_broken_fixture_is_shown_with_its_place_and_mended_as_text(tmp_path: Path) -> None:
    folder = tmp_path / "fixtures"
    folder.mkdir()
    file = folder / f"{digest(HELLO)}.json"
    file.write_text(
        '{\n  "response": {\n    "content": "hi"\n    "finish_reason": "stop"\n  }\n}\n'
    )

    async def flow(running: Running) -> None:
        assert state_of(running.session, digest(HELLO)).kind == "broken"
        await running.until_shown("a comma is missing after line 3")
        await running.press("enter")
        assert running.parts.view.answer.as_json
        await running.until_shown("invalid-json")
        await running.press("ctrl+r")
        await running.until_shown("no problems")
        await running.press("ctrl+s")
        assert running.saved(HELLO)["response"] == {"content": "hi", "finish_reason": "stop"}
        assert file.read_text().count("\n") == 6

    play(tmp_path, [HELLO], flow)


async def the_document_and_the_fields_are_one(running: Running) -> None:
    await running.press("enter")
    await running.write("first")
    await running.press("f12")
    await running.until(lambda: running.status == "The whole document. F12 shows the fields.")
    answer = running.parts.view.answer
    assert '"content": "first"' in answer.raw.text
    answer.raw.text = answer.raw.text.replace('"first"', '"second"')
    await running.press("f12")
    await running.until(lambda: answer.fields.content_editor.text == "second")
    await running.press("escape", "w")
    await running.until(lambda: running.status == "The whole document. F12 shows the fields.")
    await break_and_mend_the_document(running)


async def break_and_mend_the_document(running: Running) -> None:
    """A broken document keeps its text, and nothing of it can be allowed."""
    answer, draft = running.parts.view.answer, running.draft
    answer.raw.text = '{"response": '
    await running.press("f12")
    await running.until(lambda: running.status.startswith("The fields come back when"))
    assert answer.as_json
    assert draft.text == '{"response": '
    await running.press("ctrl+s")
    assert "not saved" in running.status
    await running.until_shown("invalid-json")
    await running.press("ctrl+l")
    said = "The document cannot be read: the text ends"
    await running.until(lambda: running.status.startswith(said))
    assert draft.text == '{"response": '
    fine = '{"response": {"content": ""}}'
    answer.raw.replace_text(fine)
    await running.until(lambda: not running.shows("invalid-json")())
    await running.press("ctrl+l")
    said = "No problems, so there is nothing to allow."
    await running.until(lambda: running.status.startswith(said))
    assert draft.text == fine


def test_an_answer_is_written_as_calls_and_as_a_document(tmp_path: Path) -> None:
    other = json.loads(json.dumps(WEATHER_TOOL).replace("get_weather", "ask_user"))
    play_each(
        tmp_path,
        several_tools_are_picked_by_name,
        the_document_and_the_fields_are_one,
        tools=[WEATHER_TOOL, other],
    )


def test_two_dumps_of_one_digest_are_told_and_can_be_picked(tmp_path: Path) -> None:
    """The preview is that of the one picked: what is asked of a stream is not in the digest."""
    asked = {"include_usage": True}
    free = ask("plan", response_format={"type": "json_object"}, stream_options=asked)
    assert digest(free) == digest(PLAN)

    async def flow(running: Running) -> None:
        def sent() -> list[str]:
            assessment = running.session.drafting.assessments.get(digest(PLAN))
            if assessment is None or assessment.preview.profile != "openai":
                return []
            return [frame.kind for frame in assessment.preview.frames]

        await running.until_shown("2 requests have these messages")
        await running.until_shown("> 1  json_schema Plan  no tools")
        await running.until_shown("×2!")
        view = running.parts.view
        view.preview.action_profile()
        await running.until(sent)
        assert "usage" not in sent()
        view.request.focus()
        await running.press("right_parenthesis")
        assert view.request.variant == 1
        await running.until(lambda: "usage" in sent())

    play(tmp_path, [PLAN, free], flow)


def is_fine(session: Session, content: str) -> bool:
    """Whether a draft with ``content`` was checked and has no errors."""
    draft, found = session.drafting.open(digest(PLAN)), session.drafting.assessments[digest(PLAN)]
    is_checked = draft.revision == found.revision
    return is_checked and not found.errors and draft.document.response["content"] == content


async def edit_variant(running: Running, name: str) -> None:
    """Change the answer to the second request of ``PLAN`` in the list of fixtures, and save it."""
    tab, store = running.fixtures_tab, running.session.store
    own = store.read(digest(PLAN))
    await running.press("2")
    await running.until(lambda: f"{name}.json" in running.session.fixtures.entries)
    tab.rows.select(f"{name}.json")
    await running.until(lambda: tab.subject == name)
    view = running.fixture_parts.view
    editor = view.answer.fields.content_editor
    await running.until(lambda: "done" in editor.text)
    editor.clear()
    editor.insert("{")
    await running.until(lambda: view.answer.problems.findings)
    view.answer.go_to_first_error()
    await running.until(lambda: editor.has_focus)
    editor.clear()
    editor.insert('{"done": false}')
    await running.until(lambda: view.answer.problems.findings == [])
    await running.until_shown(f"saves {short_file_name(name)}")
    await running.press("ctrl+s")
    await running.until(lambda: content_of(store, name) == '{"done": false}')
    await running.until(lambda: running.status.startswith(f"Saved {short_name(name)}. u undoes."))
    assert store.read(digest(PLAN)) == own


def content_of(store: FixtureStore, name: str) -> object:
    return (store.load(name) or {})["response"]["content"]


@pytest.mark.parametrize("is_kept", [True, False], ids=["kept", "replaced"])
def test_the_answer_to_a_second_dump_can_be_kept_beside_the_first(
    tmp_path: Path, is_kept: bool
) -> None:
    free = ask("plan", response_format={"type": "json_object"})
    # The schema of the first request wants steps.
    first, second = '{"steps": ["go"]}', '{"done": true}' if is_kept else '{"steps": []}'
    stored = new_document(digest(PLAN), {"content": first}, request=PLAN).text.encode()

    async def flow(running: Running) -> None:
        store = running.session.store
        await running.until_shown("2 requests have these messages")
        store.save(digest(PLAN), stored, expected=None)
        view = running.parts.view
        editor = view.answer.fields.content_editor
        await running.until(lambda: "go" in editor.text)
        view.request.focus()
        await running.press("right_parenthesis")
        editor.clear()
        editor.insert(second)
        await running.until(lambda: is_fine(running.session, second))
        running.app.misses.rows.focus()
        await running.press("a")
        await running.until_shown("y Keep both   n Replace it   esc Back")
        await running.press("escape")
        assert store.read(digest(PLAN)) == stored
        await running.press("a")
        await running.until_shown("y Keep both   n Replace it   esc Back")
        await running.press("y" if is_kept else "n")
        await running.until(lambda: running.status.startswith("Saved"))
        names = sorted(store.fixtures())
        contents = [content_of(store, name) for name in names]
        assert contents == ([first, second] if is_kept else [second])
        if is_kept:
            await edit_variant(running, names[1])

    play(tmp_path, [PLAN, free], flow)


def is_shown(pane: RequestPane, number: int) -> bool:
    return pane.variant == number


def says(running: Running, text: str) -> bool:
    return running.status == text


def test_requests_of_one_digest_with_other_tools_are_answered_one_after_the_other(
    tmp_path: Path,
) -> None:
    time = json.loads(json.dumps(WEATHER_TOOL).replace("get_weather", "get_time"))
    asked = [ask("now?", tools=[tool]) for tool in (WEATHER_TOOL, time)]

    async def flow(running: Running) -> None:
        shown, name = running.parts.view.request, digest(asked[0])
        await running.until_shown("2 requests have these messages")
        files = [name, f"{name}.{view(asked[1]).variant}"]
        for number, more in enumerate(
            (" Another request with this digest still needs an answer.", "")
        ):
            said = f"Saved {short_name(files[number])}. u undoes."
            await running.until(partial(is_shown, shown, number))
            await running.press("t")
            await running.write("Rome")
            await running.press("ctrl+s")
            await running.until(partial(says, running, said + more))
        fixture, store = running.saved(asked[0]), running.session.store
        names = sorted(store.fixtures())
        answers = [(store.load(name) or {})["response"] for name in names]
        called = [answer["tool_calls"][0]["function"]["name"] for answer in answers]
        assert called == ["get_weather", "get_time"]
        assert (fixture["workbench"].get("allow"), open_misses(running.session)) == (None, [])

    play(tmp_path, asked, flow)


def test_a_blocked_miss_names_the_turn_it_follows(tmp_path: Path) -> None:
    follow_up = {
        **HELLO,
        "messages": [
            *HELLO["messages"],
            {"role": "assistant", "content": FALLBACK_TEXT},
            {"role": "user", "content": "try again"},
        ],
    }

    earlier = f"turn 1 ({short(digest(HELLO))})"

    async def flow(running: Running) -> None:
        await running.press("down")
        await running.until_shown(f"Answer {earlier} first")
        await running.press("up", "enter")
        await running.write("hi")
        await running.press("ctrl+s")
        await running.until_shown("1 later turn will not be requested again")
        await running.press("full_stop", "end")
        await running.until_shown("Run the suite again")
        assert f"Answer {earlier} first" not in running.screen_text()
        await running.press("u")
        await running.until(lambda: "Undid" in running.status)
        running.session.decisions.ignore(digest(HELLO), "wanted")
        await running.press("down", "d")
        await running.until_shown("because you ignore")

    play(tmp_path, [HELLO, follow_up], flow, (200, 50))


def test_panes_by_size(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        def shown() -> list[bool]:
            return [running.displayed(pane) for pane in (RequestPane, AnswerPane, PreviewPane)]

        assert shown() == [True, False, False]
        await running.press("enter")
        await running.until(lambda: shown() == [False, True, False])
        await resize(running.pilot, 110, 32)
        await running.until(lambda: shown() == [True, True, False])
        running.app.misses.panes.focus("preview")
        await running.until(lambda: shown() == [True, False, True])
        await resize(running.pilot, 160, 44)
        await running.until(lambda: shown() == [True, True, True])
        await resize(running.pilot, 52, 12)
        await running.until_shown("Needs 60x15 or more; this is 52x12.")

    play(tmp_path, [HELLO], flow, (80, 24))


# Pasting and copying


def test_what_is_pasted_into_the_list_is_offered_as_the_answer_and_is_no_row_of_keys(
    tmp_path: Path,
) -> None:
    async def flow(running: Running) -> None:
        name = digest(HELLO)
        for key in ("escape", "y"):
            running.app.post_message(Paste("sqi\r\nA"))
            question = f"Use the 5 pasted characters as the answer of {short(name)}?"
            await running.until_shown(question)
            await running.press(key)
            draft = running.session.drafting.open(name)
            assert draft.touched == (key == "y")
        assert draft.document.response["content"] == "sqi\nA"
        pasted = f"Pasted as the answer of {short(name)}. Enter edits it, a saves it."
        await running.until(lambda: running.status == pasted)
        running.app.post_message(Paste(" "))
        await running.until(lambda: running.status == "Only blanks were pasted.")
        running.app.post_message(Paste('{"response": {"content": "Hi.", "finish_reason": "stop"}}'))
        question = f"Use the pasted fixture as the answer of {short(name)}, instead of yours?"
        await running.until_shown(question)
        await running.press("y", "enter", "ctrl+z")
        draft = running.session.drafting.open(name)
        assert draft.document.response["content"] == "sqi\nA"

    play(tmp_path, [HELLO], flow)


def test_marked_text_is_copied_and_said_to_be(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        request = running.parts.view.request
        view = request.lines
        row = next(n for n in range(20) if view.lines[n].plain.strip() == "hello")
        await running.pilot.mouse_down(view, offset=(4, row))
        await running.pilot.hover(view, offset=(7, row))
        await running.pilot.mouse_up(view, offset=(7, row))
        await running.press("ctrl+c")
        assert running.status == "Copied 4 characters of the request."
        assert running.app.clipboard == "hell"
        request.show_notice([Content("a new line below")])  # the marked text is the same
        await running.pilot.pause()
        await running.press("ctrl+c")
        assert running.status == "Copied 4 characters of the request."
        request.action_turn(2)  # other text stands there
        await running.pilot.pause()
        await running.press("ctrl+c")
        assert running.status == "q quits. ^c copies what is marked."
        request.action_turn(-2)
        running.app.main.set_focus(request)
        await running.press("y")
        assert running.status == "Copied 5 characters of the request."
        running.app.copy_to_clipboard("")
        assert running.status == "There is nothing to copy here."
        assert running.app.clipboard == "hello"
        # The list has nothing to mark: what is pressed there is a row.
        await running.pilot.mouse_down(running.app.misses.rows, offset=(4, 0))
        await running.pilot.hover(running.app.misses.rows, offset=(9, 0))
        await running.pilot.mouse_up(running.app.misses.rows, offset=(9, 0))
        assert not running.app.screen.selections

    play(tmp_path, [HELLO], flow)


def test_any_text_is_copied_and_one_too_long_for_the_terminal_goes_into_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.tui.widgets.copying.TERMINAL_LIMIT", 100)

    async def flow(running: Running) -> None:
        running.app.copy_to_clipboard("12 °C")
        assert running.app.clipboard == "12 °C"
        assert running.status == "Copied 5 characters."
        running.app.copy_to_clipboard("1")
        assert running.status == "Copied 1 character."
        running.app.copy_to_clipboard("half of \ud83d\nno more")
        assert running.app.clipboard == "half of \\ud83d\nno more"
        running.app.copy_to_clipboard("x" * 100)
        file = tmp_path / ".workbench" / "clip.txt"
        assert file.read_text() == "x" * 100
        assert running.app.clipboard == "half of \\ud83d\nno more"
        assert running.status == f"Too long for the terminal's clipboard: written to {file}."

    play(tmp_path, [], flow)
