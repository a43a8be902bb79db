"""The pytest plugin, tested by running pytest on small projects."""

from __future__ import annotations

import json
import re
import shlex
import socket
import sys
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from tests.hostile import HOSTILE, leaks
from tests.terminal import Terminal
from workbench.cli.main import main
from workbench.core.digest import digest
from workbench.core.fixture.document import new_document
from workbench.core.log.events import AskedBy, MissLogged, RequestLogged, UnsupportedLogged
from workbench.core.log.lines import served_line, suite_ended_line, suite_started_line
from workbench.core.log.reader import LogParser
from workbench.core.recordings.exchanges import Sent
from workbench.io.recordings.recording_file import Recording
from workbench.testing.plugin import NEEDS_LIVE

pytest_plugins = ["pytester"]

# A project that takes warnings for errors, but for two that come of sharing this process: what an
# earlier test left to the collector, and (before pytest 9) that the plugin is imported already.
STRICT_ABOUT_WARNINGS = """
[tool.pytest.ini_options]
filterwarnings = [
    "error",
    "ignore::pytest.PytestUnraisableExceptionWarning",
    "ignore::pytest.PytestAssertRewriteWarning",
]
"""

# Without the official client, which takes a second to load.
SUPPORT = """
import json, urllib.error, urllib.request

class Refused(Exception):
    "With the code of the error, and nothing that stays open."

def ask(mock, text="hi", key="none"):
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": text}]}).encode()
    headers = {"content-type": "application/json", "authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{mock.base_url}/chat/completions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)["choices"][0]["message"]["content"]
    except urllib.error.HTTPError as error:
        with error:
            raise Refused(json.load(error)["error"]["code"]) from None

def ask_in_vain(mock, text="hi"):
    try:
        return ask(mock, text)
    except Refused as refused:
        return str(refused)
"""


def payload(text: str) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """An empty project with this plugin alone, since others take long to load."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in ("PYTEST_ADDOPTS", "OPENAI_BASE_URL", "A_KEY", "A_URL"):
        monkeypatch.delenv(name, raising=False)
    pytester.makepyprojecttoml(STRICT_ABOUT_WARNINGS)
    pytester.makepyfile(support=SUPPORT)
    return pytester


# Before the plugins a test may name others.
PLUGINS = ("-p", "no:cacheprovider", "-p", "workbench.testing.plugin", "-p", "xdist.plugin", "-q")


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run the project's tests in this process, since starting another takes longer than they do."""
    return project.runpytest_inprocess(*PLUGINS, *arguments)


def state(project: pytest.Pytester) -> Path:
    return project.path / ".workbench"


MOCKS = """
import threading, pytest
from support import ask, ask_in_vain
from workbench.testing import Reply

urls = []

@pytest.mark.parametrize("n", range(4))
def test_fresh(mock_llm, n):
    assert mock_llm.calls() == []
    mock_llm.script(Reply.text(f"reply {n}"))
    assert ask(mock_llm) == f"reply {n}"
    mock_llm.assert_finished()
    urls.append(mock_llm.base_url)

def test_one_server():
    assert len({url.split("/")[2] for url in urls}) == 1
    assert len(set(urls)) == len(urls)
"""


def test_mock_llm_is_fresh_for_each_test(project: pytest.Pytester) -> None:
    project.makepyfile(test_mocks=MOCKS, test_mocks_2=MOCKS)
    result = run(project)
    result.assert_outcomes(passed=10)
    assert not state(project).exists()


MISSES = """
from support import ask, ask_in_vain
from workbench.testing import Reply

def test_swallowed(mock_llm):
    assert ask_in_vain(mock_llm, "unknown one") == "fixture_not_found"

def test_same_again(mock_llm):
    assert ask_in_vain(mock_llm, "unknown one") == "fixture_not_found"

def test_another(mock_llm):
    mock_llm.script(Reply.text("x"), model="other")
    assert ask_in_vain(mock_llm, "unknown\\u2028two") == "fixture_not_found"

def test_stored(mock_llm):
    assert ask(mock_llm, "stored") == "from a file"
"""


@pytest.fixture
def with_misses(project: pytest.Pytester) -> pytest.Pytester:
    project.makepyfile(test_misses=MISSES)
    folder = project.mkdir("fixtures")
    name = digest(payload("stored"))
    document = new_document(name, {"content": "from a file"}, request=payload("stored"))
    (folder / f"{name}.json").write_text(document.text)
    return project


def test_misses_are_listed_and_written_where_the_workbench_reads_them(
    with_misses: pytest.Pytester,
) -> None:
    state(with_misses).mkdir()
    (state(with_misses) / "pytest.log").write_text("of the run before\n")
    result = run(with_misses)
    result.assert_outcomes(passed=4)
    assert_misses_are_listed(with_misses, result)
    assert b"of the run before" not in (state(with_misses) / "pytest.log").read_bytes()


def assert_misses_are_listed(project: pytest.Pytester, result: pytest.RunResult) -> None:
    """After a run of ``MISSES``: on the terminal, and in the log."""
    first, second = (digest(payload(text)) for text in ("unknown one", "unknown\u2028two"))
    result.stdout.fnmatch_lines(
        [
            "*= unanswered requests =*",
            f"{first[:12]}  test_misses.py::test_s* and 1 more",
            "*Nothing answers call 1 ('unknown one'). No similar fixture.*",
            f"    workbench promote {first[:12]} --log .workbench/pytest.log --content '…'",
            "Open them: workbench --log .workbench/pytest.log",
        ]
    )
    result.stdout.fnmatch_lines(["*does not match: model 'other': the request has 'm'*"])
    events = LogParser().feed((state(project) / "pytest.log").read_bytes())
    missed = [e.digest for e in events if isinstance(e, MissLogged)]
    assert sorted(missed) == sorted([first, first, second])
    dumps = [json.loads(e.dump) for e in events if isinstance(e, RequestLogged)]
    assert sorted(map(digest, dumps)) == sorted(missed)


def answer(result: pytest.RunResult, text: str) -> None:
    """Run the only command that the end of the output has for a miss, with a text as the answer."""
    [line] = [line for line in result.outlines if line.startswith("    workbench promote ")]
    words = shlex.split(line.replace("…", text))
    assert main(words[1:]) == 0


def test_the_command_in_the_error_of_a_mock_answers_the_next_run(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        "import openai\n\n"
        "def test_it(mock_llm):\n"
        "    asked = [{'role': 'user', 'content': 'who?'}]\n"
        "    with openai.OpenAI(base_url=mock_llm.base_url, api_key='k') as client:\n"
        "        client.chat.completions.create(model='gpt-5', messages=asked)\n"
    )
    result = run(project)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E *mock_llm: nothing answers call 1 (* · gpt-5 · “who?”).",
            "E *The folder fixtures does not exist yet.",
            "E *Script a reply before it: mock_llm.script(Reply.text('…'))",
            "E *Or save a fixture: workbench promote * --log .workbench/pytest.log --content '…'",
        ]
    )
    [line, *_] = [line for line in result.outlines if "Or save a fixture: " in line]
    assert main(shlex.split(line.partition(": workbench ")[2].replace("…", "me"))) == 0
    run(project).assert_outcomes(passed=1)


def test_the_command_of_a_miss_is_right_in_another_folder_and_for_a_broken_fixture(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.mkdir("it's")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (folder / "test_it.py").write_text(
        "from support import ask_in_vain\n\ndef test_it(mock_llm): ask_in_vain(mock_llm, 'who?')\n"
    )
    (folder / "fixtures").mkdir()
    path = folder / "fixtures" / f"{digest(payload('who?'))}.json"
    path.write_text("{")
    monkeypatch.syspath_prepend(str(project.path))
    answer(run(project, "--rootdir", "it's", "it's"), "you")
    assert json.loads(path.read_text())["response"]["content"] == "you"


def test_a_miss_that_is_promoted_is_answered_in_the_next_run(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_loop="""
        from support import ask

        def test_it(mock_llm):
            assert ask(mock_llm, "who?") == "you"
        """
    )
    project.mkdir("fixtures")
    result = run(project)
    result.assert_outcomes(failed=1)
    answer(result, "you")
    run(project).assert_outcomes(passed=1)
    assert not (state(project) / "pytest.log").exists()
    lines = [suite_started_line(), served_line(digest(payload("who?"))), suite_ended_line(0)]
    assert (state(project) / "pytest-used.log").read_text() == "".join(lines)


def test_a_session_that_is_interrupted_is_not_one_of_a_whole_suite(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        test_loop="""
        import pytest
        from support import ask

        def test_it(mock_llm):
            assert ask(mock_llm, "who?") == "you"

        def test_that_is_interrupted():
            pytest.exit("enough", returncode=2)

        def test_that_does_not_run():
            pass
        """
    )
    fixture = {"response": {"content": "you"}}
    path = project.mkdir("fixtures") / f"{digest(payload('who?'))}.json"
    path.write_text(json.dumps(fixture))
    run(project)
    lines = [suite_started_line(), served_line(digest(payload("who?"))), suite_ended_line(2)]
    assert (state(project) / "pytest-used.log").read_text() == "".join(lines)


def test_a_log_that_cannot_be_written_fails_no_test_and_is_not_offered(
    with_misses: pytest.Pytester,
) -> None:
    state(with_misses).write_text("a file in its place")
    result = run(with_misses)
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines([".workbench/pytest.log cannot be written."])
    result.stdout.no_fnmatch_line("Open them*")
    result.stdout.no_fnmatch_line("*workbench promote*")


def test_strict_fails_what_went_on_after_a_miss(with_misses: pytest.Pytester) -> None:
    result = run(with_misses, "--llm-strict")
    result.assert_outcomes(passed=4, errors=3)
    result.stdout.fnmatch_lines(["ERROR test_misses.py::test_swallowed*could not answer*"])


def ignore(project: pytest.Pytester, *requests: str) -> None:
    folder = project.mkdir("fixtures")
    (folder / "workbench-ignore.txt").write_text("\n".join(requests))


def test_the_fallback_answers_a_request_that_is_ignored(project: pytest.Pytester) -> None:
    ignore(project, digest(payload("who?")) + " it does not matter")
    project.makepyfile(
        test_ignored="""
        from support import ask
        from workbench.core.replies.response import FALLBACK_TEXT

        def test_it(mock_llm):
            assert ask(mock_llm, "who?") == FALLBACK_TEXT
        """
    )
    result = run(project, "--llm-strict")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*unanswered requests*")
    assert not (state(project) / "pytest.log").exists()


@pytest.mark.parametrize(
    ("setting", "outcome"),
    [
        ("", {"failed": 1}),
        ('normalise = ["date"]', {"passed": 1}),
        ('normalise = ["uuid"]', {"failed": 1}),
    ],
)
def test_the_fixture_of_another_day_answers_where_the_project_wants_that(
    project: pytest.Pytester, setting: str, outcome: dict[str, int]
) -> None:
    asked = payload("what is due on 2026-11-19?")
    document = new_document(digest(asked), {"content": "Taxes."}, request=asked)
    (project.mkdir("fixtures") / f"{digest(asked)}.json").write_text(document.text)
    project.makepyprojecttoml(f"[tool.workbench]\n{setting}\n")
    project.makepyfile(
        test_today="""
        from support import ask

        def test_it(mock_llm):
            assert ask(mock_llm, "what is due on 2026-11-20?") == "Taxes."
        """
    )
    run(project).assert_outcomes(**outcome)


@pytest.fixture
def with_unsupported(project: pytest.Pytester) -> pytest.Pytester:
    project.makepyfile(
        test_unsupported="""
        import urllib.error, urllib.request

        def test_swallowed(mock_llm):
            request = urllib.request.Request(f"{mock_llm.base_url}/completions?key=withheld", b"{}")
            try:
                urllib.request.urlopen(request, timeout=60)
            except urllib.error.HTTPError as error:
                error.close()
        """
    )
    return project


def test_unsupported_requests_are_listed_with_what_to_switch_to(
    with_unsupported: pytest.Pytester,
) -> None:
    result = run(with_unsupported)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "*= unanswered requests =*",
            "POST /v1/completions  test_unsupported.py::test_swallowed",
            "*this server does not support legacy completions. Instead: *use_responses_api=False*",
            "Open them: workbench --log .workbench/pytest.log",
        ]
    )
    log = (state(with_unsupported) / "pytest.log").read_bytes()
    assert b"withheld" not in log
    event, asked = LogParser().feed(log)
    assert isinstance(event, UnsupportedLogged)
    assert event.request.line == "POST /v1/completions"
    assert asked == AskedBy(str(event.request), "test_unsupported.py::test_swallowed")


def test_strict_fails_what_went_on_after_an_unsupported_request(
    with_unsupported: pytest.Pytester,
) -> None:
    result = run(with_unsupported, "--llm-strict")
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["*mock_llm could not answer:*", '*POST /v1/completions: *"openai-chat:MODEL"*']
    )


def test_strict_lets_an_unsupported_request_pass_that_is_ignored(
    with_unsupported: pytest.Pytester,
) -> None:
    ignore(with_unsupported, "POST /v1/completions does no harm")
    run(with_unsupported, "--llm-strict").assert_outcomes(passed=1)


def test_a_mistake_in_the_test_fails_it_always(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_mistakes="""
        from support import ask_in_vain
        from workbench.testing import Reply

        def test_undeclared(mock_llm):
            mock_llm.script(Reply.text("x"), role="planner")
            assert ask_in_vain(mock_llm) == "undeclared_role"

        def test_function(mock_llm):
            mock_llm.respond(lambda call: 1 / 0)
            assert ask_in_vain(mock_llm) == "reply_function_failed"

        def test_call(mock_llm):
            mock_llm.script(Reply.tool_call("search", text="x"))
            assert ask_in_vain(mock_llm) == "invalid_tool_call"

        def test_that_fails_anyway(mock_llm):
            mock_llm.script(Reply.text("x"), role="planner")
            assert ask_in_vain(mock_llm) == "something else"
        """
    )
    result = run(project)
    result.assert_outcomes(passed=3, errors=3, failed=1)
    result.stdout.fnmatch_lines(["*role 'planner', which is not declared*"])
    result.stdout.fnmatch_lines(["  search, call 0: the request does not offer search; *"])


BACKENDS = """
import pytest

needs_key = pytest.mark.llm_requires_backend(env=["A_KEY"])

@needs_key
def test_key(): pass

@needs_key
def test_key_too(): pass

@pytest.mark.llm_requires_backend(url_env="A_URL", reject=["sqlite"], probe="dns")
def test_url(): pass

@pytest.mark.llm_requires_backend(env=["A_KEY"])
@pytest.mark.llm_eval
def test_live(): pass

def test_free(): pass
"""


def test_e6_tests_without_their_backend_are_skipped_and_each_cause_is_named_once(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(test_backends=BACKENDS)
    result = run(project)
    result.assert_outcomes(passed=1, skipped=4)
    result.stdout.fnmatch_lines(
        [
            "*= tests skipped: backend missing =*",
            "*2  A_KEY is not set",
            "*1  A_URL is not set",
            f"*1  {NEEDS_LIVE}",
        ]
    )


def test_e6_a_backend_that_is_there_and_one_that_will_not_do(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.makepyfile(test_backends=BACKENDS)
    monkeypatch.setenv("A_KEY", "k")
    monkeypatch.setenv("A_URL", "sqlite+aiosqlite:///secret.db")
    result = run(project, "--llm-live")
    result.assert_outcomes(passed=4, skipped=1)
    result.stdout.fnmatch_lines(["*1  A_URL begins with sqlite, which is not accepted"])
    result.stdout.no_fnmatch_line("*secret*")


def test_e6_a_flag_turns_skips_into_failures(project: pytest.Pytester) -> None:
    project.makepyfile(test_backends=BACKENDS)
    result = run(project, "--llm-no-skip")
    result.assert_outcomes(passed=1, errors=4)
    result.stdout.fnmatch_lines(["*= tests failed: backend missing =*"])


GOLDEN = """
import pytest
from enum import StrEnum
from types import SimpleNamespace
from support import ask
from workbench.testing import (
    GoldenQuery, Reply, ToolCallSpy, check_filters, check_grounded, check_ordering, check_tool,
)

GOLDEN = [
    GoldenQuery("red-under-30", "red wine", "search", {"max_price": 30}),
    GoldenQuery("white", "white wine", "search"),
]

class Colour(StrEnum):
    RED = "red"

class Price(float):
    pass

@pytest.mark.llm_eval(pass_rate=0.5)
@pytest.mark.parametrize("golden", GOLDEN)
def test_search(golden, llm_run, mock_llm):
    mock_llm.respond(Reply.text("50" if llm_run == 3 else "30"))
    catalogue = SimpleNamespace(find=lambda query, max_price, colour: [0.9])
    with ToolCallSpy(catalogue, {"search": "find"}) as spy:
        price = Price(ask(mock_llm, golden.query))
        if golden.id == "white" and llm_run != 2:
            price = 1 / 0
        scores = catalogue.find(golden.query, max_price=price, colour=Colour.RED)
    assert check_tool(golden, spy)
    assert check_ordering(scores)
    check_grounded("no sections", ["Merlot"])
    assert check_filters(golden, spy)
"""


def test_e13_repeated_runs_have_a_pass_rate(project: pytest.Pytester) -> None:
    project.makepyfile(test_golden=GOLDEN)
    result = run(project, "--llm-repeat", "3")
    result.assert_outcomes(passed=3, xfailed=3)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert_pass_rates(project, result)


def test_an_eval_that_cannot_be_repeated_says_how_often_it_ran(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_case="""
        import unittest

        import pytest


        @pytest.mark.llm_eval
        class TestCase(unittest.TestCase):
            def test_once(self):
                pass


        @pytest.mark.llm_eval
        def test_often():
            pass
        """
    )
    lines = ["test_once   1/1  100%  ran 1 of 3 times", "test_often  3/3  100%"]
    run(project, "--llm-repeat", "3").stdout.fnmatch_lines(lines)


def assert_pass_rates(project: pytest.Pytester, result: pytest.RunResult) -> None:
    """After three runs of ``GOLDEN``: on the terminal, in the report and in its journal."""
    # Workers end in any order.
    result.stdout.fnmatch_lines_random(
        [
            "*= evals =*",
            "red-under-30  2/3   66%  max_price: expected 30 ±20%, got 50.0 (run 3)",
            "white         1/3   33%  (50% required)  ZeroDivisionError*(run 1)",
            "*run it: pytest *test_golden.py::test_search -k '[[]white-run' --llm-repeat 3",
        ]
    )
    [file] = (state(project) / "evals").glob("*.json")
    report = json.loads(file.read_text())
    assert (report["version"], report["live"], report["repeat"]) == (1, False, 3)
    red, white = sorted(report["queries"], key=lambda query: query["id"])
    assert (red["test"], red["query"]) == ("test_golden.py::test_search[red-under-30]", "red wine")
    assert (red["rate"], red["passed"], red["required"]) == (pytest.approx(2 / 3), True, 0.5)
    assert (white["passed"], white["skipped"]) == (False, None)
    assert [(r["run"], r["passed"]) for r in red["runs"]] == [(1, True), (2, True), (3, False)]
    checks = [(c["name"], c["passed"]) for c in red["runs"][2]["checks"]]
    assert checks == [("tool", True), ("ordered", True), ("grounded", False), ("filters", False)]
    assert red["runs"][2]["calls"] == [
        {
            "name": "search",
            "arguments": {"query": "red wine", "max_price": 50.0, "colour": "red"},
        }
    ]
    journal = Recording(file.with_suffix(".jsonl"))
    assert len(journal) == 6
    for number, content in enumerate(["30", "30", "50"]):
        [place] = red["runs"][number]["exchanges"]
        exchange = journal.exchange(place)
        assert exchange.digest == digest(payload("red wine"))
        assert isinstance(exchange.outcome, Sent)
        assert json.loads(exchange.outcome.body)["choices"][0]["message"]["content"] == content


def test_e13_the_command_repeats_one_query(project: pytest.Pytester) -> None:
    project.makepyfile(test_golden=GOLDEN)
    run(project, "--llm-repeat", "3")
    [file] = (state(project) / "evals").glob("*.json")
    queries = {query["id"]: query for query in json.loads(file.read_text())["queries"]}
    command = queries["red-under-30"]["command"]
    words = re.fullmatch(r"pytest (\S+) -k '(\[red-under-30-run)' --llm-repeat 3", command)
    assert words is not None, command
    result = run(project, words[1], "-k", words[2], "--llm-repeat", "3")
    result.assert_outcomes(passed=2, xfailed=1, deselected=3)
    assert result.ret == pytest.ExitCode.OK


def test_the_cases_of_one_test_are_listed_by_their_parameters(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_cases="""
        import pytest

        @pytest.mark.llm_eval
        @pytest.mark.parametrize("question", ["short", "long"])
        def test_answer(question):
            assert question == "short"
        """
    )
    lines = [
        "test_answer[[]short]  1/1  100%",
        "test_answer[[]long]   0/1    0%  (100% required)  *",
    ]
    run(project).stdout.fnmatch_lines(lines)
    lines = [line.replace("1/1", "2/2").replace("0/1", "0/2") for line in lines]
    run(project, "--llm-repeat", "2").stdout.fnmatch_lines(lines)


def test_e13_a_run_failed_for_what_it_asserted(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_reasons="""
        import pytest
        from workbench.testing import check_grounded, check_ordering, check_relevance

        @pytest.mark.llm_eval
        @pytest.mark.parametrize("how", ["one", "all", "crash", "fail", "none"])
        def test_it(how):
            unchecked = check_grounded("no sections", ["Merlot"])
            wrong = check_ordering([0.1, 0.9])
            low = check_relevance([0.1])
            if how == "one":
                assert low
            if how == "all":
                assert not [check for check in (unchecked, wrong, low) if not check]
            if how == "crash":
                1 / 0
            if how == "fail":
                pytest.fail("not that one")
            assert how == 1
        """
    )
    run(project)
    [file] = (state(project) / "evals").glob("*.json")
    queries = json.loads(file.read_text())["queries"]
    assert [query["runs"][0]["failure"] for query in queries] == [
        "score 0.10 of result 1 is not above 0.25",
        "result 2 (score 0.90) comes after result 1 (score 0.10)",
        "ZeroDivisionError: division by zero",
        "Failed: not that one",
        "AssertionError: assert 'none' == 1",
    ]


def test_e13_the_checks_of_async_tests_are_kept(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_async="""
        import anyio, pytest
        from support import ask
        from types import SimpleNamespace
        from workbench.testing import Reply, ToolCallSpy, check_ordering

        @pytest.fixture(scope="module")
        def anyio_backend():
            return "asyncio"

        @pytest.fixture(scope="module", autouse=True)
        async def in_a_task_of_its_own():
            yield

        @pytest.mark.llm_eval
        @pytest.mark.anyio
        async def test_it(mock_llm):
            mock_llm.script(Reply.text("0.5"))
            score = await anyio.to_thread.run_sync(ask, mock_llm)
            assert check_ordering([1.0, float(score)])
            tools = SimpleNamespace(search=len)
            with ToolCallSpy(tools, {"search": "search"}):
                tools.search({"most": float("inf"), "of": {1: object}, "least": (0.5, None)})
        """
    )
    run(project, "-p", "anyio.pytest_plugin").assert_outcomes(passed=1)
    [file] = (state(project) / "evals").glob("*.json")
    [query] = json.loads(file.read_text())["queries"]
    assert query["test"] == "test_async.py::test_it"
    [one] = query["runs"]
    assert [check["name"] for check in one["checks"]] == ["ordered"]
    arguments = {"most": "Infinity", "of": {"1": "<class 'object'>"}, "least": [0.5, None]}
    assert one["calls"] == [{"name": "search", "arguments": arguments}]


def test_e13_what_is_skipped_anywhere_did_not_run_and_what_fails_before_it_begins_failed(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        test_ends="""
        import pytest

        @pytest.fixture
        def gone():
            pytest.skip("no catalogue")

        @pytest.fixture
        def broken():
            raise OSError("no database")

        @pytest.mark.llm_eval
        def test_skips_itself():
            pytest.skip("closed today")

        @pytest.mark.llm_eval
        def test_skips_before(gone): pass

        @pytest.mark.llm_eval
        def test_breaks_before(broken): pass
        """
    )
    assert run(project, "-k", "skips").ret == pytest.ExitCode.OK
    result = run(project)
    result.assert_outcomes(skipped=2, errors=1)
    result.stdout.fnmatch_lines(
        [
            "test_skips_itself   skipped  closed today",
            "test_skips_before   skipped  no catalogue",
            "test_breaks_before  0/1    0%  (100% required)  OSError: no database (run 1)",
        ]
    )


def test_e1_ids_are_unique(project: pytest.Pytester) -> None:
    project.makepyfile(
        test_golden="""
        import pytest
        from workbench.testing import GoldenQuery

        @pytest.mark.llm_eval
        @pytest.mark.parametrize("golden", [GoldenQuery("a", "1"), GoldenQuery("a", "2")])
        def test_search(golden): pass
        """
    )
    result = run(project)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["test_golden.py::test_search: two golden queries have the ID 'a'; give each its own"]
    )


def test_e12_evals_can_be_left_out(project: pytest.Pytester) -> None:
    project.makepyfile(test_golden=GOLDEN)
    run(project, "-m", "not llm_eval").assert_outcomes(deselected=2)
    assert not state(project).exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--llm-repeat", "0"], "*--llm-repeat must be 1 or more, got 0"),
        (["--llm-record"], "*--llm-record needs --llm-live"),
    ],
)
def test_options_that_make_no_sense(
    project: pytest.Pytester, arguments: list[str], message: str
) -> None:
    result = run(project, *arguments)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


BAD_MARKS = """
import pytest

@pytest.mark.llm_requires_backend(envs=["A_KEY"])
def test_unknown(): pass

@pytest.mark.llm_requires_backend("cuda")
def test_positional(): pass

@pytest.mark.llm_requires_backend(url_env=5)
def test_number(): pass

@pytest.mark.llm_eval(0.5)
def test_rate(): pass

@pytest.mark.llm_eval(pass_rate=2)
def test_too_much(): pass

def test_other(): pass
"""


def test_marks_that_cannot_be_understood_fail_their_tests(project: pytest.Pytester) -> None:
    project.makepyfile(test_marks=BAD_MARKS)
    result = run(project)
    result.assert_outcomes(passed=1, errors=5)
    assert_mistakes_are_named(result)


def assert_mistakes_are_named(result: pytest.RunResult) -> None:
    """After a run of ``BAD_MARKS``."""
    for said in (
        "llm_requires_backend does not take envs; it takes env, url_env, reject, probe",
        "llm_requires_backend does not take 'cuda'; it takes env, url_env, reject, probe",
        "llm_requires_backend: url_env must be the name of a variable, got 5",
        "llm_eval does not take 0.5; it takes pass_rate",
        "llm_eval: pass_rate must be from 0 to 1, got 2",
    ):
        result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*INTERNALERROR*")


def test_what_workers_find_is_reported_as_of_one_process(with_misses: pytest.Pytester) -> None:
    with_misses.makepyfile(test_golden=GOLDEN, test_marks=BAD_MARKS)
    result = run(with_misses, "--llm-repeat", "3", "-n", "2")
    result.assert_outcomes(passed=8, xfailed=3, errors=9)  # two of the five marks run thrice
    assert_misses_are_listed(with_misses, result)
    assert_pass_rates(with_misses, result)
    assert_mistakes_are_named(result)


STRANGER = """
import pytest

@pytest.mark.eval("squad", metric="f1")
def test_scores(): pass

@pytest.mark.eval
def test_fails(): assert 0

@pytest.mark.requires_backend("cuda")
def test_device(): pass
"""
THEIR_MARKS = (
    STRICT_ABOUT_WARNINGS
    + """
addopts = "--strict-markers"
markers = ["eval(dataset, metric): theirs", "requires_backend(device): theirs"]
"""
)


def test_marks_of_other_projects_are_left_alone(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(THEIR_MARKS)
    project.makepyfile(test_stranger=STRANGER)
    result = run(project, "--llm-repeat", "2", "--llm-no-skip")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.no_fnmatch_line("*evals*")
    assert not state(project).exists()
    listed = run(project, "--markers").stdout.str()
    assert listed.count("eval(") == 2  # theirs and llm_eval
    assert listed.count("requires_backend(") == 2


def test_what_the_plugin_finds_stands_in_no_report_of_another_test(
    project: pytest.Pytester,
) -> None:
    project.makepyfile(
        conftest="def pytest_runtest_logreport(report): assert not hasattr(report, 'workbench')",
        test_stranger="def test_it(): pass",
    )
    run(project).assert_outcomes(passed=1)


SHORT_MARKS = """
import pytest

@pytest.mark.eval(pass_rate=0.5)
def test_query(): pass

@pytest.mark.requires_backend(env=["A_KEY"])
def test_key(): pass
"""


def test_the_short_marks_are_ours_where_something_of_ours_is_imported(
    project: pytest.Pytester,
) -> None:
    project.makepyprojecttoml(THEIR_MARKS)
    imports = ("from workbench.testing import GoldenQuery", "import workbench.testing as llm", "")
    for number, line in enumerate(imports):
        project.makepyfile(**{f"test_{number}": f"{line}\n{SHORT_MARKS}"})
    result = run(project, "--strict-markers", "--llm-repeat", "2")
    # In the last module they are a stranger's.
    result.assert_outcomes(passed=6, skipped=2)
    result.stdout.fnmatch_lines(["*2  A_KEY is not set"])


def test_a_project_can_opt_in_to_the_short_marks(project: pytest.Pytester) -> None:
    settings = "[tool.workbench]\nshort_marks = true\n"
    project.makepyprojecttoml(settings + STRICT_ABOUT_WARNINGS)
    project.makepyfile(test_short=SHORT_MARKS)
    result = run(project, "--strict-markers", "--llm-repeat", "2")
    result.assert_outcomes(passed=2, skipped=1)
    result.stdout.fnmatch_lines(["test_query  2/2  100%", "*1  A_KEY is not set"])


def test_the_short_marks_are_ours_beside_a_golden_query(project: pytest.Pytester) -> None:
    project.makepyprojecttoml(THEIR_MARKS)
    project.makepyfile(
        queries="""
        from workbench.testing import GoldenQuery

        A, B = GoldenQuery("a", "?"), GoldenQuery("b", "?")
        """,
        test_golden="""
        import pytest
        import queries

        pytestmark = pytest.mark.eval
        holds_itself = []
        holds_itself.append(holds_itself)

        @pytest.mark.parametrize("golden", [queries.A])
        def test_plain(golden): pass

        @pytest.mark.parametrize(("n", "golden"), [pytest.param(1, queries.B)])
        @pytest.mark.requires_backend(env=["A_KEY"])
        def test_rows(n, golden): pass

        @pytest.mark.requires_backend("cuda")
        @pytest.mark.parametrize("golden", ["a", holds_itself])
        def test_theirs(golden): pass
        """,
    )
    result = run(project, "--llm-repeat", "2")
    result.assert_outcomes(passed=4, skipped=2)
    result.stdout.fnmatch_lines(["a  2/2  100%", f"b  skipped  {NEEDS_LIVE}"])


def test_settings_that_cannot_be_used_are_one_line(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.workbench]\nshort_marks = 'yes'\n")
    result = run(project)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *pyproject.toml:2:* short_marks: expected true or false*"])


def test_variables_that_cannot_be_used_are_one_line(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_PORT", "abc")
    project.makepyfile("def test_it(mock_llm): pass\ndef test_other(): pass")
    result = run(project)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["WORKBENCH_PORT: expected a port number, *"])
    result.stdout.no_fnmatch_line("*Error*")


def test_a_file_in_place_of_the_fixtures_folder_is_one_line(project: pytest.Pytester) -> None:
    project.makepyprojecttoml("[tool.workbench]\nfixtures = 'answers.py'\n")
    project.makepyfile(answers="", test_it="def test_it(mock_llm): pass\ndef test_other(): pass")
    result = run(project)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*answers.py is a file; give the path of a folder with fixtures"])
    result.stdout.no_fnmatch_line("*Error*")


THEIR_OPTIONS = """
def pytest_addoption(parser):
    parser.addoption("--llm-live", action="store_true")
    parser.addoption("--llm-repeat", default="theirs")
"""


def test_options_that_another_plugin_has_stay_its_own(project: pytest.Pytester) -> None:
    project.makepyfile(
        other=THEIR_OPTIONS,
        test_it="""
        import pytest
        from support import ask_in_vain

        @pytest.mark.llm_eval
        def test_it(request, mock_llm):
            assert request.config.getoption("--llm-live") is True
            assert request.config.getoption("--llm-repeat") == "theirs"
            assert ask_in_vain(mock_llm) == "fixture_not_found"
        """,
    )
    options = ("--llm-live", "--llm-strict")
    project.syspathinsert()
    result = project.runpytest_inprocess("-p", "other", *PLUGINS, *options)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(
        ["workbench: note: another plugin defines --llm-live, --llm-repeat *"]
    )


AGENTS = """
import pytest
from pydantic import BaseModel
from workbench.testing import Reply, agent_mock, combine
import an_agent

class Plan(BaseModel):
    steps: list[str]

TOOL = {"name": "record", "input_schema": {"required": ["text"]}}
careless = agent_mock("an_agent.llm_call", Reply.tool_call("record"))
meant = agent_mock("an_agent.llm_call", Reply.tool_call("record", unchecked=True))
vague = agent_mock("an_agent.llm_call", Reply.json({"step": []}))
short = agent_mock("an_agent.llm_call", Reply.text("one"), repeat_last=False)
both = combine(careless=careless)

def test_raised(careless):
    an_agent.llm_call(tools=[TOOL])

def test_swallowed(careless):
    an_agent.swallowing(tools=[TOOL])

def test_combined(both, careless):
    an_agent.swallowing(tools=[TOOL])

def test_meant(meant):
    an_agent.llm_call(tools=[TOOL])

def test_model(vague):
    an_agent.swallowing(response_model=Plan)

def test_short(short):
    an_agent.swallowing()
    an_agent.swallowing()
"""


def test_what_does_not_fit_fails_a_test_with_an_agent_mock(project: pytest.Pytester) -> None:
    project.makepyfile(
        an_agent="""
        def llm_call(**_): ...

        def swallowing(**given):
            try:
                llm_call(**given)
            except Exception:
                pass
        """,
        test_agents=AGENTS,
    )
    result = run(project)
    result.assert_outcomes(passed=5, failed=1, errors=3)
    result.stdout.fnmatch_lines_random(
        [
            "E *InvalidToolCallError: The reply scripted for call 1 * does not fit the request:",
            "*agent_mock could not answer:*",
            "*  record, call 0: text is missing*",
            "*  response_model Plan: steps: Field required*",
        ]
    )
    errors = [line.split()[1] for line in result.outlines if line.startswith("ERROR ")]
    assert [name.partition("::")[2] for name in errors] == [
        "test_swallowed",
        "test_combined",
        "test_model",
    ]
    run(project, "--llm-strict").assert_outcomes(passed=5, failed=1, errors=4)


def test_agent_mocks_need_no_plugin(project: pytest.Pytester) -> None:
    project.makepyfile(
        an_agent="def llm_call(**_): ...",
        test_agents="""
        from workbench.testing import Reply, agent_mock
        import an_agent
        mock = agent_mock("an_agent.llm_call", Reply.text("said"))

        def test_it(mock):
            assert an_agent.llm_call().content == "said"
        """,
    )
    project.runpytest_inprocess("-p", "no:cacheprovider", "-q").assert_outcomes(passed=1)


WITHOUT_SOCKETS = """
import socket
import pytest

def guarded(families):
    class Guarded(socket.socket):
        "As pytest-socket has it."
        def __new__(cls, family=-1, *args, **more):
            if family in families:
                raise RuntimeError("no sockets.")
            return super().__new__(cls, family, *args, **more)
    return Guarded

@pytest.fixture(autouse=True)
def no_sockets(request, monkeypatch):
    if "allowed" not in request.node.name:
        families = {socket.AF_UNIX}  # of the server's event loop
        if "no loop" not in request.node.name:
            families.add(socket.AF_INET)
        monkeypatch.setattr(socket, "socket", guarded(families))
"""


def test_without_sockets_a_transport_answers_and_a_url_says_what_to_do(
    project: pytest.Pytester,
) -> None:
    project.makeconftest(WITHOUT_SOCKETS)
    project.makepyfile(
        """
        import httpx, pytest
        from support import ask
        from workbench.testing import MockServerError, Reply

        def test_transport(mock_llm):
            with httpx.Client(transport=mock_llm.transport()) as client:
                assert client.get("http://model/v1/models").is_success

        def test_function(mock_llm):
            mock_llm.script(Reply.text("said"))
            assert mock_llm.as_sync_call()(prompt="hi").content == "said"

        @pytest.mark.parametrize("server", ["none", "no loop", "allowed", "running"])
        def test_url(mock_llm, server):
            mock_llm.respond(Reply.text("said"))
            if server == "allowed":
                assert ask(mock_llm) == "said"
                return
            with pytest.raises(MockServerError) as raised:
                mock_llm.base_url
            said = str(raised.value)
            assert "here: RuntimeError: no sockets. Allow connections to 127.0.0.1 (" in said
            assert said.endswith("mock_llm.transport(), which needs no socket.")
        """
    )
    # In a process of its own, where no other test has started the server.
    project.runpytest_subprocess(*PLUGINS).assert_outcomes(passed=6)


def test_options_that_a_conftest_defines_are_its_own(project: pytest.Pytester) -> None:
    project.makeconftest(THEIR_OPTIONS)
    project.makepyfile(
        """
        def test_it(request):
            assert request.config.getoption("--llm-live") is True
            assert request.config.getoption("--llm-repeat") == "many"
        """
    )
    result = run(project, "--llm-live", "--llm-repeat", "many", "--llm-strict")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        ["workbench: note: another plugin defines --llm-live, --llm-repeat and keeps it"]
    )
    run(project, "-n", "1", "--llm-live", "--llm-repeat=many").assert_outcomes(passed=1)


def test_a_conftest_may_load_the_plugin(project: pytest.Pytester) -> None:
    project.makeconftest("pytest_plugins = ['workbench.testing.plugin']")
    project.makepyfile(
        "def test_it(mock_llm, request): assert request.config.option.workbench_strict"
    )
    result = project.runpytest_inprocess("-p", "no:cacheprovider", "-q", "--llm-strict")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*another plugin defines*")


def test_an_option_that_a_conftest_defines_too_late_is_one_line(project: pytest.Pytester) -> None:
    folder = project.mkdir("evals")
    (folder / "conftest.py").write_text(THEIR_OPTIONS)
    (folder / "test_it.py").write_text("def test_it(): pass")
    run(project, "evals").assert_outcomes(passed=1)
    result = run(project)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(
        ["evals/conftest.py defines --llm-live, which is an option of the plugin workbench. *"]
    )
    assert len(result.outlines) < 10, result.outlines


def test_what_a_conftest_gets_wrong_otherwise_is_left_to_pytest(project: pytest.Pytester) -> None:
    project.makeconftest("def pytest_addoption(parser): raise ValueError('their own')")
    result = run(project)
    result.stderr.fnmatch_lines(["*ValueError: their own"])


def test_live_evals_ask_the_real_model_and_keep_its_replies(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mock in this process stands for the real model."""
    from workbench.testing import MockLLM, Reply

    project.makepyfile(
        test_live="""
        import pytest
        from support import ask
        from workbench.testing import Reply

        @pytest.mark.llm_eval
        def test_eval(mock_llm):
            mock_llm.script(Reply.text("scripted"))
            assert ask(mock_llm, "a question", key="a secret key") == "live"
            mock_llm.assert_finished()

        def test_unit(mock_llm):
            mock_llm.script(Reply.text("scripted"))
            assert ask(mock_llm) == "scripted"
        """
    )
    with MockLLM() as real:
        real.respond(Reply.text("live"))
        monkeypatch.setenv("OPENAI_BASE_URL", real.base_url)
        result = run(project, "--llm-live", "--llm-record")
        result.assert_outcomes(passed=2)
        [asked] = real.calls()
    assert asked.headers["authorization"] == "Bearer a secret key"
    [file] = (project.path / "fixtures").iterdir()
    assert file.stem == digest(payload("a question"))
    kept = json.loads(file.read_text())
    assert kept["response"]["content"] == "live"
    assert kept["request"] == payload("a question")
    assert kept["workbench"] == {"source": "recorded"}
    assert kept["description"] == 'test_live.py::test_eval, turn 1: "a question"'
    assert "secret" not in file.read_text()


def test_what_is_left_out_of_a_recorded_request_is_told_at_the_end(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.testing import MockLLM, Reply

    project.makepyprojecttoml("[tool.workbench]\nstore_request_kib = 1")
    project.makepyfile(
        test_live="""
        import pytest
        from support import ask

        @pytest.mark.llm_eval
        def test_eval(mock_llm):
            assert ask(mock_llm, "x" * 2_000) == "live"
        """
    )
    with MockLLM() as real:
        real.respond(Reply.text("live"))
        monkeypatch.setenv("OPENAI_BASE_URL", real.base_url)
        result = run(project, "--llm-live", "--llm-record")
    result.assert_outcomes(passed=1)
    name = digest(payload("x" * 2_000))
    result.stdout.fnmatch_lines(
        [
            "*recorded fixtures that are incomplete*",
            f"{name} was recorded without the messages of its request, which has more than 1 KiB*",
        ]
    )


def test_no_report_holds_the_key_that_an_error_of_the_real_model_repeats(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.testing import MockLLM, Reply

    project.makepyfile(
        test_live="""
        import pytest
        from support import ask

        @pytest.mark.llm_eval
        def test_eval(mock_llm):
            assert "wrong" not in ask(mock_llm, "a question", key="secret-of-mine")
        """
    )
    with MockLLM() as real:
        real.respond(Reply.text("wrong key: secret-of-mine"))
        monkeypatch.setenv("OPENAI_BASE_URL", real.base_url)
        run(project, "--llm-live").assert_outcomes(failed=1)
    texts = [path.read_text() for path in (state(project) / "evals").iterdir()]
    assert any("wrong key: …" in text for text in texts)
    assert not any("secret-of-mine" in text for text in texts)


def test_the_plugin_is_found_by_its_entry_point() -> None:
    [point] = entry_points(group="pytest11", name="workbench")
    assert point.load().__name__ == "workbench.testing.plugin"


def test_the_plugin_costs_other_projects_nothing(project: pytest.Pytester) -> None:
    """It loads nothing heavy, and a project that does not use it gets no state folder."""
    project.makepyfile(
        """
        import sys

        HEAVY = {"uvicorn", "httpx", "httpx2", "openai", "textual", "jsonschema", "pydantic"}
        OURS = {"workbench.core", "workbench.io.settings", "workbench.testing.mocks.engine"}

        def test_it():
            assert HEAVY & {name.partition(".")[0] for name in sys.modules} == set()
            assert "workbench.testing.plugin" in sys.modules
            assert OURS & set(sys.modules) == set()
        """
    )
    project.runpytest_subprocess(*PLUGINS).assert_outcomes(passed=1)
    assert not state(project).exists()


def test_e7_a_host_is_looked_for_without_connecting() -> None:
    from workbench.testing.plugin.backends import Requirement

    def missing(url: str, probe: Any = "dns") -> str | None:
        return Requirement(url_env="A_URL", probe=probe).missing({"A_URL": url})

    assert missing("postgresql://user:hidden@127.0.0.1:1/db") is None
    assert missing("postgresql://user:hidden@localhost/db") is None
    for url, reason in {
        "postgresql://u:hidden@no-such-host.invalid/db": "of A_URL has no address",
        f"http://u:hidden@{'a' * 70}.example/": "has no address",
        "http://": "has no host",
        "http://[": "is not a URL",
        "http://host:hidden/": "is not a URL",
        "": "is not set",
    }.items():
        found = missing(url) or ""
        assert reason in found
        assert "hidden" not in found
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert missing(f"http://127.0.0.1:{port}/", "tcp") is None
    assert "has no port" in (missing("http://127.0.0.1/", "tcp") or "")
    assert "nothing listens on 127.0.0.1:1" in (missing("http://127.0.0.1:1/", "tcp") or "")


def test_what_the_terminal_shows_acts_on_no_terminal(project: pytest.Pytester) -> None:
    project.makepyfile(
        f"""
        import pytest
        from support import ask_in_vain
        from workbench.testing import Check

        HOSTILE = {HOSTILE!r}

        def test_miss(mock_llm):
            ask_in_vain(mock_llm, HOSTILE)

        @pytest.mark.llm_requires_backend(env=[HOSTILE])
        def test_skipped():
            pass

        @pytest.mark.llm_eval
        @pytest.mark.parametrize("name", ["a"])
        def test_eval(mock_llm, name):
            with pytest.raises(AssertionError):
                mock_llm.assert_calls([HOSTILE])
            assert Check("tool", False, HOSTILE)
        """
    )
    words = [sys.executable, "-m", "pytest", "-p", "workbench.testing.plugin", "--llm-strict"]
    with Terminal(words, columns=200, folder=project.path) as terminal:
        terminal.wait_for_end()
        terminal.close()
        raw = bytes(terminal.raw)
    assert b"unanswered requests" in raw
    assert b"1 failed, 1 passed, 1 skipped, 1 error" in raw
    assert leaks(raw) == []
