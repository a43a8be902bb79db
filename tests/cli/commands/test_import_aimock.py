"""``workbench import`` with fixtures of aimock."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Project
from tests.session.support import chat, missed, open_session, tool
from tests.tui.running import application
from workbench.core.apis.table import view
from workbench.core.log.lines import miss_lines
from workbench.session.drafts.store import Draft
from workbench.session.misses.states import state_of

WEATHER = chat("What is the weather in London?", tools=[tool()])
NEWS = {
    "api": "messages",
    "model": "claude-opus-4-20250514",
    "max_tokens": 9,
    "messages": [{"role": "user", "content": "What is new in London?"}],
}
OTHER = chat("Something else")
CALLS = [{"name": "get_weather", "arguments": {"city": "London"}}]
ENTRIES: list[dict[str, Any]] = [
    {
        "match": {"userMessage": "London", "toolName": "get_weather"},
        "response": {"toolCalls": CALLS},
    },
    {"match": {"userMessage": "London"}, "response": {"content": "Nothing.", "usage": {}}},
    {"match": {"userMessage": "Paris"}, "response": {"content": "Nobody asks."}},
    {"match": {"userMessage": "else", "context": "a"}, "response": {"content": "first"}},
    {"match": {}, "response": {"content": "anything"}},
]
DIGESTS = [view(payload).digest for payload in (WEATHER, NEWS, OTHER)]


@pytest.fixture
def file(project: Project) -> Path:
    """The file, in a project with a log of three misses over two APIs."""
    project.write_log(*(miss_lines(view(p).digest, p) for p in (WEATHER, NEWS, OTHER)))
    path = project.folder / "aimock.json"
    path.write_text(json.dumps({"fixtures": ENTRIES}))
    return path


def drafts(folder: Path) -> dict[str, Any]:
    """The values of the drafts that the next session finds, by digest."""
    session = open_session(folder)
    try:
        assert session.drafts.recover() == []
        return {key: draft.document.value for key, draft in session.drafts.drafts.items()}
    finally:
        session.close()


def write_draft(folder: Path, digest: str, content: str) -> None:
    """As another program does."""
    session = open_session(folder)
    text = json.dumps({"response": {"content": content}})
    session.drafts.add(Draft(digest, text, touched=True))
    session.drafts.store(digest)
    session.close()


def test_each_miss_gets_the_answer_of_the_first_that_fits(project: Project, file: Path) -> None:
    dry = project.run("import", file, "--log", project.log, "--dry-run", "--format", "json")
    assert drafts(project.folder) == {}
    ran = project.run("import", file, "--log", project.log, "--format", "json")
    assert ran.rows == dry.rows
    assert ran.code == dry.code == 1
    assert [(row["entry"], row["digest"], row["reason"]) for row in ran.rows] == [
        ("fixtures[0]", DIGESTS[0], ""),
        ("fixtures[1]", DIGESTS[1], "without usage of the response"),
        ("fixtures[2]", None, "no miss of the log fits it"),
        ("fixtures[3]", None, "match.context cannot be checked in a log"),
        # The fixture before it comes first, whatever its answer.
        ("fixtures[4]", None, "no miss of the log fits it"),
    ]
    found = drafts(project.folder)
    assert list(found) == sorted(DIGESTS[:2])
    called, said = (found[digest] for digest in DIGESTS[:2])
    assert called["response"] == {
        "content": "",
        "tool_calls": [
            {
                "index": 0,
                "id": f"call_{DIGESTS[0][:8]}",
                "type": "function",
                "function": {"name": "get_weather", "arguments": '{"city": "London"}'},
            }
        ],
        "finish_reason": "tool_calls",
    }
    assert said["response"] == {"content": "Nothing.", "finish_reason": "stop"}
    assert said["request"] == NEWS
    assert said["workbench"] == {"source": "imported"}
    assert not project.fixtures.exists()


def test_an_id_that_later_fixtures_name_is_kept(project: Project, file: Path) -> None:
    call = {"name": "get_weather", "arguments": {"city": "London"}, "id": "call_london"}
    entry = {"match": {"toolName": "get_weather"}, "response": {"toolCalls": [call]}}
    file.write_text(json.dumps({"fixtures": [entry]}))
    assert project.run("import", file, "--log", project.log).code == 0
    response = drafts(project.folder)[DIGESTS[0]]["response"]
    assert response["tool_calls"][0]["id"] == "call_london"


def test_fixtures_in_a_sequence_become_one_draft(project: Project, file: Path) -> None:
    entries = [
        {"match": {"userMessage": "else"}, "response": {"content": "later"}},
        {"match": {"userMessage": "else", "sequenceIndex": 1}, "response": {"content": "second"}},
        {
            "match": {"userMessage": "else", "sequenceIndex": 0},
            "response": {"error": {"message": "busy"}, "status": 429},
        },
    ]
    file.write_text(json.dumps({"fixtures": entries[::-1]}))
    ran = project.run("import", file, "--log", project.log)
    assert ran.code == 0
    assert ran.out.count(f"drafted   {DIGESTS[2]}  ") == 3
    draft = drafts(project.folder)[DIGESTS[2]]
    assert draft["first"] == [
        {"error": {"status": 429, "message": "busy"}},
        {"content": "second", "finish_reason": "stop"},
    ]
    assert draft["response"]["content"] == "later"


def test_the_printed_command_names_the_folder(project: Project, file: Path) -> None:
    ran = project.run("import", file, "--log", project.log, "--fixtures", "other")
    assert f"review the drafts: workbench --log {project.log} --fixtures other\n" in ran.err


def test_a_sequence_with_an_answer_that_cannot_be_used_is_no_draft(
    project: Project, file: Path
) -> None:
    match = {"userMessage": "else", "sequenceIndex": 0}
    entries = [
        {"match": match, "response": {"content": "first"}},
        {"match": {"userMessage": "else"}, "response": {"content": "later"}, "chaos": {}},
    ]
    file.write_text(json.dumps({"fixtures": entries}))
    ran = project.run("import", file, "--log", project.log)
    assert ran.code == 1
    assert "fixtures[0]: its sequence has fixtures[1], which is skipped\n" in ran.out
    assert "fixtures[1]: chaos damages the reply on purpose\n" in ran.out
    assert drafts(project.folder) == {}


def test_drafts_and_fixtures_are_kept(project: Project, file: Path) -> None:
    catch_all = {"fixtures": [{"match": {}, "response": {"content": "new"}}]}
    project.run("import", file, "--log", project.log)
    project.run("promote", project.log, DIGESTS[2], "--content", "mine")
    before = drafts(project.folder)
    file.write_text(json.dumps(catch_all))
    ran = project.run("import", file, "--log", project.log, "--format", "json")
    assert [row["reason"] for row in ran.rows] == [
        f"{DIGESTS[0]} has a draft already",
        f"{DIGESTS[1]} has a draft already",
        f"{DIGESTS[2]} has a fixture already",
    ]
    assert drafts(project.folder) == before
    assert project.fixture(DIGESTS[2])["response"]["content"] == "mine"


def test_without_a_log_it_says_how_to_go_on(project: Project, file: Path) -> None:
    ran = project.run("import", file)
    assert ran.code == 1
    assert f"skipped   {file} fixtures[0]: an aimock fixture has no request\n" in ran.out
    assert "run the suite (workbench run -- COMMAND), import the file again" in ran.err
    assert drafts(project.folder) == {}


def test_fixtures_of_other_endpoints_are_no_finding(project: Project, file: Path) -> None:
    entry = {"match": {"inputText": "x"}, "response": {"embedding": [0.1]}}
    file.write_text(json.dumps({"fixtures": [entry]}))
    ran = project.run("import", file)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("fixtures[0]: it does not answer chat requests\n")


def test_a_broken_file(project: Project, file: Path) -> None:
    file.write_text('{"fixtures": {"match": {}}}')
    ran = project.run("import", file, "--log", project.log)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"workbench import: error: {file}: fixtures is an object, not a list\n"


def test_the_application_has_the_drafts(project: Project, file: Path) -> None:
    project.write_log(missed(WEATHER, OTHER))
    assert project.run("import", file, "--log", project.log).err.endswith(
        f"review the drafts: workbench --log {project.log}\n"
    )

    async def start() -> None:
        async with application(project.folder, [WEATHER, OTHER]) as running:
            await running.until(lambda: "1 draft of the last session is back." in running.status)
            await running.press("enter")
            await running.until_shown("no problems")
            await running.press("ctrl+s")
            await running.until(lambda: (running.fixtures / f"{DIGESTS[0]}.json").exists())
            # While it runs, another program writes one for what is now the selected miss.
            write_draft(project.folder, DIGESTS[2], "imported meanwhile")
            await running.until_shown("imported meanwhile")
            await running.until(lambda: state_of(running.session, DIGESTS[2]).kind == "draft")

    asyncio.run(start())
    assert project.fixture(DIGESTS[0])["response"]["tool_calls"][0]["function"]["name"]
