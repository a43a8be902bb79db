"""``workbench promote``."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests import reference
from tests.cli.running import Project, Ran
from tests.server.upstream_model import WORDS, running_model
from tests.session.support import chat, hash_line, missed, tool
from workbench.core.apis.table import view
from workbench.core.digest import digest
from workbench.core.fixture.names import variant_name
from workbench.core.log.lines import asked_line
from workbench.core.replies.response import FALLBACK_TEXT

PAYLOAD = chat("weather in London?", tools=[tool()])
DIGEST = digest(PAYLOAD)


@pytest.fixture
def log(project: Project) -> Path:
    project.write_log(missed(PAYLOAD), missed(chat("joke")), hash_line(chat("no dump")))
    return project.log


def promote(project: Project, *arguments: str | Path, **options: Any) -> Ran:
    return project.run("promote", project.log, DIGEST, *arguments, **options)


@pytest.mark.usefixtures("log")
class TestAnswers:
    def test_a_text(self, project: Project) -> None:
        text = 'Rain.\n"12 °C" 🚀'
        ran = promote(project, "--content", text)
        assert ran == (0, f"fixtures/{DIGEST}.json\n", "")
        assert project.fixture(DIGEST) == {
            "request_digest": DIGEST,
            "description": 'turn 1: "weather in London?"',
            "response": {"content": text, "finish_reason": "stop"},
            "request": PAYLOAD,
            "workbench": {"source": "edited"},
        }
        data = (project.fixtures / f"{DIGEST}.json").read_text("utf-8")
        assert data == json.dumps(project.fixture(DIGEST), indent=2, ensure_ascii=False) + "\n"
        assert project.files() == [f"{DIGEST}.json"]

    @pytest.mark.parametrize(
        "words",
        [
            ("--content", "…"),
            ("--content", " …\n"),
            ("--content", '{"city": "Rome", "days": ["…"]}'),
            ("--content", '{"city": "\\u2026"}'),
            ("--tool-call", "get_weather", '{"city": "…"}'),
            ("--response", "-"),
            ("--response", "response.json"),
        ],
    )
    def test_the_example_of_a_printed_command(self, project: Project, words: list[str]) -> None:
        response = '{"content": "…"}'.encode()
        (project.folder / "response.json").write_bytes(response)
        ran = promote(project, *words, data=response)
        error = "… stands for your text; replace … with your answer"
        assert ran == (2, "", f"workbench promote: error: {error}\n")
        assert not project.fixtures.exists()

    @pytest.mark.parametrize("text", ["Well …", "……", '{"city": "Rome …"}', "{…", '["…]'])
    def test_a_text_with_an_ellipsis(self, project: Project, text: str) -> None:
        assert promote(project, "--content", text).code == 0

    def test_what_it_is_for(self, project: Project) -> None:
        project.write_log(missed(PAYLOAD), asked_line("tests/test_rain.py::test_rain", DIGEST))
        filled = 'tests/test_rain.py::test_rain, turn 1: "weather in London?"'
        ran = promote(project, "--content", "Rain.", "--dry-run")
        assert json.loads(ran.out)["description"] == filled
        promote(project, "--content", "Rain.")
        assert project.fixture(DIGEST)["description"] == filled
        for description in ("mine", ""):
            words = ("--description", description, "--force")
            assert promote(project, "--content", "Rain.", *words).code == 0
            assert project.fixture(DIGEST)["description"] == description
        assert promote(project, "--content", "Sun.", "--force").code == 0
        assert project.fixture(DIGEST)["description"] == ""

    def test_errors_before_the_answer(self, project: Project) -> None:
        refused = promote(project, "--error", "429", "--first")
        assert refused.code == 2
        assert (
            "does not exist yet: write the answer that all later requests get first" in refused.err
        )
        assert promote(project, "--content", "Rain.").code == 0
        before = project.fixture(DIGEST)
        for status in (429, 503):
            ran = promote(project, "--error", str(status), "--first")
            assert (ran.code, ran.out) == (0, f"fixtures/{DIGEST}.json\n")
        fixture = project.fixture(DIGEST)
        assert fixture.pop("first") == [{"error": {"status": 429}}, {"error": {"status": 503}}]
        assert fixture == before
        ran = promote(project, "--error", "99", "--first")
        assert (ran.code, "first[2].error.status is 99" in ran.err) == (1, True)
        assert project.run("promote", DIGEST[:8], "--error", "500", "--first").code == 0  # no log
        assert project.fixture(DIGEST)["first"][2] == {"error": {"status": 500}}
        assert promote(project, "--error", "429", "--first", "--force").code == 2
        assert "add an answer before it with --first" in promote(project, "--content", "Sun.").err

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ('{"first": {"content": "mine"}, "response": {"content": "x"}}', "1:11: reply-shape"),
            ('{"first": "mine", "response": {"content": "x"}}', "1:11: reply-shape first is a str"),
            ('{"response":', "1:13: invalid-json"),
            ("[]", "1:1: not-an-object"),
        ],
    )
    def test_what_cannot_be_read_is_not_replaced_by_an_error_before_it(
        self, project: Project, text: str, problem: str
    ) -> None:
        project.fixtures.mkdir()
        path = project.fixtures / f"{DIGEST}.json"
        path.write_text(text)
        ran = promote(project, "--error", "429", "--first")
        assert (ran.code, ran.out) == (2, "")
        assert f"error: fixtures/{DIGEST}.json:{problem}" in ran.err
        assert path.read_text() == text

    def test_fixtures_that_begin_alike_are_listed(self, project: Project) -> None:
        project.fixtures.mkdir()
        for end in ("a", "b"):
            path = project.fixtures / f"abcd{end * 60}.json"
            path.write_text('{"response": {"content": "x"}}')
        for option in ("--force", "--first"):
            ran = project.run("promote", "abcd", "--content", "y", option)
            assert (ran.code, ran.out) == (2, "")
            assert "begin with abcd; give more digits: abcdaaaaaaaa, abcdbbbbbbbb" in ran.err

    def test_the_first_request_is_1(self, project: Project) -> None:
        ran = promote(project, "--content", "x", "--variant", "0")
        assert (ran.code, "variant 0: the log has 1 request" in ran.err) == (2, True)

    def test_an_error(self, project: Project) -> None:
        assert promote(project, "--error", "529").code == 0
        assert project.fixture(DIGEST)["response"] == {"error": {"status": 529}}

    def test_a_tool_call(self, project: Project) -> None:
        arguments = '{"city":  "London"}'
        assert promote(project, "--tool-call", "get_weather", arguments).code == 0
        assert project.fixture(DIGEST)["response"] == {
            "content": "",
            "tool_calls": [
                {
                    "index": 0,
                    "id": f"call_{DIGEST[:8]}",
                    "type": "function",
                    "function": {"name": "get_weather", "arguments": arguments},
                }
            ],
            "finish_reason": "tool_calls",
        }

    def test_a_call_of_a_custom_tool(self, project: Project) -> None:
        asked = chat("run it", tools=[{"type": "custom", "custom": {"name": "shell"}}])
        project.write_log(missed(asked))
        call = ("--tool-call", "shell", "ls -l")
        for options in ((), ("--force",)):  # the log may not have the request any more
            ran = project.run("promote", project.log, digest(asked), *call, *options)
            assert (ran.code, ran.err) == (0, "")
            (made,) = project.fixture(digest(asked))["response"]["tool_calls"]
            assert (made["type"], made["custom"]) == ("custom", {"name": "shell", "input": "ls -l"})
            project.write_log("")

    def test_several_tool_calls(self, project: Project) -> None:
        cities = ["London", "Paris"]
        words = [["--tool-call", "get_weather", json.dumps({"city": city})] for city in cities]
        assert promote(project, *words[0], *words[1]).code == 0
        calls = project.fixture(DIGEST)["response"]["tool_calls"]
        assert [(call["index"], call["id"]) for call in calls] == [
            (0, f"call_{DIGEST[:8]}"),
            (1, f"call_{DIGEST[:8]}_1"),
        ]

    def test_a_response(self, project: Project) -> None:
        response = {"finish_reason": "length", "content": "cut", "delay_ms": 5, "_note": [1.0]}
        (project.folder / "response.json").write_text(json.dumps(response))
        assert promote(project, "--response", "response.json").code == 0
        assert project.fixture(DIGEST)["response"] == response

    def test_a_response_from_standard_input(self, project: Project) -> None:
        assert promote(project, "--response", "-", data=b'{"content": "piped"}').code == 0
        assert project.fixture(DIGEST)["response"] == {"content": "piped"}

    def test_what_the_upstream_says(self, project: Project) -> None:
        with running_model() as upstream:
            ran = promote(project, "--upstream", upstream.url, "--description", "asked")
            assert upstream.asked[0][0] == PAYLOAD
        assert ran == (0, f"fixtures/{DIGEST}.json\n", "")
        fixture = project.fixture(DIGEST)
        assert fixture["response"]["content"] == "".join(WORDS)
        assert fixture["workbench"] == {"source": "recorded"}
        assert fixture["description"] == "asked"

    def test_the_upstream_of_the_settings_is_asked(self, project: Project) -> None:
        with running_model() as upstream:
            project.settings(f'upstream = "{upstream.url}"')
            assert promote(project, "--upstream").code == 0
            assert upstream.asked[0][0] == PAYLOAD
        project.settings("")
        ran = promote(project, "--upstream", "--force")
        assert (ran.code, ran.out) == (2, "")
        assert "this command needs --upstream URL, or upstream in" in ran.err

    def test_an_upstream_that_says_nothing(self, project: Project) -> None:
        ran = promote(project, "--upstream", "http://127.0.0.1:9/v1")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("workbench promote: error: 127.0.0.1:9: ")
        assert project.files() == []
        no_dump = digest(chat("no dump"))
        ran = project.run("promote", project.log, no_dump, "--upstream", "http://127.0.0.1:9/v1")
        assert "the log does not contain the request" in ran.err

    def test_the_fallback(self, project: Project) -> None:
        assert promote(project, "--fallback", "--description", "wanted so").code == 0
        value = project.fixture(DIGEST)
        assert value["response"] == {"content": FALLBACK_TEXT, "finish_reason": "stop"}
        assert list(value) == ["request_digest", "description", "response", "request", "workbench"]
        assert value["description"] == "wanted so"

    def test_an_answer_to_a_request_that_was_not_logged(self, project: Project) -> None:
        found = digest(chat("no dump"))
        ran = project.run("promote", project.log, found, "--content", "x")
        assert ran.code == 0
        assert "note: request-not-stored: " in ran.err
        assert "request" not in project.fixture(found)

    def test_without_a_stored_request(self, project: Project) -> None:
        project.settings("store_request = false")
        assert promote(project, "--content", "x").code == 0
        assert "request" not in project.fixture(DIGEST)

    def test_a_request_that_is_too_large_is_stored_without_its_messages(
        self, project: Project
    ) -> None:
        offered = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
        function = {"name": "click", "parameters": offered}
        large = chat("x" * 3_000, tools=[{"type": "function", "function": function}])
        project.settings("store_request_kib = 2")
        project.write_log(missed(large))
        asked = ("promote", project.log, digest(large), "--tool-call", "click")
        wrong = project.run(*asked, '{"x": "left"}')
        assert (wrong.code, project.files()) == (1, [])
        ran = project.run(*asked, '{"x": 1}')
        assert ran.code == 0
        assert "note: The fixture leaves out the messages of its request" in ran.err
        stored = project.fixture(digest(large))["request"]
        assert stored == {"model": "gpt-4o", "tools": large["tools"], "_left_out": ["messages"]}
        assert project.run("validate", "--strict").code == 0
        path = project.fixtures / f"{digest(large)}.json"
        path.write_text(path.read_text().replace(r"{\"x\": 1}", r"{\"x\": []}"))
        assert project.run("validate", "--strict").code == 1

    def test_the_first_digits_are_enough(self, project: Project) -> None:
        assert project.run("promote", project.log, DIGEST[:12], "--content", "x").code == 0
        assert project.files() == [f"{DIGEST}.json"]

    def test_the_log_from_standard_input(self, project: Project) -> None:
        data = project.log.read_bytes()
        assert project.run("promote", "-", DIGEST, "--content", "x", data=data).code == 0
        assert project.files() == [f"{DIGEST}.json"]

    def test_another_folder(self, project: Project) -> None:
        ran = promote(project, "--content", "x", "--fixtures", "canned/deep")
        assert ran.out == f"canned/deep/{DIGEST}.json\n"
        assert (project.folder / "canned/deep" / f"{DIGEST}.json").exists()

    def test_what_is_promoted_is_no_longer_missing(self, project: Project) -> None:
        promote(project, "--content", "x")
        rows = project.run("misses", project.log, "--format", "json").rows
        assert [row["state"] for row in rows] == ["answered", "missing", "missing"]

    def test_promoting_what_is_ignored_takes_it_off_the_list(self, project: Project) -> None:
        project.run("ignore", project.log, DIGEST, "--reason", "wanted")
        promote(project, "--content", "x")
        assert project.files() == [f"{DIGEST}.json"]


@pytest.mark.usefixtures("log")
class TestDryRun:
    def test_it_prints_the_file_and_writes_nothing(self, project: Project) -> None:
        arguments = ["--content", "naïve 🚀", "--description", "note"]
        ran = promote(project, *arguments, "--dry-run")
        assert (ran.code, ran.err) == (0, "")
        assert not project.fixtures.exists()
        assert sorted(os.listdir(project.folder)) == ["pyproject.toml", "suite.log"]
        promote(project, *arguments)
        assert (project.fixtures / f"{DIGEST}.json").read_text("utf-8") == ran.out

    def test_errors_are_told_and_shown(self, project: Project) -> None:
        ran = promote(project, "--tool-call", "get_weather", '{"city": 5}', "--dry-run")
        assert ran.code == 1
        assert "error: arguments-schema: " in ran.err
        assert json.loads(ran.out)["response"]["tool_calls"]
        assert not project.fixtures.exists()

    @pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
    def test_its_bytes_are_those_of_the_file(self, project: Project, encoding: str) -> None:
        arguments = ["promote", str(project.log), DIGEST, "--content", "naïve 🚀"]
        shown = project.printed(encoding, *arguments, "--dry-run")
        assert project.run(*arguments).code == 0
        assert (project.fixtures / f"{DIGEST}.json").read_bytes() == shown


@pytest.mark.usefixtures("log")
class TestForce:
    THEIRS = '{"_note": 1,  "response":{"content": "theirs"}, "description": "kept"}\n'

    def put(self, project: Project, text: str) -> Path:
        project.fixtures.mkdir()
        path = project.fixtures / f"{DIGEST}.json"
        path.write_text(text)
        path.chmod(0o640)
        return path

    def test_it_replaces_the_response_and_nothing_else(self, project: Project) -> None:
        path = self.put(project, self.THEIRS)
        ran = promote(project, "--content", "ours", "--force")
        assert (ran.code, ran.out) == (0, f"fixtures/{DIGEST}.json\n")
        assert project.fixture(DIGEST)["response"] == {"content": "ours", "finish_reason": "stop"}
        text = path.read_text()
        assert text.startswith('{"_note": 1,  "response":{"content": "ours"')
        assert text.endswith('}, "description": "kept"}\n')
        assert path.stat().st_mode & 0o777 == 0o640

    @pytest.mark.parametrize("broken", ["{broken", "", "[]", "<<<<<<< HEAD\n"])
    def test_it_writes_a_broken_file_anew(self, project: Project, broken: str) -> None:
        self.put(project, broken)
        assert promote(project, "--content", "ours", "--force").code == 0
        assert project.fixture(DIGEST)["response"]["content"] == "ours"
        assert project.fixture(DIGEST)["request"] == PAYLOAD
        assert project.run("validate").code == 0

    def test_errors_leave_the_file_as_it_was(self, project: Project) -> None:
        path = self.put(project, self.THEIRS)
        assert promote(project, CALL, "get_weather", '{"city": 5}', "--force").code == 1
        assert path.read_text() == self.THEIRS

    def test_a_dry_run_shows_the_file_and_writes_nothing(self, project: Project) -> None:
        path = self.put(project, self.THEIRS)
        shown = promote(project, "--content", "ours", "--force", "--dry-run").out
        assert path.read_text() == self.THEIRS
        promote(project, "--content", "ours", "--force")
        assert path.read_text() == shown


@pytest.mark.usefixtures("log")
class TestAsJSON:
    def test_what_was_saved(self, project: Project) -> None:
        row = promote(project, "--content", "x", "--format", "json").rows
        path = f"fixtures/{DIGEST}.json"
        text = (project.folder / path).read_text()
        assert row == {
            "digest": DIGEST,
            "path": path,
            "saved": True,
            "findings": [],
            "text": text,
        }

    @pytest.mark.parametrize("more", [[], ["--dry-run"]])
    def test_what_was_not(self, project: Project, more: list[str]) -> None:
        words = [CALL, "get_weather", '{"city": 5}', "--format", "json", *more]
        ran = promote(project, *words)
        assert (ran.code, ran.rows["saved"], ran.err) == (1, False, "")
        (finding,) = ran.rows["findings"]
        assert (finding["rule"], finding["severity"]) == ("arguments-schema", "error")
        assert json.loads(ran.rows["text"])["response"]["tool_calls"]
        assert not project.fixtures.exists()


CALL = "--tool-call"
RESPONSE = "--response"
ERRORS = {
    "arguments that are no JSON": ([CALL, "get_weather", "{"], "arguments-invalid-json"),
    "arguments that do not fit": ([CALL, "get_weather", '{"city": 5}'], "arguments-schema"),
    "arguments that are no object": ([CALL, "get_weather", "5"], "arguments-not-object"),
    "a tool that is not offered": ([CALL, "search", "{}"], "tool-not-offered"),
    "content that is none": ([RESPONSE, '{"content": 5}'], "content-not-string"),
    "usage that is none": ([RESPONSE, '{"content": "", "usage": null}'], "usage-shape"),
    "calls that are none": ([RESPONSE, '{"content": "", "tool_calls": 5}'], "tool-calls-shape"),
    "an empty response": ([RESPONSE, "{}"], "content-missing"),
    "not a number": ([RESPONSE, '{"content": "", "x": NaN}'], "invalid-json"),
}


@pytest.mark.usefixtures("log")
class TestRefusals:
    @pytest.mark.parametrize(("arguments", "rule"), ERRORS.values(), ids=ERRORS)
    def test_errors_write_nothing(self, project: Project, arguments: list[str], rule: str) -> None:
        if arguments[0] == RESPONSE:
            (project.folder / "response.json").write_text(arguments[1])
            arguments = [RESPONSE, "response.json"]
        ran = promote(project, *arguments)
        assert (ran.code, ran.out) == (1, "")
        assert f"error: {rule}: " in ran.err
        assert ran.err.endswith("workbench promote: error: not saved: fix the errors above\n")
        assert not project.fixtures.exists()

    @pytest.mark.parametrize("form", ["text", "json"])
    def test_a_secret_is_saved_only_if_it_is_allowed(self, project: Project, form: str) -> None:
        said = ["--content", "the key is sk-proj-" + "a1B2c3D4e5" * 5, "--format", form]
        ran = promote(project, *said)
        assert ran.code == 1
        assert ran.err.splitlines()[0] == (
            "workbench promote: error: not saved: response.content contains what "
            "looks like an OpenAI API key (sk-proj-…4e5). It would be stored. To save it anyway: "
            "--allow-secret"
        )
        assert project.files() == []
        assert form == "text" or json.loads(ran.out)["saved"] is False
        ran = promote(project, *said, "--allow-secret")
        assert (ran.code, project.files()) == (0, [f"{DIGEST}.json"])

    def test_warnings_are_told_and_the_file_is_written(self, project: Project) -> None:
        (project.folder / "response.json").write_text('{"content": "x", "finish_reason": "odd"}')
        ran = promote(project, "--response", "response.json")
        assert (ran.code, ran.out) == (0, f"fixtures/{DIGEST}.json\n")
        assert ran.err.startswith("workbench promote: warning: finish-reason-unknown: ")

    def test_talk_about_an_answer_is_inert(self, project: Project) -> None:
        ran = promote(project, "--tool-call", "\x1b[31mevil\u202e", '{"\x9b": 1')
        assert ran.code == 1
        assert not any(character in ran.err for character in "\x1b\x9b\u202e")

    @pytest.mark.parametrize("data", ['{"response": {"content": "theirs"}}', "{broken", ""])
    def test_a_fixture_that_exists_is_left_alone(self, project: Project, data: str) -> None:
        project.fixtures.mkdir()
        path = project.fixtures / f"{DIGEST}.json"
        path.write_text(data)
        for more in ([], ["--dry-run"]):
            ran = promote(project, "--content", "ours", *more)
            assert ran == (
                2,
                "",
                f"workbench promote: error: fixtures/{DIGEST}.json exists already; "
                "replace its response with --force, or add an answer before it with --first\n",
            )
        assert path.read_text() == data

    @pytest.mark.parametrize(
        "arguments",
        [
            [],
            ["--content", "x", "--fallback"],
            ["--content", "", "--tool-call", "a", "{}"],
            ["--fallback", "--response", "-"],
            ["--fallback", "--upstream", "http://127.0.0.1:9/v1"],
        ],
    )
    def test_one_answer_is_asked_for(self, project: Project, arguments: list[str]) -> None:
        ran = promote(project, *arguments)
        assert (ran.code, ran.out) == (2, "")
        assert " cannot be used with --" in ran.err or " is required\n" in ran.err
        assert not project.fixtures.exists()

    def test_standard_input_is_one_thing(self, project: Project) -> None:
        ran = project.run("promote", "-", DIGEST, "--response", "-", data=b"{}")
        said = "workbench promote: error: standard input can be the log or the response, not both\n"
        assert ran == (2, "", said)

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            (b"", "1:1: the text ends where a value is expected"),
            (b"{", "1:2: the text ends inside an object"),
            (b"\n []", "2:2: a response is an object; this is a list"),
            (b"null", "1:1: a response is an object; this is null"),
            (b'{\n"content": "\xff"}', "2:13: byte 0xff is not UTF-8"),
            (b'\xef\xbb\xbf{"content": ""}', "1:1: the file begins with a byte order mark"),
            (b'{"x": ' + b"[" * 100_000, "1:306: nested more than 300 deep"),
            (b'{"x": ' + b"9" * 5000 + b"}", "1:7: a number with too many digits"),
            (b'{"content": "a",\n "content": "b"}', "2:2: 'content' appears twice"),
        ],
    )
    def test_a_response_that_is_none(self, project: Project, data: bytes, words: str) -> None:
        (project.folder / "response.json").write_bytes(data)
        ran = promote(project, "--response", "response.json")
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"workbench promote: error: response.json:{words}")
        assert ran.err.count("\n") == 1
        assert not project.fixtures.exists()

    @pytest.mark.parametrize("depth", [290, 350, 500, 700, 850, 900, 950, 970, 1100])
    def test_a_response_as_deep_as_can_be(self, project: Project, depth: int) -> None:
        deep = '{"content": "", "x": %s}' % ("[" * depth + "]" * depth)
        (project.folder / "response.json").write_text(deep)
        ran = promote(project, "--response", "response.json")
        assert ran.code == (0 if depth < 298 else 2)
        assert "Traceback" not in ran.err
        assert project.fixtures.exists() == (ran.code == 0)

    def test_a_response_that_is_not_there(self, project: Project) -> None:
        ran = promote(project, "--response", "none.json")
        assert ran == (2, "", "workbench promote: error: none.json: no such file or directory\n")

    def test_a_digest_of_several_or_of_none(self, project: Project) -> None:
        for prefix, words in [
            ("", "the value is empty"),
            ("x", "x is neither a digest (hex digits, at least 4) nor a log"),
            ("0" * 64, "no miss in the log and no fixture in fixtures begins with 000"),
        ]:
            ran = project.run("promote", project.log, prefix, "--content", "x")
            assert (ran.code, ran.out) == (2, "")
            assert words in ran.err
        assert not project.fixtures.exists()

    def test_a_log_that_is_not_there(self, project: Project) -> None:
        ran = project.run("promote", "none.log", DIGEST, "--content", "x")
        assert ran == (2, "", "workbench promote: error: none.log: no such file or directory\n")

    def test_a_folder_that_cannot_be_written(self, project: Project) -> None:
        project.fixtures.write_text("a file in its place")
        ran = promote(project, "--content", "x")
        assert (ran.code, ran.out) == (2, "")
        assert (
            ran.err
            == "workbench promote: error: fixtures is not a folder; name one with --fixtures DIR\n"
        )
        assert project.fixtures.read_text() == "a file in its place"


def test_misses_of_the_reference_log_can_be_promoted(project: Project) -> None:
    project.write_log(reference.LOG.read_bytes())
    rows = project.run("misses", project.log, "--format", "json").rows
    asked = rows[::12]
    for row in asked:
        ran = project.run("promote", project.log, row["digest"], "--fallback")
        # Where JSON is asked for, the fallback is no answer; everything else takes it.
        assert ran.code == 0 or "response-format-violated" in ran.err
    written = project.files()
    assert len(written) >= 6
    for name in written:
        assert digest(project.fixture(name[:64])["request"]) == name[:64]
    assert project.run("validate", "fixtures").code == 0


def test_requests_of_one_digest_that_differ_are_told(project: Project) -> None:
    project.write_log(missed(PAYLOAD, chat("weather in London?", response_format={"type": "text"})))
    said = (
        f"workbench promote: warning: 2 requests share the digest {DIGEST[:12]} and differ in "
        "response_format, tools; one fixture answers all of them; answer one of them "
        "with --variant N\n"
    )
    assert promote(project, "--content", "x") == (0, f"fixtures/{DIGEST}.json\n", said)


class TestVariants:
    PLAIN, TOOLS = chat("weather?"), chat("weather?", tools=[tool()])

    def promote(self, project: Project, *arguments: str) -> Ran:
        return project.run("promote", project.log, digest(self.PLAIN), *arguments)

    def test_answers_need_not_fit_the_other_requests_of_the_digest(self, project: Project) -> None:
        asked = [chat("weather?", tools=[tool(name)]) for name in ("first", "second", "third")]
        project.write_log(*map(missed, asked))
        for number, name in ((2, "second"), (1, "first"), (3, "third")):
            call = ["--tool-call", name, '{"city": "London"}']
            assert self.promote(project, "--variant", str(number), *call).code == 0
        wrong = ["--tool-call", "first", '{"city": "Oslo"}']
        ran = self.promote(project, "--variant", "3", "--force", *wrong)
        assert (ran.code, "it offers third" in ran.err) == (1, True)
        assert project.run("validate").code == 0

    def test_a_second_request_of_a_digest_gets_an_answer_of_its_own(self, project: Project) -> None:
        project.write_log(missed(self.PLAIN), missed(self.TOOLS))
        assert self.promote(project, "--variant", "1", "--content", "Rain.").err == ""
        call = ["--tool-call", "get_weather", '{"city": "London"}']
        assert self.promote(project, "--variant", "2", *call).code == 0
        found = project.fixture(digest(self.PLAIN))
        assert (found["request"], found["response"]["content"]) == (self.PLAIN, "Rain.")
        name = variant_name(digest(self.PLAIN), view(self.TOOLS))
        variant = project.fixture(name)
        assert variant["request"] == self.TOOLS
        assert variant["response"]["tool_calls"][0]["function"]["name"] == "get_weather"
        assert project.run("validate").code == 0
        # Each has its answer: there is nothing to warn of.
        total = "1 request without a fixture (sent 2 times), 1 answered since"
        assert project.run("misses", project.log).err == f"workbench misses: note: {total}\n"

        again = self.promote(project, "--variant", "2", "--content", "No tool.")
        assert (again.code, "with --force" in again.err) == (2, True)
        assert self.promote(project, "--variant", "2", "--content", "No.", "--force").code == 0
        assert project.fixture(name)["response"]["content"] == "No."
        assert project.fixture(digest(self.PLAIN)) == found

    def test_a_call_answers_the_requests_that_offer_its_tool(self, project: Project) -> None:
        project.write_log(missed(self.TOOLS), missed(self.PLAIN))
        call = ["--tool-call", "get_weather", '{"city": "London"}']
        ran = self.promote(project, *call)
        said = "differ in tools; its fixture does not answer all of them"
        assert (ran.code, said in ran.err) == (0, True)
        ran = project.run("misses", project.log, "--fail")
        assert (ran.code, ran.out.split()[0], said in ran.err) == (1, "missing", True)
        assert self.promote(project, "--variant", "2", "--content", "Rain.").code == 0
        assert project.run("misses", project.log, "--fail").code == 0

    def test_the_first_answer_may_be_that_of_a_later_request(self, project: Project) -> None:
        project.write_log(missed(self.PLAIN), missed(self.TOOLS))
        assert self.promote(project, "--variant", "2", "--content", "Rain.").code == 0
        assert project.fixture(digest(self.PLAIN))["request"] == self.TOOLS
        assert len(project.files()) == 1

    def test_a_request_that_the_log_does_not_have(self, project: Project) -> None:
        project.write_log(missed(self.PLAIN))
        ran = self.promote(project, "--variant", "2", "--content", "Rain.")
        assert ran.code == 2
        assert "variant 2: the log has 1 request of this digest" in ran.err


def test_a_changed_answer_names_the_later_turns_that_quote_it(project: Project) -> None:
    opening = chat("weather?")
    answered = [*opening["messages"], {"role": "assistant", "content": "Rain."}]
    thanks = {**opening, "messages": [*answered, {"role": "user", "content": "thanks"}]}
    again = {**opening, "messages": [*thanks["messages"], {"role": "assistant", "content": "x"}]}
    project.write_log(missed(opening, thanks, again, chat("a joke")))
    for request, text in ((opening, "Rain."), (thanks, "x"), (again, "y"), (chat("a joke"), "z")):
        ran = project.run("promote", project.log, digest(request), "--content", text)
        assert (ran.code, ran.err) == (0, "")
    words = ("promote", project.log, digest(opening), "--force", "--content")
    assert project.run(*words, "Rain.").err == ""
    assert project.run(*words, "Sun.", "--dry-run").err == ""
    turns = [digest(thanks), digest(again)]
    ran = project.run(*words, "Sun.")
    assert ran.err == (
        f"workbench promote: note: 2 later turns quote the old answer ({turns[0][:12]}, "
        f"{turns[1][:12]}), so the next run of the suite requests them again; look at the first: "
        f"workbench show {turns[0][:12]}\n"
    )
    ran = project.run(*words, "Rain.", "--format", "json")
    assert "later_turns" not in ran.rows
    ran = project.run(*words, "Snow.", "--format", "json")
    assert ran.rows["later_turns"] == turns
