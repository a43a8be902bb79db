"""``workbench list`` and ``workbench show``: fixtures by what one remembers of them."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, tool
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document

CALLS = {
    "content": "",
    "tool_calls": [
        {"id": "c", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    ],
    "finish_reason": "tool_calls",
}
OPENING = chat("Weather in London?", tools=[tool()])
LATER = {
    **OPENING,
    "messages": [
        *OPENING["messages"],
        {"role": "assistant", "content": None, "tool_calls": CALLS["tool_calls"]},
        {"role": "tool", "tool_call_id": "c", "content": "12 degrees"},
    ],
}
JOKE = chat("A joke")


@pytest.fixture
def fixtures(project: Project) -> Project:
    add(project, LATER, {"content": "It is mild:\n12 °C."}, 'test_w.py::test_rain, turn 2: "x"')
    add(project, JOKE, {"error": {"status": 429, "message": "Slow down"}}, "the joker")
    add(project, OPENING, CALLS, 'test_w.py::test_rain, turn 1: "x"')
    return project


def add(
    project: Project, request: dict[str, Any], response: dict[str, Any], description: str
) -> None:
    name = digest(request)
    document = new_document(name, response, description=description, request=request)
    project.fixtures.mkdir(exist_ok=True)
    (project.fixtures / f"{name}.json").write_text(document.text, "utf-8")


def found(project: Project, *words: str) -> list[str]:
    rows = project.run("list", *words, "--format", "json").rows
    return [row["digest"] for row in rows]


def test_the_turns_of_a_conversation_stand_together(fixtures: Project) -> None:
    ran = fixtures.run("list")
    assert [line.split("  ")[0] for line in ran.out.splitlines()] == [
        digest(request)[:12] for request in (JOKE, OPENING, LATER)
    ]
    joke, first, second = ran.out.splitlines()
    assert joke.split() == f"{digest(JOKE)[:12]} A joke → error 429 Slow down the joker".split()
    assert "Weather in London?" in first
    assert "→ get_weather()" in first
    assert first.endswith("test_w.py::test_rain")
    assert "tool 12 degrees" in second
    assert "→ It is mild: 12 °C." in second
    assert (ran.code, ran.err) == (0, "workbench list: note: 3 fixtures\n")


@pytest.mark.parametrize(
    ("words", "requests"),
    [
        ([], [JOKE, OPENING, LATER]),
        (["LONDON"], [OPENING, LATER]),
        (["london", "mild"], [LATER]),
        (["get_weather"], [OPENING]),
        (["429"], [JOKE]),
        (["test_rain"], [OPENING, LATER]),
        (["the joker"], [JOKE]),
        (["12 degrees"], [LATER]),
        ([digest(JOKE)[:6]], [JOKE]),
        (["joke", "london"], []),
    ],
)
def test_all_words_must_occur(
    fixtures: Project, words: list[str], requests: list[dict[str, Any]]
) -> None:
    assert found(fixtures, *words) == list(map(digest, requests))


def test_as_json(fixtures: Project) -> None:
    [row] = fixtures.run("list", "mild", "--format", "json").rows
    conversation = row.pop("conversation")
    assert row == {
        "digest": digest(LATER),
        "path": f"fixtures/{digest(LATER)}.json",
        "question": "tool 12 degrees",
        "answer": "It is mild:\n12 °C.",
        "description": 'test_w.py::test_rain, turn 2: "x"',
        "test": "test_w.py::test_rain",
        "turn": 2,
    }
    [first] = fixtures.run("list", "get_weather", "--format", "json").rows
    assert first["conversation"] == conversation


def test_files_that_cannot_be_read_and_empty_folders(project: Project) -> None:
    ran = project.run("list")
    assert (ran.code, ran.out) == (0, "")
    assert "warning: the folder fixtures does not exist yet" in ran.err
    project.fixtures.mkdir()
    assert project.run("list").err == "workbench list: note: 0 fixtures\n"
    (project.fixtures / f"{'a' * 64}.json").write_text("{")
    ran = project.run("list")
    assert (ran.code, ran.err) == (0, "workbench list: note: 1 fixture\n")
    assert ran.out.startswith("aaaaaaaaaaaa  ")
    assert project.run("list", "x") == (0, "", "workbench list: note: 0 of 1 fixture\n")
    ran = project.run("show", "aaaa")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"workbench show: error: fixtures/{'a' * 64}.json:1:2: invalid-json")


def test_show(fixtures: Project) -> None:
    ran = fixtures.run("show", digest(LATER)[:4])
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        f"file         fixtures/{digest(LATER)}.json",
        'description  test_w.py::test_rain, turn 2: "x"',
        "opening      Weather in London?",
        "turn 2       tool 12 degrees",
        "answer       It is mild:",
        "             12 °C.",
        f"change it    workbench promote {digest(LATER)[:12]} --force --content "
        "$'It is mild:\\x0a12 °C.'",
    ]


def test_show_calls_and_failures(fixtures: Project) -> None:
    shown = fixtures.run("show", digest(OPENING)[:8]).out.splitlines()
    assert "turn 1       Weather in London?" in shown
    assert "answer       get_weather {}" in shown
    shown = fixtures.run("show", digest(JOKE)[:8]).out.splitlines()
    assert "answer       error 429 Slow down" in shown
    assert shown[-1] == f"change it    ${{EDITOR:-vi}} fixtures/{digest(JOKE)}.json"


def test_show_a_sequence(project: Project) -> None:
    project.fixtures.mkdir()
    path = project.fixtures / f"{'b' * 64}.json"
    path.write_text('{"first": [{"error": {"status": 429}}], "response": {"content": "Done"}}')
    assert project.run("show", "bbbb").out.splitlines()[1:-1] == [
        "description  (none)",
        "question     (request not stored)",
        "answer 1     error 429",
        "then         Done",
    ]


def test_show_a_fixture_without_a_response(project: Project) -> None:
    project.fixtures.mkdir()
    (project.fixtures / f"{'b' * 64}.json").write_text('{"response": []}')
    assert "answer       (empty)" in project.run("show", "bbbb").out.splitlines()


@pytest.mark.parametrize(
    ("document", "place", "problem"),
    [
        ({"first": {"content": "a"}, "response": {}}, "1:11", "first is an object; expected a"),
        ({"first": [{"error": {"status": 99}}]}, "1:33", "first[0].error.status is 99; expected"),
        ({"response": {"content": 5}}, "1:26", "content is a number; expected a string"),
    ],
)
def test_a_fixture_that_cannot_be_used(
    project: Project, document: object, place: str, problem: str
) -> None:
    project.fixtures.mkdir()
    (project.fixtures / f"{'b' * 64}.json").write_text(json.dumps(document))
    ran = project.run("show", "bbbb")
    assert (ran.code, ran.out) == (1, "")
    assert f"fixtures/{'b' * 64}.json:{place}: " in ran.err
    assert problem in ran.err
    (row,) = project.run("list", "--format", "json").rows
    assert problem in row["problem"]
    listed = project.run("list").out
    assert "(unknown)" in listed  # it may store its request
    assert problem[:20] in listed


@pytest.mark.parametrize(
    "response",
    [
        {"content": "-x"},
        {"content": None},
        {"content": "a\ud800"},
        {"content": "a\0b"},
        {"content": [{"type": "text", "text": "x"}]},
        {"content": "x", "finish_reason": "length"},
        {"tool_calls": [{"type": "custom", "custom": {"name": "run", "input": "--all"}}]},
    ],
)
def test_what_promote_cannot_write_is_changed_in_an_editor(
    project: Project, response: dict[str, Any]
) -> None:
    add(project, JOKE, response, "")
    edit = project.run("show", digest(JOKE)[:8], "--format", "json").rows["edit"]
    assert edit == f"${{EDITOR:-vi}} fixtures/{digest(JOKE)}.json"


def test_a_sequence_whose_last_answer_is_missing(project: Project) -> None:
    project.fixtures.mkdir()
    (project.fixtures / f"{'b' * 64}.json").write_text('{"first": [{"content": "Once"}]}')
    assert project.run("show", "bbbb").out.splitlines()[3:5] == [
        "answer 1     Once",
        "then         (empty)",
    ]
    (row,) = project.run("list", "--format", "json").rows
    assert row["answer"] == "Once, then (empty)"


def test_the_command_that_changes_it_works_without_a_log(fixtures: Project) -> None:
    for request, old, new in ((LATER, "mild", "cold"), (OPENING, "{}", '{"city": "Oslo"}')):
        row = fixtures.run("show", digest(request)[:8], "--format", "json").rows
        words = shlex.split(row["edit"].replace("$'", "'").replace("\\x0a", "\n"))
        ran = fixtures.run(*(word.replace(old, new) for word in words[1:]))
        assert ran.code == 0
        assert new in str(fixtures.fixture(digest(request))["response"])
        assert fixtures.fixture(digest(request))["description"] == row["description"]


def test_show_as_json(fixtures: Project) -> None:
    row = fixtures.run("show", digest(OPENING)[:8], "--format", "json").rows
    assert row["responses"] == [CALLS]
    assert (row["model"], row["api"], row["turn"]) == ("gpt-4o", "chat", 1)
    assert row["opening"] == row["question"] == "Weather in London?"


@pytest.mark.parametrize(
    ("word", "problem"),
    [("abc", "too short"), ("ffff", "begins with ffff"), ("xyz1", "not a digest")],
)
def test_show_what_is_not_there(fixtures: Project, word: str, problem: str) -> None:
    ran = fixtures.run("show", word)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err
