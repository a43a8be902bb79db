"""``workbench explain``."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from tests.cli.running import Project
from tests.core.fixture.rules.rule_cases import KEY
from tests.equivalent_requests import conversation
from tests.session.support import chat, hash_line, missed
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.replies.profile_names import ProfileName


def news(day: int) -> dict[str, Any]:
    said = [
        {"role": "system", "content": f"Today is 2026-11-{day}."},
        {"role": "user", "content": "What is new?"},
    ]
    return {"model": "gpt-4o", "messages": said}


TODAY = digest(news(20))
YESTERDAY = digest(news(19))
JOKE = digest(chat("a joke"))


def write(project: Project, payload: dict[str, Any], **more: Any) -> str:
    project.fixtures.mkdir(exist_ok=True)
    found = digest(payload)
    text = new_document(found, {"content": "x"}, request=payload, **more).text
    (project.fixtures / f"{found}.json").write_text(text)
    return found


@pytest.fixture
def days(project: Project) -> Project:
    write(project, news(19))
    project.write_log(missed(news(20)), missed(chat("a joke")), hash_line(chat("no dump")))
    return project


def test_the_same_request_on_another_day(days: Project) -> None:
    ran = days.run("explain", days.log, TODAY[:8])
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.split("\n") == [
        f"{TODAY}  the same request but for a date: fixtures/{YESTERDAY}.json",
        "messages[0].content system, character 9, a date",
        "  - 2026-11-19",
        "  + 2026-11-20",
        f"if this changed once:  workbench rekey {YESTERDAY} {TODAY} --log {days.log}",
        "if your test sets it:  freeze the clock in the test",
        'if your prompt must contain it:  [tool.workbench] normalise = ["date"]',
        "",
    ]


@pytest.mark.parametrize(
    ("edited", "is_said"),
    [
        ({**news(19), "model": "gpt-5"}, True),
        (
            {**chat("What is new?"), "messages": [*news(19)["messages"], *chat("?")["messages"]]},
            False,
        ),
    ],
)
def test_an_edited_prompt_or_model_has_a_way_of_its_own(
    days: Project, edited: dict[str, Any], is_said: bool
) -> None:
    days.write_log(missed(edited))
    ran = days.run("explain", days.log, digest(edited))
    assert f"fixtures/{YESTERDAY}.json" in ran.out
    said = f"if prompt or model changed on purpose:  workbench rekey {YESTERDAY[:12]}"
    lines = [line for line in ran.out.splitlines() if line.startswith(said)]
    assert len(lines) == is_said
    for line in lines:
        command = shlex.split(line.partition(":  workbench ")[2])
        assert days.run(*command).code == 0
        assert (days.fixtures / f"{digest(edited)}.json").exists()


def with_secret(day: int, model: str = "gpt-4o") -> dict[str, Any]:
    system, question = news(day)["messages"]
    asked = {**question, "content": f"What is new? Use {KEY}."}
    return {"model": model, "messages": [system, asked]}


@pytest.mark.parametrize("before", [with_secret(19), with_secret(20, "gpt-5")])
def test_a_request_with_a_secret_gets_no_command_that_leaves_it_out(
    project: Project, before: dict[str, Any]
) -> None:
    write(project, before)
    project.write_log(missed(with_secret(20)))
    ran = project.run("explain", project.log)
    assert "workbench rekey" not in ran.out
    # The command for several misses is one for the others.
    project.write_log(missed(with_secret(20)), missed(news(20)))
    write(project, news(19))
    several = project.run("explain", project.log).out
    assert several.count("contains what looks like an API key") == 1
    assert f"workbench rekey {YESTERDAY} {TODAY}" in several
    assert "contains what looks like an API key (sk-…f3a). Remove it from the request" in ran.out


def test_a_fixture_that_cannot_be_sent_is_the_explanation(days: Project) -> None:
    path = days.fixtures / f"{TODAY}.json"
    path.write_text("{")
    ran = days.run("explain", days.log, TODAY)
    assert (ran.code, len(ran.out.splitlines())) == (0, 1)
    said = f"{TODAY}  its own fixture cannot be sent: fixtures/{TODAY}.json:1:2: "
    assert ran.out.startswith(said)


def test_json_has_the_agreed_shape(days: Project) -> None:
    assert days.run("explain", days.log, TODAY, "--format", "json").rows == {
        "digest": TODAY,
        "nearest": {
            "digest": YESTERDAY,
            "path": f"fixtures/{YESTERDAY}.json",
            "same_but_volatile": True,
            "score": 1.0,
            "differences": [
                {
                    "where": "messages[0].content",
                    "role": "system",
                    "before": "2026-11-19",
                    "after": "2026-11-20",
                    "before_start": 9,
                    "after_start": 9,
                    "kind": "date",
                }
            ],
            "guess": False,
            "equivalent": False,
            "profile": None,
            "shared_messages": 2,
            "messages": 2,
            "others": [],
            "normalise": ["date"],
        },
    }
    ran = days.run("explain", days.log, JOKE, "--format", "json")
    assert ran.rows == {"digest": JOKE, "nearest": None}


def test_another_nearest_has_its_score_and_its_differences(days: Project) -> None:
    asked = news(20)
    asked["messages"][1]["content"] = "What is old?"
    days.write_log(missed(asked))
    out = days.run("explain", days.log, digest(asked)).out.split("\n")
    head, *lines = out
    assert head.startswith(f"{digest(asked)}  nearest 0.8")
    assert head.endswith(f"1 of 2 messages shared  fixtures/{YESTERDAY}.json")
    assert lines[3:6] == [
        "messages[1].content user, character 8",
        "  - What is new?",
        "  + What is old?",
    ]
    assert "rekey" not in "".join(lines)


def test_an_equivalent_fixture_answers_and_what_differs_is_listed(project: Project) -> None:
    stored = write(project, conversation("stub"))
    asked = conversation("openai")
    project.write_log(missed(asked))
    ran = project.run("explain", project.log, digest(asked))
    path = f"fixtures/{stored}.json"
    assert ran == (
        0,
        f"{digest(asked)}  equivalent to {path}, which answers it; these parts differ:\n"
        "messages[1].content assistant: null instead of an empty text\n"
        "messages[1].tool_calls[0].index assistant\n"
        "  - 0\n"
        "cause: the application got its earlier reply in profile openai, but the fixture was made "
        "in profile stub\n"
        'to use one profile:  [tool.workbench] profile = "openai"\n',
        "",
    )
    row = project.run("explain", project.log, digest(asked), "--format", "json").rows["nearest"]
    assert (row["digest"], row["equivalent"], row["profile"]) == (stored, True, "openai")


def test_a_fixture_without_ids_of_calls_is_equivalent(project: Project) -> None:
    stored = write(project, conversation("openai", ids=("call_0",)))
    asked = conversation("openai")
    project.write_log(missed(asked))
    assert project.run("explain", project.log, digest(asked)).out == (
        f"{digest(asked)}  equivalent to fixtures/{stored}.json, which answers it; "
        "these parts differ:\n"
        "messages[1].tool_calls[0].id assistant, character 0, a call id\n  - call_0\n  + call_a\n"
        "messages[2].tool_call_id tool, character 0, a call id\n  - call_0\n  + call_a\n"
    )


@pytest.mark.parametrize("asked", ["stub", "openai"])
def test_another_profile_is_the_cause_only_where_nothing_else_differs(
    project: Project, asked: ProfileName
) -> None:
    write(project, conversation("stub" if asked == "openai" else "openai"))
    request = conversation(asked)
    project.write_log(missed(request))
    assert f'profile = "{asked}"' in project.run("explain", project.log, digest(request)).out
    call = request["messages"][1]["tool_calls"][0]
    call["function"]["arguments"] = '{"city": "London"}'
    project.write_log(missed(request))
    out = project.run("explain", project.log, digest(request)).out
    assert "equivalent to" in out
    assert "profile" not in out


def test_a_miss_that_has_its_fixture_is_not_said_to_have_none(days: Project) -> None:
    days.write_log(missed(chat("a joke")))
    write(days, chat("a joke"))
    ran = days.run("explain", days.log, JOKE)
    assert ran == (0, f"{JOKE}  answered by its own fixture\n", "")
    ran = days.run("explain", days.log)
    assert ran == (0, "", "workbench explain: note: every miss has an answer\n")


def test_a_log_without_misses_is_not_said_to_have_them(days: Project) -> None:
    days.write_log("[mock-llm] listening on http://127.0.0.1:1 (fixtures: fixtures)\n")
    ran = days.run("explain", days.log)
    assert ran == (0, "", "workbench explain: note: no miss in the log\n")


def test_without_a_digest_every_open_miss_is_explained(days: Project) -> None:
    ran = days.run("explain", days.log)
    assert "the same request but for a date" in ran.out
    assert f"{JOKE}  no similar fixture" in ran.out
    assert f"workbench rekey --all --log {days.log}" in ran.out
    assert 'if your prompt must contain it:  [tool.workbench] normalise = ["date"]' in ran.out
    assert f"the request of {digest(chat('no dump'))} is not in the log" in ran.err
    rows = days.run("explain", days.log, "--format", "json").rows
    assert [bool(row["nearest"]) for row in rows] == [True, False, False]


def test_several_that_are_the_same_on_another_day_are_all_named(days: Project) -> None:
    other = write(days, news(18))
    ran = days.run("explain", days.log, TODAY)
    assert ran.out.startswith(f"{TODAY}  the same request but for a date: fixtures/")
    assert sorted(line.split("/")[-1] for line in ran.out.split("\n")[:2]) == sorted(
        f"{found}.json" for found in (YESTERDAY, other)
    )


def test_a_guess_is_said_to_be_one(days: Project) -> None:
    value = {"description": "the user wants to hear a joke", "response": {"content": "x"}}
    (days.fixtures / f"{'a' * 64}.json").write_text(json.dumps(value))
    ran = days.run("explain", days.log, JOKE)
    assert f"perhaps fixtures/{'a' * 64}.json (a guess from its description" in ran.out
    assert days.run("explain", days.log, JOKE, "--format", "json").rows["nearest"]["guess"] is True
    assert "1 fixture has no request" in days.run("explain", days.log).err


def test_what_a_request_says_acts_on_nothing(days: Project) -> None:
    asked = news(20)
    asked["messages"][0]["content"] += "\x1b[2J[red]" + "long " * 1000
    days.write_log(missed(asked))
    out = days.run("explain", days.log, digest(asked)).out
    assert "\x1b" not in out
    assert "\\x1b[2J[red]" in out
    assert len(out) < 2000


def test_a_digest_that_is_no_miss_is_wrong_use(days: Project) -> None:
    ran = days.run("explain", days.log, YESTERDAY)
    assert ran.code == 2
    assert "no miss in the log begins with" in ran.err


def test_a_difference_of_white_space_is_seen(project: Project) -> None:
    write(project, chat("What is new?"))
    project.write_log(missed(chat("What is  new?\n")))
    ran = project.run("explain", project.log, digest(chat("What is  new?\n")))
    assert ran.out.split("\n")[1:7] == [
        "messages[0].content user, character 7",
        "  - ·",
        "  + ··",
        "messages[0].content user, character 13",
        '  - ""',
        "  + \\n",
    ]


def test_the_sides_of_a_difference_have_colours(days: Project) -> None:
    lines = days.run("explain", days.log, TODAY, "--color", "always").out.splitlines()
    coloured = [line for line in lines if line.startswith("\x1b")]
    assert coloured[0].startswith("\x1b[1;31m  - ")
    assert coloured[1].startswith("\x1b[32m  + ")
