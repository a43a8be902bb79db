"""A request as sections to read: nothing of it is lost, nothing of it acts."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given

from tests.cases import each_case
from tests.reference import digests
from tests.strategies import payloads
from tests.tui.running import WEATHER_TOOL, ask
from workbench.core.text.inert import unsafe
from workbench.tui.lines.json_lines import as_json
from workbench.tui.lines.line_layout import row_starts
from workbench.tui.lines.sections import SectionIndex
from workbench.tui.lines.text_lines import SHOWN_CHARACTERS, indented, size
from workbench.tui.request.request_lines import Earlier, conversation, newest, tools

LONG = "a line of a long text\n" * 300
CALL = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 5000}}
PARAMETERS: object = WEATHER_TOOL["function"]["parameters"]  # type: ignore[index]
CHAT: dict[str, Any] = {
    "model": "gpt-4o",
    "messages": [
        {"role": "system", "content": LONG},
        {"role": "user", "content": "weather in London?", "name": "ann"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "12C rain"},
        {"role": "user", "content": [{"type": "text", "text": "and now?"}, IMAGE]},
    ],
    "tools": [WEATHER_TOOL],
}  # fmt: skip


def lines(payload: dict[str, Any], *toggled: str, earlier: Earlier | None = None) -> list[str]:
    """The lines of the conversation."""
    index = SectionIndex(conversation(payload, earlier), set(toggled))
    return text(index)


def text(index: SectionIndex) -> list[str]:
    """What is read: blanks that keep a label with its value are blanks."""
    return [line.plain.replace("\N{NO-BREAK SPACE}", " ") for line in index.lines(0)]


@each_case("width", range(26, 70))
def test_no_row_ends_between_a_label_and_its_value(width: int) -> None:
    *_, demands = SectionIndex(conversation(CHAT), set()).lines(0)
    starts = [*row_starts(demands.plain, width), len(demands.plain)]
    rows = [demands.plain[at:end].rstrip() for at, end in itertools.pairwise(starts)]
    assert len(rows) > 1
    assert not any(row[:1].isspace() for row in rows), "a row begins with no blank"
    assert not {"offers", "tool_choice", "format"} & {row.split(" ")[-1] for row in rows}


def copied(payload: dict[str, Any], key: str) -> str:
    return next(s for s in conversation(payload) if s.key == key).copied()


def test_a_conversation() -> None:
    assert lines(CHAT) == [
        "0 system  ▸ 6.6 KB  " + LONG[:400].replace("\n", " ").strip(),
        "1 user  ann",
        "    weather in London?",
        "",
        "2 assistant",
        "    calls get_weather  call_1",
        "      {}",
        "",
        "3 tool  get_weather  answers call_1",
        "    12C rain",
        "",
        "4 user",
        "    and now?",
        "    image/png, 5.0 KB (folded; JSON shows it)",
        "",
        "offers  get_weather(city, days?)   tool_choice  none given   format  text",
    ]


@pytest.mark.parametrize("content", [None, "", [], [{"type": "text", "text": ""}]])
def test_an_empty_text_takes_no_line_before_its_calls(content: object) -> None:
    message = {"role": "assistant", "content": content, "tool_calls": [CALL]}
    assert lines({"messages": [message]})[:3] == [
        "0 assistant",
        "    calls get_weather  call_1",
        "      {}",
    ]
    assert lines({"messages": [{**message, "tool_calls": []}]})[:3] == [
        "0 assistant",
        "    (empty)",
        "",
    ]


def test_a_long_message_unfolds() -> None:
    shown = lines(CHAT, "message 0")
    assert shown[:3] == ["0 system", "    a line of a long text", "    a line of a long text"]
    assert len(shown) > 300


def test_the_last_message_is_what_is_asked_and_not_folded() -> None:
    assert lines(ask(LONG))[0] == "0 user"
    assert "▸" in lines(ask(LONG * 20))[0]
    first_of_two = {"messages": [*ask(LONG)["messages"], {"role": "user", "content": "x"}]}
    assert "▸" in lines(first_of_two)[0]


def test_calls_alone_are_named_when_folded() -> None:
    folded = lines(CHAT, "message 2")
    assert "2 assistant  ▸ calls get_weather" in folded


def test_earlier_messages_are_one_line_and_few_are_shown() -> None:
    turns = [{"role": role, "content": role} for role in ("user", "assistant")] * 3
    assert lines({"messages": turns[1:]})[0] == "0 assistant"
    later = {"messages": [*turns, {"role": "user", "content": "x"}]}
    shown = lines(later)
    assert shown[:2] == ["↑ 5 earlier messages", "5 assistant"]
    unfolded = lines(later, "earlier")
    assert unfolded[:2] == ["▾ 5 earlier messages", "0 user"]
    assert unfolded[-len(shown) + 1 :] == shown[1:]
    assert lines(later, earlier=("c62fad60235a" + "0" * 52, 5))[0] == (
        "↑ 5 earlier messages, unchanged since c62fad60235a"
    )
    assert lines(later, earlier=("c62fad60235a" + "0" * 52, 4))[0] == "↑ 5 earlier messages"


@pytest.mark.parametrize(
    ("roles", "key"),
    [
        (["system", "user"], "message 1"),
        (["system", "user", "assistant", "tool", "tool"], "message 3"),
        (["user", "assistant"], "message 1"),
        (["system"], "message 0"),
        ([], ""),
    ],
)
def test_what_is_new_begins_after_the_last_answer(roles: list[str], key: str) -> None:
    assert newest({"messages": [{"role": role, "content": "x"} for role in roles]}) == key


def test_what_copying_gives() -> None:
    assert copied(CHAT, "message 0") == LONG
    assert json.loads(copied(CHAT, "message 2")) == CHAT["messages"][2]
    assert json.loads(copied(CHAT, "message 4")) == CHAT["messages"][4]
    assert json.loads(copied(CHAT, "demands")) == {"tools": CHAT["tools"]}
    hostile = "\x1b[31m\u202e\x00"
    assert copied(ask(hostile), "message 0") == hostile
    (tool,) = [s for s in tools(CHAT) if s.key]
    assert json.loads(tool.copied()) == PARAMETERS


def test_tools_and_their_parameters() -> None:
    index = SectionIndex(tools(CHAT), set())
    assert text(index) == [
        "tool_choice  none given",
        "",
        "▾ get_weather",
        "    Weather for a city.",
        "    city  string  required",
        "    days  integer  default 1",
        "    nothing else allowed",
        "",
    ]
    folded = SectionIndex(tools(CHAT), {"tool 0"})
    assert [line.plain for line in folded.lines(0)][2:] == ["▸ get_weather(city, days?)"]
    nothing = SectionIndex(tools(ask("x")), set())
    assert [line.plain for line in nothing.lines(0)][-1] == "This request offers no tools."


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 30}, "integer  min 1  max 30"),
        (
            {"type": "string", "maxLength": 9, "pattern": "^[A-Z]\\w+"},
            "string  max length 9  pattern ^[A-Z]\\w+",
        ),
        (
            {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]},
            "number or null  over 0",
        ),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            "list of string  min items 1",
        ),
        ({"type": "string", "format": "date", "default": "x" * 99}, None),
        ({"type": "string", "pattern": 5, "anyOf": 5}, "string  pattern 5"),
    ],
)
def test_the_limits_of_a_parameter_stand_beside_its_type(
    spec: dict[str, Any], said: str | None
) -> None:
    tool = {"name": "book", "parameters": {"properties": {"x": spec}}}
    index = SectionIndex(tools(ask("x", tools=[{"type": "function", "function": tool}])), set())
    (line,) = [line for line in text(index) if line.startswith("    x  ")]
    cut = f'string  format date  default "{"x" * 58}…'
    assert line == f"    x  {said or cut}"


def test_a_schema_for_the_answer_is_shown() -> None:
    schema = {"properties": {"steps": {"type": "array", "items": {"type": "string"}}}}
    shape = {"type": "json_schema", "json_schema": {"name": "Plan", "schema": schema}}
    shown = lines(ask("plan", response_format=shape))
    assert shown[-2].endswith("format  json_schema Plan")
    assert shown[-1] == "          steps  list of string"


@given(payloads)
def test_any_request_can_be_shown_and_copied(payload: dict[str, Any]) -> None:
    views = conversation(payload), conversation(payload, ("0" * 64, 1)), tools(payload)
    for view in (*views, as_json(payload)):
        sections = list(view)
        index = SectionIndex(iter(sections), {s.key for s in sections if s.is_large})
        shown = [line.plain for line in index.lines(0)]
        assert shown
        assert not any(unsafe().search(line) for line in shown)
        for section in sections:
            assert isinstance(section.copied(), str)
            folded = section.folded() if section.folded else section.head
            assert not unsafe().search(folded.plain)


def test_real_requests_are_shown_whole() -> None:
    for case in digests():
        payload = case["payload"]
        unfolded = [s.key for s in conversation(payload) if s.folded and s.is_large]
        shown = "\n".join(lines(payload, *unfolded))
        for message in payload.get("messages") or []:
            content = message.get("content") if isinstance(message, dict) else None
            if isinstance(content, str) and len(content) < 4000 and not unsafe().search(content):
                assert content in shown


def test_text_is_shown_to_a_megabyte() -> None:
    made = list(indented("x" * (SHOWN_CHARACTERS + 5), 4))
    assert len(made[0]) == SHOWN_CHARACTERS
    assert made[1].plain == "    Shown to 1.0 MB. y copies all of it."
    many = list(indented("y\n" * SHOWN_CHARACTERS, 4))
    assert sum(map(len, many[:-1])) <= SHOWN_CHARACTERS
    assert many[-1].plain.endswith("y copies all of it.")
    assert [line.plain for line in indented("a\n\tb\x1b", 2)] == ["  a", "    b\\x1b"]


@pytest.mark.parametrize(
    ("characters", "said"), [(0, "0 B"), (999, "999 B"), (4200, "4.2 KB"), (3_900_000, "3.9 MB")]
)
def test_sizes(characters: int, said: str) -> None:
    assert size(characters) == said
