"""Report problems of fixtures and requests in the formats of CI systems: annotations for GitHub,
JUnit XML (GitLab, Jenkins) and SARIF 2.1.0 (code scanning).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import quote

import workbench
from workbench.cli.output import print_annotation, print_json, write_data
from workbench.core.text.inert import escaped
from workbench.io.files.path_text import shown

ProblemLevel = Literal["error", "warning", "note"]

CI_FORMATS: Final = ("github", "junit", "sarif")
_SARIF_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
# GitHub's name of a level, where it is another one.
_ANNOTATIONS: Final[dict[ProblemLevel, str]] = {"note": "notice"}


class CaseProblem(NamedTuple):
    """One problem of a case.

    Attributes:
        rule: the broken rule, a key of the rules.
        path: the affected file; "" for none.
        line, column: the place in it, from 1; 0 for the whole file.
        digest: digest of the affected request, which identifies the problem from run to run.
        fails: True if it fails a build.
    """

    rule: str
    level: ProblemLevel
    message: str
    path: str = ""
    line: int = 0
    column: int = 0
    digest: str = ""
    fails: bool = True


class ReportedRule(NamedTuple):
    """A rule that problems may break.

    Attributes:
        address: of the page that explains it, or "".
    """

    level: ProblemLevel
    summary: str
    address: str = ""


class Case(NamedTuple):
    """One checked item, with its problems.

    Attributes:
        file: its file, or the test that sent it; "" if unknown.
        skipped: why it does not count; "" if it does.
    """

    name: str
    file: str = ""
    problems: tuple[CaseProblem, ...] = ()
    skipped: str = ""


def print_report(
    form: str, command: str, cases: Sequence[Case], rules: Mapping[str, ReportedRule]
) -> None:
    """Print the problems of ``cases`` in one of ``CI_FORMATS``.

    Args:
        command: what was run: ``validate``.
        rules: each rule that a problem may break, by its name.
    """
    problems = [problem for case in cases for problem in case.problems]
    if form == "github":
        _print_annotations(problems)
    elif form == "junit":
        write_data(junit(command, cases))
    else:
        print_json(sarif(problems, rules))


def _print_annotations(problems: Iterable[CaseProblem]) -> None:
    for problem in problems:
        place: dict[str, str | int] = {"file": problem.path} if problem.path else {}
        if problem.line:
            place |= {"line": problem.line, "col": problem.column}
        if not place:
            place["title"] = problem.rule
        print_annotation(
            _ANNOTATIONS.get(problem.level, problem.level),
            f"{problem.rule}: {problem.message}",
            **place,
        )


def junit(command: str, cases: Sequence[Case]) -> bytes:
    """A JUnit report. A case fails if one of its problems fails a build; other problems are
    output.
    """
    from xml.etree import ElementTree

    failed = sum(any(problem.fails for problem in case.problems) for case in cases)
    counts = {
        "tests": str(len(cases)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(sum(bool(case.skipped) for case in cases)),
        "time": "0",
    }
    name = f"workbench {command}"
    root = ElementTree.Element("testsuites", {"name": name, **counts})
    suite = ElementTree.SubElement(root, "testsuite", {"name": name, **counts})
    for case in cases:
        attributes = {"classname": f"workbench.{command}", "name": escaped(case.name), "time": "0"}
        if case.file:
            attributes["file"] = escaped(case.file)
        element = ElementTree.SubElement(suite, "testcase", attributes)
        if case.skipped:
            ElementTree.SubElement(element, "skipped", {"message": escaped(case.skipped)})
        failures = [problem for problem in case.problems if problem.fails]
        others = [problem for problem in case.problems if not problem.fails]
        if failures:
            first = {"message": escaped(failures[0].message), "type": failures[0].rule}
            ElementTree.SubElement(element, "failure", first).text = _lines(failures)
        if others:
            ElementTree.SubElement(element, "system-out").text = _lines(others)
    ElementTree.indent(root)
    data: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _lines(problems: Iterable[CaseProblem]) -> str:
    return "\n".join(
        f"{escaped(_place(problem))}{problem.level} {problem.rule} {escaped(problem.message)}"
        for problem in problems
    )


def _place(problem: CaseProblem) -> str:
    if not problem.line:
        return f"{problem.path}: " if problem.path else ""
    return f"{problem.path}:{problem.line}:{problem.column}: "


def sarif(problems: Iterable[CaseProblem], rules: Mapping[str, ReportedRule]) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run."""
    indices = {name: index for index, name in enumerate(rules)}
    driver = {
        "name": "workbench",
        "version": workbench.__version__,
        "rules": [
            {
                "id": name,
                "shortDescription": {"text": rule.summary},
                "defaultConfiguration": {"level": rule.level},
                **({"helpUri": rule.address} if rule.address else {}),
            }
            for name, rule in rules.items()
        ],
    }
    results = [_result(problem, indices[problem.rule]) for problem in problems]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(problem: CaseProblem, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.rule,
        "ruleIndex": index,
        "level": problem.level,
        "message": {"text": escaped(problem.message)},
    }
    if problem.path:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.path)}}
        if problem.line:
            place["region"] = {"startLine": problem.line, "startColumn": problem.column}
        result["locations"] = [{"physicalLocation": place}]
    if problem.digest:
        result["partialFingerprints"] = {"requestDigest/v1": problem.digest}
    return result


def _uri(path: str) -> str:
    """A path as a URI: relative below the working directory, which is the top of the checkout."""
    near = shown(Path(path))
    text = os.fsencode(near.as_posix())
    return f"file://{quote(text)}" if near.is_absolute() else quote(text)
