"""``workbench misses``."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from tests import reference
from tests.cli.running import Project, command
from tests.core.misses.test_index import DRESSES
from tests.core.text.test_inert import acts
from tests.session.support import (
    LISTENING,
    access_line,
    chat,
    dump_line,
    hash_line,
    missed,
    second_turn,
    tool,
)
from workbench.core.apis.table import view
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import digest
from workbench.core.log.lines import (
    asked_line,
    load_failed_line,
    note_line,
    served_line,
    unsupported_line,
)
from workbench.core.text.digests import short

KEYS = [
    "digest", "model", "last_user_text", "api", "turn", "conversation", "count", "first_seen",
    "last_seen", "run", "tests", "hosts", "has_dump", "state", "ignored", "held", "variants",
    "test",
]  # fmt: skip
TESTS = ["test_weather", "test_both"]
GOOD = '{"response": {"content": "x"}}'
HOSTILE = (
    "\x1b]52;c;aGk=\x07 [/bold] \x00\x9b31m\u202eevil\u2066 \u2028next\u2029 \x7f\ud83d \ufeff"
)


def local(time: str) -> str:
    """A local time in RFC 3339."""
    return datetime.fromisoformat(time).astimezone().isoformat()


def listed(project: Project, *arguments: str) -> list[dict[str, Any]]:
    ran = project.run("misses", project.log, "--format", "json", *arguments)
    assert isinstance(ran.rows, list)
    return ran.rows


# The reference log


def assert_is_reference(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == 108
    assert sum(row["count"] for row in rows) == 319
    assert len({row["digest"] for row in rows}) == 108
    assert all(row["has_dump"] and row["variants"] >= 1 for row in rows)


def test_the_reference_log_from_a_pipe() -> None:
    piped = subprocess.Popen(["cat", reference.LOG], stdout=subprocess.PIPE)
    with piped:
        assert piped.stdout is not None
        descriptor = piped.stdout.fileno()
        log = f"/dev/fd/{descriptor}"
        ran = command("misses", log, "--format", "json", pass_fds=[descriptor], timeout=60)
    assert_is_reference(json.loads(ran.stdout))


@pytest.mark.parametrize("dress", DRESSES.values(), ids=DRESSES)
def test_the_reference_log(project: Project, dress: Callable[[bytes], bytes]) -> None:
    project.write_log(dress(reference.LOG.read_bytes()))
    rows = listed(project)
    assert_is_reference(rows)
    assert rows[0] == {
        "digest": "c62fad60235ad0da83bdd062890debb76773ee95c0bbdded76088f6febe83fa8",
        "count": 1,
        "model": "gpt-4o-mini",
        "last_user_text": "weather in London?",
        "first_seen": local("2026-11-20T10:09:22"),
        "last_seen": local("2026-11-20T10:09:22"),
        "has_dump": True,
        "state": "missing",
        "ignored": False,
        "held": False,
        "variants": 1,
        "run": 1,
        "api": "chat",
        "turn": 1,
        "conversation": "aa3b4c074b7d66951691435fcf2c67d8",
        "tests": [],
        "hosts": [],
        "test": None,
    }


def test_the_reference_log_as_standard_input(project: Project) -> None:
    project.fixtures.mkdir()
    words = ["misses", "-", "--format", "json"]
    ran = command(*words, input=reference.LOG.read_bytes(), cwd=project.folder)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert_is_reference(json.loads(ran.stdout))


# Requests that the server does not speak


def unsupported(method: str, path: str) -> str:
    asked = UnsupportedRequest.of(method, path)
    assert asked is not None
    at = f'127.0.0.1 - - [20/Nov/2026 10:10:00] "{method} {path} HTTP/1.1" 400 -\n'
    return unsupported_line(asked) + at


def test_an_unsupported_request_is_a_row(project: Project) -> None:
    project.write_log(*[unsupported("POST", "/v1/completions")] * 2)
    (row,) = listed(project)
    assert "use_responses_api=False" in " ".join(row.pop("advice"))
    assert row == {
        **dict.fromkeys(["digest", "model", "last_user_text"]),
        **dict.fromkeys(["has_dump", "ignored", "held"], False),
        "state": "unsupported",
        "count": 2,
        "variants": 0,
        "first_seen": local("2026-11-20T10:10:00"),
        "last_seen": local("2026-11-20T10:10:00"),
        "run": 1,
        "api": None,
        "turn": None,
        "conversation": None,
        "tests": [],
        "hosts": [],
        "test": None,
        "method": "POST",
        "path": "/v1/completions",
        "reason": "this server does not support legacy completions",
    }


def test_an_unsupported_request_fails_the_suite(project: Project) -> None:
    project.fixtures.mkdir()
    (project.fixtures / f"{digest(chat('answered'))}.json").write_text(GOOD)
    first_run = [LISTENING, unsupported("POST", "/v1/moderations")]
    project.write_log(*first_run, LISTENING, missed(chat("answered")))
    assert project.run("misses", project.log, "--fail").code == 1
    assert project.run("misses", project.log, "--fail", "--run", "last").code == 0


def test_the_text_says_what_to_switch(project: Project) -> None:
    project.write_log(missed(chat("a")), unsupported("POST", "/v1/completions"))
    ran = project.run("misses", project.log)
    first, second = ran.out.splitlines()
    assert first.startswith("missing     1  ")
    reason = "this server does not support legacy completions"
    assert second == f"unsupported 1  POST /v1/completions: {reason}"
    assert "note: 1 request without a fixture (sent once)\n" in ran.err
    assert "note: 1 unsupported request\n" in ran.err
    assert f"  {reason}. Instead:\n    openai: client.chat.completions.create()\n" in ran.err
    assert '    openai-agents: set_default_openai_api("chat_completions")\n' in ran.err


def test_a_reason_that_is_a_sentence_ends_once(project: Project) -> None:
    asked = UnsupportedRequest.of("GET", "/v1/responses/resp_1", "resp_1 was not found.")
    assert asked is not None
    project.write_log(unsupported_line(asked))
    assert "  resp_1 was not found. Instead:\n" in project.run("misses", project.log).err


def test_an_unsupported_request_that_does_no_harm(project: Project) -> None:
    project.write_log(unsupported("POST", "/v1/moderations"), unsupported("POST", "/v1/rerank"))
    assert project.run("ignore", project.log, "POST /v1/moderations", "--reason", "x").code == 0
    ran = project.run("misses", project.log, "--fail")
    assert (ran.code, ran.out.split()[0]) == (1, "ignored")
    assert "note: 1 unsupported request\n" in ran.err
    assert "moderations" not in ran.err
    assert project.run("ignore", project.log, "POST /v1/rerank", "--reason", "x").code == 0
    assert project.run("misses", project.log, "--fail").code == 0
    rows = project.run("misses", project.log, "--format", "json").rows
    assert [(row["state"], row["ignored"]) for row in rows] == [("unsupported", True)] * 2
    ran = project.run("ignore", project.log, "POST /v1/other", "--reason", "x")
    assert (ran.code, "POST /v1/other" in ran.err) == (2, True)


def test_nothing_of_an_unsupported_request_acts(project: Project) -> None:
    hostile = HOSTILE.replace("\ud83d", "")
    project.write_log(f"[mock-llm] unsupported request POST /v1/x: {hostile}\n")
    ran = project.run("misses", project.log)
    assert ran.out.startswith("unsupported 1  POST /v1/x: ")
    assert len(ran.out.splitlines()) == 1
    assert not any(acts(character) for character in (ran.out + ran.err).replace("\n", ""))


def test_nothing_is_written_by_looking(project: Project) -> None:
    project.write_log(reference.LOG.read_bytes())
    listed(project)
    assert sorted(os.listdir(project.folder)) == ["pyproject.toml", "suite.log"]


# JSON


def test_the_shape_of_a_row(project: Project) -> None:
    project.write_log(hash_line(chat("no dump")), missed(chat("a"), chat("a", tools=[tool()])))
    first, second = listed(project)
    assert list(first) == list(second) == KEYS
    assert first == {
        **dict.fromkeys(KEYS),
        "digest": digest(chat("no dump")),
        "count": 1,
        "has_dump": False,
        "state": "missing",
        "ignored": False,
        "held": False,
        "variants": 0,
        "run": 1,
        "api": "chat",
        "tests": [],
        "hosts": [],
        "test": None,
    }
    assert (second["count"], second["variants"], second["model"]) == (2, 2, "gpt-4o")
    assert second["last_user_text"] == view(chat("a")).last_user_text


def test_the_states(project: Project) -> None:
    payloads = [chat(text) for text in ("missing", "broken", "unusable", "answered", "ignored")]
    project.write_log(missed(*payloads, second_turn()))
    project.fixtures.mkdir()
    _, broken, unusable, answered, ignored = map(digest, payloads)
    (project.fixtures / f"{broken}.json").write_text("{")
    (project.fixtures / f"{unusable}.json").write_text('{"response": {"content": 5}}')
    (project.fixtures / f"{answered}.json").write_text(GOOD)
    (project.fixtures / "workbench-ignore.txt").write_text(f"{ignored} wanted\n{answered}\n")
    assert [(row["state"], row["ignored"]) for row in listed(project)] == [
        ("missing", False),
        ("broken", False),
        ("broken", False),
        ("answered", True),
        ("missing", True),
        ("missing", False),
    ]
    said = (
        "workbench misses: note: 6 requests without a fixture (sent 6 times), 2 broken, 2 ignored\n"
    )
    assert project.run("misses", project.log).err == said


def test_what_its_server_could_not_load_is_broken(project: Project) -> None:
    payload = chat("broken")
    at = f"{digest(payload)}.json"

    def states(where: str) -> list[str]:
        project.write_log(load_failed_line(where, "bad"), missed(payload, chat("missing")))
        return [row["state"] for row in listed(project)]

    # There is no folder here to look at.
    assert states(f"/srv/fixtures/{at}") == states(f"fixtures/{at}") == ["broken", "missing"]
    project.fixtures.mkdir()
    assert states(f"/srv/fixtures/{at}") == states(at) == ["broken", "missing"]
    # It was in this folder, and is gone since.
    assert states(f"{project.fixtures}/{at}") == states(f"fixtures/{at}") == ["missing", "missing"]
    (project.fixtures / at).write_text(GOOD)
    assert states(f"/srv/fixtures/{at}") == ["answered", "missing"]


def test_a_fixture_that_was_broken_once(project: Project) -> None:
    payload = chat()
    failed = load_failed_line(f"/srv/{digest(payload)}.json", "bad")
    for rest in (missed(payload), LISTENING + missed(payload)):
        project.write_log(failed, missed(payload), rest)
        assert [row["state"] for row in listed(project)] == ["missing"]
    project.write_log(failed, LISTENING, missed(payload))
    assert [row["state"] for row in listed(project)] == ["missing"]


def test_an_empty_log_has_an_empty_list(project: Project) -> None:
    project.write_log(b"")
    assert listed(project) == []
    assert project.run("misses", project.log) == (
        0,
        "",
        "workbench misses: note: no request without a fixture\n",
    )


def test_text_of_requests_survives(project: Project) -> None:
    text = HOSTILE.replace("\ud83d", "") + "naïve café 🚀"
    project.write_log(missed(chat(text)))
    assert listed(project)[0]["last_user_text"] == text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_utf_8_whatever_the_terminal(project: Project, encoding: str) -> None:
    project.write_log(missed(chat("naïve 🚀 “x”")))
    data = project.printed(encoding, "misses", project.log, "--format", "json")
    assert json.loads(data.decode("utf-8"))[0]["last_user_text"] == "naïve 🚀 “x”"
    expected = "naïve 🚀 “x”".encode(encoding, "backslashreplace")
    assert expected in project.printed(encoding, "misses", project.log)


# Text


def test_the_text_form(project: Project) -> None:
    project.write_log(
        missed(chat("weather in London?"), chat("weather in London?")), hash_line(chat("b")),
        dump_line({}),
    )  # fmt: skip
    project.fixtures.mkdir()
    (project.fixtures / f"{digest(chat('b'))}.json").write_text(GOOD)
    code, out, err = project.run("misses", project.log)
    london, b, empty = digest(chat("weather in London?")), digest(chat("b")), digest({})
    assert out.splitlines() == [
        f"missing     2  {london}  gpt-4o          weather in London?",
        f"answered    1  {b}  ?               (request not in the log)",
        f"missing     1  {empty}  gpt-4o-mini     ",
    ]
    assert (code, err) == (
        0,
        "workbench misses: note: 3 requests without a fixture (sent 4 times), 1 answered since\n",
    )


def test_one_is_one(project: Project) -> None:
    project.fixtures.mkdir()
    project.write_log(missed(chat()))
    assert (
        project.run("misses", project.log).err
        == "workbench misses: note: 1 request without a fixture (sent once)\n"
    )


@pytest.mark.parametrize("command", ["misses", "explain", "adopt"])
def test_a_folder_that_is_not_there_is_told(project: Project, command: str) -> None:
    # Its fixtures may be elsewhere, and none of this is missing.
    warns = f"workbench {command}: warning: the folder fixtures does not exist yet"
    told = f"{warns}; name another folder with --fixtures DIR"
    project.write_log(missed(chat()))
    assert project.run(command, project.log).err.splitlines()[0] == told
    listening = "[mock-llm] listening on http://127.0.0.1:7897 (fixtures: elsewhere)\n"
    project.write_log(listening, missed(chat()))
    reads = "warning: the server of the log reads elsewhere; the folder"
    named = told.replace("warning: the folder", reads)
    assert project.run(command, project.log).err.splitlines()[0] == named
    project.write_log(listening.replace("elsewhere", "fixtures"), missed(chat()))
    same = project.run(command, project.log).err
    created = "it is created with the first answer"
    assert same.splitlines()[0] == f"{warns}; {created}"
    given = project.run(command, project.log, "--fixtures", "other").err
    assert given.splitlines()[0] == f"{warns}; {created}".replace("fixtures", "other")
    project.fixtures.mkdir()
    assert "no folder" not in project.run(command, project.log).err


def test_an_ignored_miss_says_so(project: Project) -> None:
    project.write_log(missed(chat()))
    project.fixtures.mkdir()
    (project.fixtures / "workbench-ignore.txt").write_text(f"{digest(chat())} wanted\n")
    ran = project.run("misses", project.log)
    assert ran.out.startswith("ignored ")
    assert "1 ignored" in ran.err


def test_control_characters_of_requests_never_reach_the_terminal(project: Project) -> None:
    hostile = HOSTILE.replace("\ud83d", "")
    payloads = [
        {"model": hostile, "messages": [{"role": "user", "content": hostile * 3}]},
        {"model": "m\n" * 9, "messages": [{"role": "user", "content": "two\nlines\r" + hostile}]},
        chat("x" * 5000 + hostile),
    ]
    project.write_log(missed(*payloads))
    ran = project.run("misses", project.log)
    assert len(ran.out.split("\n")) == 4
    assert not any(acts(character) for character in ran.out.replace("\n", ""))
    assert "\\x1b]52;c;aGk=\\x07 [/bold]" in ran.out
    assert max(map(len, ran.out.splitlines())) < 200


def test_lines_that_cannot_be_read_are_talk(project: Project) -> None:
    project.write_log('[mock-llm] request: {"a": \x1b}\n', missed(chat()))
    code, out, err = project.run("misses", project.log)
    assert code == 0
    assert out.count("\n") == 1
    assert "warning: cannot read a line of the log: the body is not JSON" in err
    assert "\x1b" not in err


# Runs


def test_the_last_run_alone(project: Project) -> None:
    project.write_log(
        LISTENING, missed(chat("a"), chat("b")), LISTENING, missed(chat("b"), chat("c")), LISTENING
    )
    assert [row["run"] for row in listed(project)] == [1, 2, 2]
    assert [row["run"] for row in listed(project, "--run", "all")] == [1, 2, 2]
    last = listed(project, "--run", "last")
    assert [row["digest"] for row in last] == [digest(chat("b")), digest(chat("c"))]


@pytest.mark.parametrize("hit", [served_line(digest(chat("a"))), access_line("10:00:00")])
def test_a_last_run_without_a_miss_has_none(project: Project, hit: str) -> None:
    project.write_log(LISTENING, missed(chat("a")), access_line("09:00:00"), LISTENING, hit)
    assert len(listed(project)) == 1
    assert listed(project, "--run", "last") == []
    assert project.run("misses", project.log, "--run", "last", "--fail").code == 0
    assert project.run("misses", project.log, "--fail").code == 1


def test_each_log_is_a_run(project: Project) -> None:
    logs = []
    for number, texts in enumerate(["ab", "bc"]):
        logs.append(project.folder / f"{number}.log")
        logs[-1].write_text(missed(*(chat(text) for text in texts)))
    logs[1].write_text(logs[1].read_text() + access_line("10:00:00"))
    rows = project.run("misses", *logs, "--format", "json").rows
    assert [row["first_seen"] for row in rows] == [None, *[local("2026-11-20T10:00:00")] * 2]
    assert [(row["count"], row["run"]) for row in rows] == [(1, 1), (2, 2), (1, 2)]
    last = project.run("misses", *logs, "--format", "json", "--run", "last").rows
    assert [row["digest"] for row in last] == [digest(chat("b")), digest(chat("c"))]


def test_a_log_that_ends_in_a_line_is_read_to_its_end(project: Project) -> None:
    project.write_log(missed(chat("a")), missed(chat("b")).removesuffix("\n"))
    assert [row["has_dump"] for row in listed(project)] == [True, True]


# Exit codes


def test_fail_is_about_what_is_missing(project: Project) -> None:
    project.write_log(missed(chat("a"), chat("b")))
    first, second = digest(chat("a")), digest(chat("b"))
    assert project.run("misses", project.log).code == 0
    assert project.run("misses", project.log, "--fail").code == 1
    project.fixtures.mkdir()
    (project.fixtures / f"{first}.json").write_text(GOOD)
    assert project.run("misses", project.log, "--fail", "--format", "json").code == 1
    assert [row["digest"] for row in listed(project, "--open")] == [second]
    (project.fixtures / "workbench-ignore.txt").write_text(f"{second} wanted\n")
    assert project.run("misses", project.log, "--fail").code == 0
    assert listed(project, "--open") == []
    (project.fixtures / f"{first}.json").write_text("{")
    assert project.run("misses", project.log, "--fail").code == 1


NO_LOG = b"Everything is fine.\n"
LOG_WITHOUT_MISSES = (LISTENING + served_line("0" * 64)).encode()


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", NO_LOG, b'{"request": {}}\n', gzip.compress(b""), gzip.compress(NO_LOG)],
    ids=["empty", "blank", "other text", "JSON", "empty gzip", "other gzip"],
)
def test_fail_wants_a_log(project: Project, content: bytes) -> None:
    project.write_log(content)
    ran = project.run("misses", project.log, "--fail")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        f"workbench misses: error: {project.log} does not look like a server log"
    )
    assert project.run("misses", project.log).code == 0


@pytest.mark.parametrize("content", [b"", NO_LOG])
def test_fail_wants_a_log_from_standard_input(project: Project, content: bytes) -> None:
    ran = project.run("misses", "-", "--fail", data=content)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(
        "workbench misses: error: standard input does not look like a server log"
    )


@pytest.mark.parametrize(
    "content",
    [
        LISTENING.encode(),
        LOG_WITHOUT_MISSES,
        gzip.compress(LOG_WITHOUT_MISSES),
        note_line("recorded fixture").encode(),
        access_line("10:09:22").encode(),
        b"app | " + LISTENING.encode(),
    ],
    ids=["started", "hits", "gzip", "a note", "cut to requests", "prefixed"],
)
def test_a_log_without_misses_does_not_fail(project: Project, content: bytes) -> None:
    project.write_log(content)
    assert project.run("misses", project.log, "--fail").code == 0


def test_each_of_several_logs_has_to_be_one(project: Project) -> None:
    project.write_log(LOG_WITHOUT_MISSES)
    other = project.folder / "other.log"
    other.write_bytes(NO_LOG)
    ran = project.run("misses", project.log, other, "--fail")
    assert ran.code == 2
    assert ran.err.startswith(f"workbench misses: error: {other} does not look like a server log")
    assert project.run("misses", project.folder, "--fail").code == 2


def test_the_fixtures_folder_can_be_named(project: Project) -> None:
    project.write_log(missed(chat()))
    other = project.folder / "canned"
    other.mkdir()
    (other / f"{digest(chat())}.json").write_text(GOOD)
    assert listed(project)[0]["state"] == "missing"
    assert listed(project, "--fixtures", "canned")[0]["state"] == "answered"
    project.settings('fixtures = "canned"')
    assert listed(project)[0]["state"] == "answered"


@pytest.mark.parametrize(
    ("log", "words"),
    [
        ("none.log", "no such file or directory"),
        (".", "is a directory; name the logs in it: './*.log'"),
    ],
)
def test_a_log_that_cannot_be_read(project: Project, log: str, words: str) -> None:
    project.write_log(missed(chat()))
    assert project.run("misses", project.log, log, "--fail") == (
        2,
        "",
        f"workbench misses: error: {log}: {words}\n",
    )


def test_settings_that_are_wrong_are_named(project: Project) -> None:
    project.write_log(missed(chat()))
    project.settings("port = 70000")
    code, out, err = project.run("misses", project.log)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "[tool.workbench] port" in err


def test_a_log_is_asked_for(project: Project) -> None:
    ran = project.run("misses")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no log: neither .workbench/run.log nor mock-llm.log exists here" in ran.err
    assert "workbench run -- COMMAND" in ran.err


def test_requests_of_one_digest_that_differ_are_told(project: Project) -> None:
    one, other = chat("a"), chat("a", tools=[tool()], temperature=0)
    project.write_log(missed(one, other), missed(chat("b")))
    ran = project.run("misses", project.log)
    assert ran.err.splitlines()[-1] == (
        f"workbench misses: warning: 2 requests share the digest {short(digest(one))} and differ "
        "in temperature, tools; one fixture answers all of them"
    )
    assert ran.err.count(" share the digest ") == 1
    assert " share " not in project.run("misses", project.log, "--format", "json").err


def test_which_test_asked_is_listed_and_can_be_chosen(project: Project) -> None:
    weather, plan = chat("weather"), chat("plan")
    speech = UnsupportedRequest("POST", "/v1/audio/speech", "not supported")
    project.write_log(
        missed(weather, plan),
        asked_line("tests/test_agent.py::test_weather", digest(weather)),
        asked_line("tests/test_agent.py::test_both", digest(weather)),
        asked_line("tests/test_agent.py::test_both", digest(plan)),
        unsupported_line(speech),
        asked_line("tests/test_voice.py::test_speaks", str(speech)),
    )
    rows = listed(project)
    assert [row["test"].rpartition("::")[2] for row in rows] == [
        "test_weather",
        "test_both",
        "test_speaks",
    ]
    assert rows[0]["tests"] == [f"tests/test_agent.py::{name}" for name in TESTS]
    assert listed(project, "--test", "AGENT.py::test_w") == rows[:1]
    assert listed(project, "--test", "test_both") == rows[:2]
    assert listed(project, "--test", "speaks") == rows[2:]
    first, second, third = project.run("misses", project.log).out.splitlines()
    assert first.endswith("weather  asked by tests/test_agent.py::test_weather and 1 more")
    assert second.endswith("plan  asked by tests/test_agent.py::test_both")
    assert third.endswith("not supported  asked by tests/test_voice.py::test_speaks")


def test_the_turns_of_a_conversation_are_told(project: Project) -> None:
    changed = second_turn(answer="another answer")
    project.write_log(missed(chat(), chat("other"), second_turn(), changed), hash_line(chat("x")))
    first, other, second, third, unknown = listed(project)
    assert [row["turn"] for row in (first, other, second, third)] == [1, 1, 2, 2]
    assert first["conversation"] == second["conversation"] == third["conversation"]
    assert first["conversation"] != other["conversation"]
    assert (unknown["turn"], unknown["conversation"]) == (None, None)


def test_times_have_the_offset_of_the_machine(project: Project) -> None:
    """The log has local times without one."""
    code = "import sys; from workbench.cli.main import main; main(sys.argv[1:])"
    project.write_log(missed(chat()), access_line("10:00:00"))
    ran = subprocess.run(
        [sys.executable, "-c", code, "misses", project.log, "--format", "json"],
        env={**os.environ, "TZ": "Asia/Kolkata"},
        capture_output=True,
        check=True,
    )
    (row,) = json.loads(ran.stdout)
    assert row["last_seen"] == "2026-11-20T10:00:00+05:30"
