"""``workbench validate``: everything that is wrong with fixture files, for people and for CI."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli import EXIT_FINDINGS, EXIT_OK, EXIT_WRONG_USE, UsageError, report
from workbench.cli.common import add_fixtures, add_format, filled, path
from workbench.cli.output import print_message
from workbench.core.fixtures.findings import Severity

if TYPE_CHECKING:
    from workbench.core.log.usage import Usage
    from workbench.session.fixtures.validation import CheckedFile


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH",
        help="fixture files, and folders of them (default: the fixtures folder)",
    )
    add_fixtures(parser)
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings too")
    parser.add_argument("--fix", action="store_true", help="make every fix that is certain")
    parser.add_argument(
        "--log",
        type=filled,
        nargs="+",
        action="extend",
        metavar="LOG",
        help="logs of the server: fixtures that none of their requests asked for are named",
    )
    parser.add_argument(
        "--explain", metavar="RULE", help="say what a rule is about; all: the table of the rules"
    )
    add_format(parser, "github", "markdown")


def run(args: argparse.Namespace) -> int:
    if args.explain is not None:
        from workbench.cli.rule_table import explain

        explain(args.explain, args.format)
        return EXIT_OK
    from workbench.cli.logs import settings_for

    write = _writer(args.format, fix=args.fix)
    paths = args.paths or [settings_for(args.fixtures).fixtures]
    checked = _check(paths, args.log, fix=args.fix)
    told = [file for file in checked if file.findings or file.fixed]
    write(told)
    not_fixed = [file for file in told if file.not_fixed]
    for file in not_fixed:
        print_message(f"{file.path}: not fixed: {file.not_fixed}")
    counts = report.counts(told)
    fixed = sum(len(file.fixed) for file in told)
    print_message(report.summary(len(checked), counts, fixed))
    if not_fixed:
        return EXIT_WRONG_USE
    counting: list[Severity] = ["error", "warning"] if args.strict else ["error"]
    return EXIT_FINDINGS if any(counts[severity] for severity in counting) else EXIT_OK


def _writer(form: str, *, fix: bool) -> report.Write:
    writers: dict[str, report.Write] = {
        "text": report.write_text,
        "json": report.write_json_with_fixed if fix else report.write_json,
        "github": report.write_github,
    }
    if form not in writers:
        raise UsageError(f"--format {form} goes with --explain all")
    return writers[form]


def _check(paths: Sequence[Path], logs: list[str] | None, *, fix: bool) -> list[CheckedFile]:
    from workbench.cli.progress import Progress
    from workbench.io.state_folder import StateFolder
    from workbench.session.fixtures.validation import Validation

    usage = _usage(logs) if logs else None
    try:
        validation = Validation(paths, StateFolder.locate(Path.cwd()), usage=usage, fix=fix)
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from None
    with Progress("Checking", validation.count) as progress:
        return list(validation.run(progress))


def _usage(logs: list[str]) -> Usage:
    """What ``logs`` say of requests; also said where that is nothing."""
    from workbench.cli.logs import events, expanded
    from workbench.core.log.usage import Usage

    usage = Usage.of(map(events, expanded(logs)))
    if not usage.tells_hits:
        print_message(
            "workbench validate: the log names no fixture that was served "
            "(workbench serve does that), so nothing is known of unused ones"
        )
    return usage
