"""``workbench misses``: list every miss of a log once, and the unsupported requests."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.arguments import add_format
from workbench.cli.ci_formats import CI_FORMATS, print_report
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.help_text import CommandHelp
from workbench.cli.logs import add_logs, logs_to_read, session_of
from workbench.cli.miss_rows import (
    MISS_RULES,
    UNFINISHED,
    miss_cases,
    print_rows,
    unfinished_suite,
)
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.text.wording import listed
from workbench.session.misses.listing import json_record, records, shared_digest_warning

HELP: Final = CommandHelp(
    page="ci",
    examples={
        "workbench misses": "list the misses of the newest log",
        "workbench misses --open mock-llm.log": "list the requests of one log that "
        "still need an answer or a change",
        "workbench misses --fail --format junit > misses.xml": "fail a build if a miss is "
        "left, and write a report",
    },
)


def configure(parser: argparse.ArgumentParser) -> None:
    add_logs(parser)
    add_fixtures(parser, reads_log=True)
    add_format(parser, *CI_FORMATS)
    parser.add_argument(
        "--run", choices=["last", "all"], default="all", help="suite runs to list (default: all)"
    )
    parser.add_argument(
        "--test",
        metavar="NAME",
        default="",
        help="list only requests from tests whose name contains NAME",
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="list only the requests that still need an answer or a change",
    )
    parser.add_argument(
        "--fail",
        action="store_true",
        help="exit 1 if a listed request still needs an answer or a change, or if the suite did "
        "not end; exit 2 if a LOG is not a server log",
    )


def run(args: argparse.Namespace) -> int:
    logs = logs_to_read([*args.logs, *args.log])
    with session_of(logs, args.fixtures, decides=args.fail) as session:
        rows = records(session, last_run=args.run == "last", test=args.test)
        if args.open:
            rows = [row for row in rows if row.is_open]
        digests = [row.digest for row in rows if row.digest is not None]
        warnings = [shared_digest_warning(session, digest) for digest in digests]
        folder, codes = session.store.folder, session.miss_index.suite_codes
    is_unfinished = None in (codes[-1:] if args.run == "last" else codes)
    if is_unfinished:
        print_message("warning", f"{listed(logs)}: {UNFINISHED}")
    if args.format == "json":
        print_json([json_record(row) for row in rows])
    elif args.format in CI_FORMATS:
        cases = miss_cases(rows, folder, logs)
        cases += [unfinished_suite(logs)] if is_unfinished else []
        print_report(args.format, "misses", cases, MISS_RULES)
    else:
        print_rows(rows, print_result)
        for warning in filter(None, warnings):
            print_message("warning", warning)
    is_failed = is_unfinished or any(row.is_open for row in rows)
    return EXIT_FINDINGS if args.fail and is_failed else EXIT_OK
