"""``workbench validate``: everything that is wrong with fixture files, for people and for CI."""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from workbench.cli import EXIT_FINDINGS, EXIT_OK, UsageError
from workbench.cli.common import add_fixtures, add_format, print_json
from workbench.core.findings import Finding, Severity
from workbench.core.inert import escaped

EXPLANATION_WIDTH = 80

_GITHUB_COMMANDS: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "notice"}
_PLURALS: dict[Severity, str] = {"error": "errors", "warning": "warnings", "info": "infos"}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="fixture files, and folders of them (default: the fixtures folder)",
    )
    add_fixtures(parser)
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument("--explain", metavar="RULE", help="say what a rule is about")
    add_format(parser, "github")


def run(args: argparse.Namespace) -> int:
    if args.explain is not None:
        return _explain(args.explain)
    paths = _files(args.paths or [args.fixtures])
    checked = ((path, _check(path)) for path in paths)
    counts = _WRITERS[args.format](checked)
    print(_summary(len(paths), counts), file=sys.stderr)
    counting: list[Severity] = ["error", "warning"] if args.strict else ["error"]
    return EXIT_FINDINGS if any(counts[severity] for severity in counting) else EXIT_OK


def _explain(name: str) -> int:
    from workbench.core.rules import RULES
    from workbench.core.rules.wording import did_you_mean, near

    if name not in RULES:
        raise UsageError(f'there is no rule "{escaped(name)}"{did_you_mean(near(name, RULES))}')
    rule = RULES[name]
    print(f"{rule.name} ({rule.severity})\n{rule.summary}\n")
    print(textwrap.fill(rule.explain, EXPLANATION_WIDTH))
    return EXIT_OK


def _files(paths: Iterable[Path]) -> list[Path]:
    """The files to check, each once. Raises UsageError for a path that does not exist."""
    from workbench.io.store import FixtureStore

    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            try:
                files += [path / name for name in FixtureStore(path).names()]
            except OSError as error:
                raise UsageError(f"{escaped(str(path))}: {error.strerror}") from None
        elif os.path.lexists(path):
            files.append(path)
        else:
            raise UsageError(f"{escaped(str(path))}: no such file or folder")
    return list(dict.fromkeys(files))


def _check(path: Path) -> list[Finding]:
    from workbench.core.rules import Context, check

    try:
        data = path.read_bytes()
    except OSError as error:
        return [Finding("invalid-json", "error", f"cannot be read: {error.strerror}")]
    return check(data, Context(filename=path.name))


_Checked = Iterator[tuple[Path, list[Finding]]]
_Counts = Counter[Severity]


def _write_text(checked: _Checked) -> _Counts:
    return _write_lines(checked, _text_line)


def _write_github(checked: _Checked) -> _Counts:
    return _write_lines(checked, _github_line)


def _write_lines(checked: _Checked, line: Callable[[Path, Finding], str]) -> _Counts:
    counts: _Counts = Counter()
    for path, findings in checked:
        for finding in findings:
            counts[finding.severity] += 1
            print(line(path, finding))
    return counts


def _text_line(path: Path, finding: Finding) -> str:
    place = f"{path}:{finding.line}:{finding.column}"
    return escaped(f"{place}: {finding.severity} {finding.rule} {finding.message}")


def _github_line(path: Path, finding: Finding) -> str:
    """A workflow command, which makes the finding a remark in the changed file."""
    file = _github_data(str(path)).replace(":", "%3A").replace(",", "%2C")
    message = _github_data(f"{finding.rule}: {finding.message}")
    command = _GITHUB_COMMANDS[finding.severity]
    place = f"line={finding.line},col={finding.column}"
    return escaped(f"::{command} file={file},{place}::{message}")


def _github_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _write_json(checked: _Checked) -> _Counts:
    rows = [(path, finding) for path, findings in checked for finding in findings]
    print_json(
        [
            {
                "path": str(path),
                "line": finding.line,
                "column": finding.column,
                "rule": finding.rule,
                "severity": finding.severity,
                "message": finding.message,
                "fix": finding.fix.title if finding.fix else None,
            }
            for path, finding in rows
        ]
    )
    return Counter(finding.severity for _, finding in rows)


_WRITERS: dict[str, Callable[[_Checked], _Counts]] = {
    "text": _write_text,
    "json": _write_json,
    "github": _write_github,
}


def _summary(files: int, counts: _Counts) -> str:
    """``19 files: 1 error, 2 warnings``."""
    found = [
        f"{counts[severity]} {severity if counts[severity] == 1 else plural}"
        for severity, plural in _PLURALS.items()
        if counts[severity]
    ]
    return f"{files} {'file' if files == 1 else 'files'}: {', '.join(found) or 'no problems'}"
