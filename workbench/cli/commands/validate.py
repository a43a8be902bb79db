"""``workbench validate``: check fixture files, for people and for CI."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from textwrap import wrap
from typing import Final, NoReturn, get_args

from workbench.cli.arguments import add_format, filled, path
from workbench.cli.ci_formats import (
    CI_FORMATS,
    Case,
    CaseProblem,
    ProblemLevel,
    ReportedRule,
    print_report,
)
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK, EXIT_WRONG_USE
from workbench.cli.fixtures_folder import add_fixtures, settings_for
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import events, expanded
from workbench.cli.output import (
    COLOUR_OF_SEVERITY,
    Colour,
    Painted,
    Progress,
    print_json,
    print_line,
    print_message,
    print_result,
    shows_colours,
    write_data,
)
from workbench.core.fixture.findings import Finding, Severity
from workbench.core.fixture.rules import RULES
from workbench.core.log.usage import LogUsage
from workbench.core.replies.profile_names import SERVE_PROFILE
from workbench.core.replies.serving import Serving
from workbench.core.text import shell
from workbench.core.text.inert import escaped
from workbench.core.text.wording import counted, did_you_mean, near
from workbench.core.user_error import UserError
from workbench.io import manual
from workbench.io.files.path_text import shown
from workbench.io.state_folder import StateFolder
from workbench.session.fixture.validation import CheckedFile, Validation

_LEVELS: Final[dict[Severity, ProblemLevel]] = {
    "error": "error",
    "warning": "warning",
    "info": "note",
}
_DIFF_COLOURS: Final[dict[str, Colour]] = {"-": "red", "+": "green", "@": "cyan"}
_WIDTH = 80
_FOLDERS_SHOWN = 10
# More findings than this do not fit on a screen: they are counted by rule at the end.
_SCREENFUL = 20


HELP: Final = CommandHelp(
    page="rules",
    examples={
        "workbench validate": "check the fixtures folder",
        "workbench validate --fix --diff": "show what the safe fixes would change",
        "workbench validate --strict --format github": "fail a build for warnings as well, with "
        "annotations on GitHub",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH",
        help="fixture files and folders to check (default: the fixtures folder)",
    )
    add_fixtures(parser)
    parser.add_argument("--strict", action="store_true", help="exit 1 for warnings as well")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="apply safe fixes; --diff shows them first",
    )
    parser.add_argument(
        "--fix-recorded",
        action="store_true",
        help="apply safe fixes to replies that were recorded from a real API as well",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="with --fix: list the changes without writing them",
    )
    parser.add_argument(
        "--diff",
        action="store_true",
        help="with --fix: print the changes as a diff without writing them",
    )
    parser.add_argument(
        "--log",
        type=filled,
        nargs="+",
        action="extend",
        metavar="LOG",
        help="report fixtures that no request in these logs used",
    )
    parser.add_argument(
        "--explain",
        type=_rule_name,
        choices=["all", *RULES],
        metavar="RULE",
        help='explain a rule; "all" lists the rules',
    )
    add_format(parser, *CI_FORMATS)


def _rule_name(name: str) -> str:
    if name != "all" and name not in RULES:
        guess = did_you_mean(near(name, RULES))
        raise UserError(
            f'unknown rule "{name}"{guess}', "list them: workbench validate --explain all"
        )
    return name


def run(args: argparse.Namespace) -> int:
    if args.explain is not None:
        _explain(args.explain, args.format)
        return EXIT_OK

    settings = settings_for(args.fixtures)
    serving = Serving(settings.profile or SERVE_PROFILE, settings.normalise)
    args.dry_run = args.dry_run or args.diff
    args.fix = args.fix or args.fix_recorded
    if args.dry_run and not args.fix:
        raise UserError(f"--{'diff' if args.diff else 'dry-run'} needs --fix")
    checked = _check(args, settings.fixtures, serving)
    reported = [file for file in checked if file.findings or file.fixed]
    if args.format == "json":
        _write_json(reported, with_fixed=args.fix, dry_run=args.dry_run)
    elif args.format in CI_FORMATS:
        cases = [_case(file, strict=args.strict) for file in checked]
        print_report(args.format, "validate", cases, _reported_rules(settings.docs_url))
    elif args.diff:
        _write_diff(reported)
    else:
        _write_text(reported, "would fix" if args.dry_run else "fixed")
    not_fixed = [file for file in reported if file.not_fixed]
    for file in not_fixed:
        print_message("error", f"{file.path}: not fixed: {file.not_fixed}")
    findings = [finding for file in reported for finding in file.findings]
    if len(findings) > _SCREENFUL:
        _print_counts(findings)
    if findings and settings.docs_url:
        address = manual.address(settings.docs_url, "rules")
        print_message("note", f"the rules are explained at {address}")
    counts = Counter(finding.severity for finding in findings)
    fixed = sum(len(file.fixed) for file in reported)
    would = " to fix" if args.dry_run else " fixed"
    print_message("note", _summary(len(checked), counts, f"{fixed:,}{would}" if fixed else ""))
    if args.fix and (spared := [file for file in checked if file.fixes_of_recordings]):
        fixes = sum(file.fixes_of_recordings for file in spared)
        print_message(
            "note",
            f"{counted(fixes, 'problem')} with a fix left in {counted(len(spared), 'file')}, "
            "because the replies were recorded from a real API; to fix them as well: "
            "--fix-recorded",
        )
    if not_fixed:
        return EXIT_WRONG_USE
    if args.dry_run:  # they are still there
        findings += [finding for file in reported for finding in file.fixed]
    is_red = any(finding.fails(strict=args.strict) for finding in findings)
    return EXIT_FINDINGS if is_red else EXIT_OK


def _check(args: argparse.Namespace, fixtures: Path, serving: Serving) -> list[CheckedFile]:
    usage = _usage(args.log) if args.log else None
    if not (args.paths or args.fixtures or os.path.lexists(fixtures)):
        raise UserError(
            f"the folder {shown(fixtures)} does not exist; give the path of your fixtures"
        )
    validation = Validation(
        args.paths or [fixtures],
        StateFolder.locate(Path.cwd()),
        usage=usage,
        fix=args.fix,
        fix_recordings=args.fix_recorded,
        dry_run=args.dry_run,
        serving=serving,
    )
    if misplaced := validation.in_subfolders():
        _refuse(misplaced)
    with Progress("Checking", validation.count) as progress:
        return list(validation.run(progress))


def _refuse(misplaced: Mapping[Path, int]) -> NoReturn:
    """Raise UserError for fixtures in subfolders, where there are none beside these."""
    total = sum(misplaced.values())
    count, are = counted(total, "fixture file"), "is" if total == 1 else "are"
    first = [*map(os.fspath, misplaced)][:_FOLDERS_SHOWN]
    more = len(misplaced) - len(first)
    raise UserError(
        f"{count} {are} in subfolders, where neither this command nor a server looks",
        f"name each folder: {shell.command(['workbench', 'validate', *first])}"
        + (f" … and {more} more" if more else ""),
    )


def _usage(logs: list[str]) -> LogUsage:
    """The fixtures that ``logs`` name; a warning if they name none."""
    usage = LogUsage.of(map(events, expanded(logs)))
    if not usage.tells_hits:
        print_message(
            "warning",
            "cannot tell which fixtures are unused, because no line of the log names a used "
            "fixture; "
            "use a log of workbench run or workbench serve",
        )
    return usage


def _write_text(checked: Sequence[CheckedFile], fixed: str) -> None:
    for file in checked:
        for finding in file.fixed:
            title = finding.fix.title if finding.fix else ""
            print_result(f"{_place(file, finding)}: {fixed} {finding.rule} {title}")
        for finding in file.findings:
            what = f" {finding.rule} {finding.message}"
            print_result(f"{_place(file, finding)}: ", _painted(finding.severity), what)


def _painted(severity: Severity, width: int = 0) -> Painted:
    return Painted(f"{severity:<{width}}", COLOUR_OF_SEVERITY[severity])


def _place(file: CheckedFile, finding: Finding) -> str:
    return f"{file.path}:{finding.line}:{finding.column}"


def _write_diff(checked: Sequence[CheckedFile]) -> None:
    """The changes of the fixes, as ``diff -u`` prints them: for people, or byte by byte, so that
    ``patch`` can make them.
    """
    for file in checked:
        name = escaped(file.path)
        before, after = (StringIO(text, newline="\n").readlines() for text in file.change)
        lines = [
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
            for line in unified_diff(before, after, name, name)
        ]
        if not (sys.stdout.isatty() or shows_colours(sys.stdout)):
            write_data("".join(lines).encode("utf-8", "surrogateescape"))
            continue
        for line in lines:
            colour = _DIFF_COLOURS.get(line[:1])
            text = line.removesuffix("\n")
            print_result(text if colour is None else Painted(text, colour))


def _case(file: CheckedFile, *, strict: bool) -> Case:
    """A file for a CI system."""
    problems = (
        CaseProblem(
            finding.rule,
            _LEVELS[finding.severity],
            finding.message,
            file.path,
            finding.line,
            finding.column,
            fails=finding.fails(strict=strict),
        )
        for finding in file.findings
    )
    return Case(file.path, file.path, tuple(problems))


def _write_json(checked: Sequence[CheckedFile], *, with_fixed: bool, dry_run: bool) -> None:
    """A row for each finding; ``with_fixed`` adds fixed ones, and marks them."""
    rows = []
    for file in checked:
        if with_fixed:
            rows += [{**file.row(finding), "fixed": not dry_run} for finding in file.fixed]
        more = {"fixed": False} if with_fixed else {}
        rows += [{**file.row(finding), **more} for finding in file.findings]
    print_json(rows)


def _print_counts(findings: Iterable[Finding]) -> None:
    """Print how often each rule is broken, the errors first and the most frequent first."""
    counts = Counter((finding.severity, finding.rule) for finding in findings)
    severities = get_args(Severity)
    for (severity, rule), count in sorted(
        counts.items(), key=lambda each: (severities.index(each[0][0]), -each[1], each[0][1])
    ):
        print_line(f"{count:>9,}  ", _painted(severity, 7), f"  {rule}")


def _summary(files: int, counts: Counter[Severity], fixed: str) -> str:
    """``19 files: 1 fixed, 1 error, 2 warnings``."""
    counts_in_words = [fixed] if fixed else []
    counts_in_words += [counted(counts[each], each) for each in get_args(Severity) if counts[each]]
    if not files:
        return "0 files: nothing to check"
    return f"{counted(files, 'file')}: {', '.join(counts_in_words) or 'no problems'}"


def _reported_rules(docs_url: str) -> dict[str, ReportedRule]:
    """Each rule, with its place on the site of the manual if there is one."""
    return {
        rule.name: ReportedRule(
            _LEVELS[rule.severity],
            rule.summary,
            manual.address(docs_url, "rules", rule.name) if docs_url else "",
        )
        for rule in RULES.values()
    }


def _explain(name: str, form: str) -> None:
    """Print the explanation of a rule, or with ``all`` the table of rules. Raises UserError."""
    if form in CI_FORMATS:
        raise UserError(f"--explain cannot be used with --format {form}")
    if form == "json":
        rules = RULES.values() if name == "all" else [RULES[name]]
        print_json(
            [
                {
                    "rule": rule.name,
                    "severity": rule.severity,
                    "summary": rule.summary,
                    "explain": manual.section("rules", rule.name),
                }
                for rule in rules
            ]
        )
    elif name == "all":
        width = max(map(len, RULES))
        for rule in RULES.values():
            print_result(_painted(rule.severity, 7), f"  {rule.name:<{width}}  {rule.summary}")
    else:
        rule = RULES[name]
        for line in [f"{rule.name} ({rule.severity})", rule.summary, ""]:
            print_result(line)
        for line in manual.section("rules", name).splitlines():  # a paragraph, or an item of a list
            indent = "  " if line.startswith("- ") else ""
            parts = wrap(line, _WIDTH, break_on_hyphens=False, subsequent_indent=indent)
            for part in parts or [""]:
                print_result(part)
