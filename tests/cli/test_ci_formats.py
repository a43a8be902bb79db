"""What CI systems read of ``misses`` and ``validate``: annotations, JUnit reports, SARIF logs."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from jsonschema import Draft4Validator, FormatChecker

from tests.cli.running import Project
from tests.hostile import HOSTILE
from tests.session.support import chat, missed
from workbench.core.apis.unsupported import UnsupportedRequest
from workbench.core.digest import digest
from workbench.core.log.lines import (
    asked_line,
    listening_line,
    suite_ended_line,
    suite_started_line,
    unsupported_line,
)

SCHEMA = json.loads(
    (Path(__file__).parents[1] / "data" / "sarif" / "sarif-schema-2.1.0.json").read_text()
)
ONE, TWO, THREE = chat("one"), chat("two"), chat(HOSTILE)


def log_of(text: str) -> Any:
    """A SARIF log, which is valid."""
    log = json.loads(text)
    Draft4Validator(SCHEMA, format_checker=FormatChecker()).validate(log)
    return log["runs"][0]


def suite_of(text: str) -> ElementTree.Element:
    """The suite of a JUnit report, whose counts are right."""
    root = ElementTree.fromstring(text)
    (suite,) = root
    for name, path in (("tests", "testcase"), ("failures", "*/failure"), ("skipped", "*/skipped")):
        assert root.get(name) == suite.get(name) == str(len(suite.findall(path)))
    return suite


@pytest.fixture
def asked(project: Project) -> Project:
    """Four requests: an ignored one, an unsupported one, and two without a fixture."""
    unsupported = UnsupportedRequest.of("POST", "/v1/rerank")
    assert unsupported is not None
    project.write_log(missed(ONE, TWO, THREE), unsupported_line(unsupported))
    project.run("ignore", project.log, digest(ONE), "--reason", "x")
    return project


def test_misses_as_sarif(asked: Project) -> None:
    ran = asked.run("misses", asked.log, "--format", "sarif", "--fail")
    assert ran.code == 1
    run = log_of(ran.out)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    results = run["results"]
    assert [rules[result["ruleIndex"]] for result in results] == [r["ruleId"] for r in results]
    assert [result["ruleId"] for result in results] == [
        *["missing-fixture"] * 2, "unsupported-request",
    ]  # fmt: skip
    first = results[0]
    place = first["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert place == f"fixtures/{digest(TWO)}.json"
    assert first["partialFingerprints"] == {"requestDigest/v1": digest(TWO)}
    assert "two" in first["message"]["text"]


def test_misses_as_junit(asked: Project) -> None:
    ran = asked.run("misses", asked.log, "--format", "junit")
    assert ran.code == 0
    suite = suite_of(ran.out)
    assert [case.get("classname") for case in suite] == ["workbench.misses"] * 4
    assert [len(case.findall("failure")) for case in suite] == [0, 1, 1, 1]
    skipped = suite[0].find("skipped")
    assert skipped is not None
    assert skipped.get("message") == "ignored"


def test_a_miss_is_shown_at_the_test_that_asked(project: Project) -> None:
    (project.folder / "test_a.py").touch()
    project.write_log(missed(ONE), asked_line("test_a.py::test_it", digest(ONE)))
    run = log_of(project.run("misses", project.log, "--format", "sarif").out)
    (place,) = run["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "test_a.py"
    (case,) = suite_of(project.run("misses", project.log, "--format", "junit").out)
    assert case.get("file") == "test_a.py"
    out = project.run("misses", project.log, "--format", "github").out
    name = digest(ONE)[:12]
    assert out == (
        f"::error file=test_a.py::missing-fixture: There is no fixture for request {name} of "
        f'test_a.py::test_it: "one" (gpt-4o). For the nearest fixture: '
        f"workbench explain {name} --log {project.log}\n"
    )


def test_a_suite_that_was_killed_before_a_miss_fails_the_build(project: Project) -> None:
    project.write_log(listening_line("http://127.0.0.1:7899", "fixtures"), suite_started_line())
    assert project.run("misses", project.log).code == 0
    ran = project.run("misses", project.log, "--fail")
    assert (ran.code, ran.out) == (1, "")
    assert f"warning: {project.log}: the suite has not ended, or it was killed" in ran.err
    (case,) = suite_of(project.run("misses", project.log, "--format", "junit").out)
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("type") == "unfinished-suite"
    log_of(project.run("misses", project.log, "--format", "sarif").out)
    with Path(project.log).open("a") as log:
        log.write(suite_ended_line(0))
    ran = project.run("misses", project.log, "--fail")
    assert (ran.code, ran.err) == (0, "workbench misses: note: no request without a fixture\n")


def test_misses_as_annotations(asked: Project) -> None:
    ran = asked.run("misses", asked.log, "--format", "github", "--fail")
    assert ran.code == 1
    two, three, unsupported = ran.out.splitlines()
    assert two.startswith(f"::error file=fixtures/{digest(TWO)}.json::missing-fixture: ")
    assert three.count("::") == 2 + HOSTILE.count("::")
    assert unsupported.startswith("::error title=unsupported-request::unsupported-request: POST ")


@pytest.fixture
def checked(project: Project) -> Project:
    """Three fixtures: fine, with a warning, and with an error on line 2."""
    project.fixtures.mkdir()
    for number, text in enumerate(
        [
            '{"response": {"content": "x"}}',
            '{"response": {"content": "x", "unknown": 1}}',
            '{"response":\n {"content": 5}}',
        ]
    ):
        (project.fixtures / f"{number:064x}.json").write_text(text)
    return project


def test_findings_as_sarif(checked: Project) -> None:
    ran = checked.run("validate", "--format", "sarif")
    assert ran.code == 1
    run = log_of(ran.out)
    by_rule = {result["ruleId"]: result for result in run["results"]}
    assert by_rule["unknown-key"]["level"] == "warning"
    assert by_rule["request-not-stored"]["level"] == "note"
    place = by_rule["content-not-string"]["locations"][0]["physicalLocation"]
    assert place == {
        "artifactLocation": {"uri": f"fixtures/{2:064x}.json"},
        "region": {"startLine": 2, "startColumn": 14},
    }


def test_rules_link_to_the_site_that_the_settings_name(checked: Project) -> None:
    site = "https://docs.example.com/workbench"
    (checked.folder / "pyproject.toml").write_text(f'[tool.workbench]\ndocs_url = "{site}"\n')
    run = log_of(checked.run("validate", "--format", "sarif").out)
    addresses = {rule["id"]: rule["helpUri"] for rule in run["tool"]["driver"]["rules"]}
    assert addresses["will-rot"] == f"{site}/rules/#will-rot"
    assert f"the rules are explained at {site}/rules/" in checked.run("validate").err


@pytest.mark.parametrize(("options", "failed"), [([], [2]), (["--strict"], [1, 2])])
def test_findings_as_junit(checked: Project, options: list[str], failed: list[int]) -> None:
    ran = checked.run("validate", "--format", "junit", *options)
    assert ran.code == 1
    suite = suite_of(ran.out)
    assert [case.get("name") for case in suite] == [f"fixtures/{n:064x}.json" for n in range(3)]
    assert [n for n, case in enumerate(suite) if case.find("failure") is not None] == failed
    failure = suite[2].find("failure")
    assert failure is not None
    assert failure.get("type") == "content-not-string"
    assert f"{2:064x}.json:2:14: error content-not-string" in (failure.text or "")


@pytest.mark.parametrize("form", ["junit", "sarif", "github"])
def test_what_a_file_holds_is_only_text_there(project: Project, form: str) -> None:
    project.fixtures.mkdir()
    evil = "\x1b[2J\x00\ud800\u2028\ufffe\uffff]]><!--&"
    name = os.fsencode("evil\x1b & <a> ü.json") + b"\xff.json"
    document = {"response": {"content": "x", evil: 1, "finish_reason": evil}}
    path = Path(os.fsdecode(os.fsencode(project.fixtures) + b"/" + name))
    path.write_text(json.dumps(document))
    ran = project.run("validate", "--format", form)
    assert "\x1b" not in ran.out
    if form == "junit":
        assert suite_of(ran.out).get("tests") == "1"
    elif form == "sarif":
        (uri, *_) = {
            result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
            for result in log_of(ran.out)["results"]
        }
        assert uri.endswith("%FF.json")


def test_without_a_problem_each_report_is_empty(project: Project) -> None:
    project.fixtures.mkdir()
    assert log_of(project.run("validate", "--format", "sarif").out)["results"] == []
    assert len(suite_of(project.run("validate", "--format", "junit").out)) == 0
    assert project.run("validate", "--format", "github").out == ""
