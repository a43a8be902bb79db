"""What is answered stands above the field, where the request is not beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tui.running import WEATHER_TOOL, Running, ask
from tests.tui.steady import resize
from tests.tui.test_app import play
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.requests.messages import chat_call
from workbench.tui.answer.new_messages import NewMessages, new_rows

SYSTEM = {"role": "system", "content": "Be brief."}
USER = {"role": "user", "content": "Two seats from LHR to OSL on Friday, please."}
CALLS = {
    "role": "assistant",
    "content": None,
    "tool_calls": [chat_call(f"call_{n}", name, "{}") for n, name in enumerate(["book", "pay"])],
}
RESULT = {"role": "tool", "tool_call_id": "call_0", "content": '{"ok": true,\n  "seats": ["4A"]}'}
SMALL, MEDIUM = (80, 24), (120, 36)
RULE = "───────"


def rows(messages: list[Any], width: int = 72, most: int = 3) -> list[str]:
    return [row.plain for row in new_rows(view({"messages": messages}), width, most)]


def test_a_question_stands_alone_and_the_others_are_counted() -> None:
    (row,) = rows([SYSTEM, USER])
    assert row.startswith("user  Two seats from LHR to OSL on Friday, please.   ")
    assert row.endswith("  ↑ 1 more")
    assert len(row) == 72
    assert rows([USER]) == [f"user  {USER['content']}"]
    assert rows([SYSTEM]) == ["system  Be brief."]
    assert rows([]) == []


def test_the_result_of_a_tool_comes_after_the_question_and_names_its_call() -> None:
    question, result = rows([SYSTEM, USER, CALLS, RESULT])
    assert question.startswith("user  Two seats")
    assert question.endswith("↑ 2 more")
    assert result == 'tool  book → {"ok": true, "seats": ["4A"]}'


def test_of_many_messages_the_last_ones_are_shown() -> None:
    results = [{**RESULT, "tool_call_id": f"call_{n % 2}", "content": f"no {n}"} for n in range(8)]
    shown = rows([USER, CALLS, *results], most=2)
    assert [row[:18].rstrip() for row in shown] == ["tool  book → no 6", "tool  pay → no 7"]
    assert shown[0].endswith("↑ 8 more")


def test_what_the_model_began_to_say_is_shown() -> None:
    shown = rows([USER, {"role": "assistant", "content": "They are"}])
    assert shown == [f"user       {USER['content']}", "assistant  They are"]


@pytest.mark.parametrize("most", [1, 2, 6])
@pytest.mark.parametrize("word", ["word ", "字 ", "unbroken", "字", "e\u0301"])
def test_a_long_text_is_cut_in_the_middle(word: str, most: int) -> None:
    shown = rows([SYSTEM, {"role": "user", "content": f"START {word * 100_000} END"}], 60, most)
    assert len(shown) == most
    text = " ".join(shown)
    assert shown[0].startswith("user  START ")
    assert " … " in text
    assert text.replace("  ↑ 1 more", "").rstrip().endswith(" END")


def test_a_text_that_fits_is_not_cut() -> None:
    text = " ".join(f"word{n}" for n in range(30))
    shown = rows([USER, CALLS, RESULT, {"role": "user", "content": text}], most=6)
    assert shown[0].startswith("tool  book → ")
    assert " ".join(row[6:].strip() for row in shown[1:]) == text


def test_an_image_is_counted() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    content = [{"type": "text", "text": "What is it?"}, image]
    assert rows([{"role": "user", "content": content}]) == ["user  What is it? +1 image"]


def test_no_message_acts_on_the_terminal() -> None:
    shown = rows(
        [
            {"role": "user\x1b[2J", "content": "[red]\x1b]0;title\x07[/red]\r\n\ttwo\u202e"},
            {"role": "assistant", "tool_calls": [chat_call("c", "a\x1bb", "{}")]},
            {"role": "tool", "tool_call_id": "c", "content": "\x1b[31m"},
        ]
    )
    assert not {*"\x1b\x07\r\n\t\u202e"} & {*"".join(shown)}
    assert "a\\x1bb → \\x1b[31m" in shown[0]


# On the screen

ASKED = {**ask("x"), "messages": [SYSTEM, USER, CALLS, RESULT]}


def head(running: Running) -> list[str]:
    """What is drawn above the field."""
    widget = running.app.misses.query_one(NewMessages)
    return widget.render().plain.split("\n") if widget.region else []


def test_it_is_shown_where_the_request_is_not_beside_the_answer(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter")
        question, result, rule = head(running)
        assert result == 'tool  book → {"ok": true, "seats": ["4A"]}'
        assert rule.startswith(RULE)
        await running.until_shown(question)
        await resize(running.pilot, *MEDIUM)
        assert head(running) == []
        running.app.misses.action_zoom()
        await running.until(lambda: head(running))
        assert head(running)[1] == result
        running.app.misses.action_zoom()
        await running.until(lambda: not running.app.misses.query_one(NewMessages).region)
        assert head(running) == []

    play(tmp_path, [ASKED], flow, SMALL)


def test_in_the_lowest_pane_one_line_is_left_of_it(tmp_path: Path) -> None:
    async def flow(running: Running) -> None:
        await running.press("enter", "escape")
        await running.until(lambda: len(head(running)) == 1)
        assert head(running)[0].startswith('tool  book → {"ok": true, "seats": ["4A"]}')
        await running.until_shown(" content ")

    play(tmp_path, [ASKED], flow, (60, 15))


def test_typing_does_not_move_it_and_each_row_has_its_own(tmp_path: Path) -> None:
    long = ask("long " * 200)

    async def flow(running: Running) -> None:
        await running.press("enter")
        widget = running.app.misses.query_one(NewMessages)
        before = widget.region
        await running.write("an answer\nof several\nlines\n")
        assert widget.region == before
        await running.press("escape", "down", "enter")
        assert len(head(running)) == 3
        assert head(running)[0].startswith("user  long long")
        await running.press("escape", "up", "enter")
        assert widget.region == before

    play(tmp_path, [ASKED, long], flow, SMALL)


def test_it_is_that_of_the_chosen_dump(tmp_path: Path) -> None:
    same = {**ask("asked", tools=[WEATHER_TOOL]), "messages": [USER]}
    with_format = {**same, "response_format": {"type": "json_object"}}

    async def flow(running: Running) -> None:
        widget = running.app.misses.query_one(NewMessages)
        assert len(running.parts.view.request.payloads) == 2
        await running.press("tab", "right_parenthesis")
        assert running.parts.view.request.variant == 1
        assert widget.shown is not None
        assert widget.shown.output_format.kind == "json_object"

    play(tmp_path, [same, with_format], flow, SMALL)


def test_it_is_that_of_a_stored_request(tmp_path: Path) -> None:
    asked = ask("stored")
    document = new_document(digest(asked), {"content": "a"}, request=asked)
    (tmp_path / "fixtures").mkdir()
    (tmp_path / "fixtures" / f"{digest(asked)}.json").write_text(document.text)

    async def flow(running: Running) -> None:
        await running.press("2")
        await running.until(lambda: running.fixtures_tab.subject)
        await running.press("enter")
        await running.until_shown("user  stored")

    play(tmp_path, [ASKED], flow, SMALL)
