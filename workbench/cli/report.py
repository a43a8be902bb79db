"""What a check found, for people, for programs and for the remarks of a workflow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.cli.output import print_json, print_result
from workbench.core.fixtures.findings import Finding, Severity

if TYPE_CHECKING:
    from workbench.session.fixtures.validation import CheckedFile

_GITHUB_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_PLURALS: dict[Severity, str] = {"error": "errors", "warning": "warnings", "info": "infos"}

Write = Callable[[Iterable["CheckedFile"]], None]


def write_text(checked: Iterable[CheckedFile]) -> None:
    for file in checked:
        for finding in file.fixed:
            title = finding.fix.title if finding.fix else ""
            print_result(f"{_place(file.path, finding)}: fixed {finding.rule} {title}")
        for finding in file.findings:
            what = f"{finding.severity} {finding.rule} {finding.message}"
            print_result(f"{_place(file.path, finding)}: {what}")


def _place(path: str, finding: Finding) -> str:
    return f"{path}:{finding.line}:{finding.column}"


def write_github(checked: Iterable[CheckedFile]) -> None:
    """Workflow commands, which make each finding a remark in the changed file."""
    for file in checked:
        for finding in file.findings:
            where = _github_data(file.path).replace(":", "%3A").replace(",", "%2C")
            message = _github_data(f"{finding.rule}: {finding.message}")
            command = _GITHUB_COMMANDS[finding.severity]
            place = f"line={finding.line},col={finding.column}"
            print_result(f"::{command} file={where},{place}::{message}")


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def write_json(checked: Iterable[CheckedFile]) -> None:
    print_json([_row(file.path, finding) for file in checked for finding in file.findings])


def write_json_with_fixed(checked: Iterable[CheckedFile]) -> None:
    """Those that were fixed too; each row says whether it was."""
    print_json(
        [
            {**_row(file.path, finding), "fixed": is_fixed}
            for file in checked
            for is_fixed, findings in ((True, file.fixed), (False, file.findings))
            for finding in findings
        ]
    )


def _row(path: str, finding: Finding) -> dict[str, Any]:
    return {
        "path": path,
        "line": finding.line,
        "column": finding.column,
        "rule": finding.rule,
        "severity": finding.severity,
        "message": finding.message,
        "fix": finding.fix.title if finding.fix else None,
    }


def summary(files: int, counts: Mapping[Severity, int], fixed: int = 0) -> str:
    """``19 files: 1 fixed, 1 error, 2 warnings``."""
    found = [f"{fixed} fixed"] if fixed else []
    found += [
        f"{counts[severity]} {severity if counts[severity] == 1 else plural}"
        for severity, plural in _PLURALS.items()
        if counts[severity]
    ]
    return f"{files} {'file' if files == 1 else 'files'}: {', '.join(found) or 'no problems'}"


def counts(checked: Iterable[CheckedFile]) -> Counter[Severity]:
    """How many findings of each severity there are."""
    return Counter(finding.severity for file in checked for finding in file.findings)
