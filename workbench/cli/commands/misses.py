"""``workbench misses``: list every miss of a log once, and the unsupported requests."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping

from workbench.cli.common import add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.logs import add_fixtures, add_log, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.gates import is_open
from workbench.core.misses.record import MissRecord
from workbench.core.text.inert import excerpt
from workbench.core.text.wording import counted
from workbench.session.misses.listing import records, shared_digest_warning

TEXT_WIDTH = 80


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser, several=True)
    add_fixtures(parser)
    add_format(parser)
    parser.add_argument(
        "--run", choices=["last", "all"], default="all", help="suite runs to list (default: all)"
    )
    parser.add_argument(
        "--test", metavar="NAME", default="", help="list what tests asked whose name contains NAME"
    )
    parser.add_argument(
        "--open",
        action="store_true",
        help="list only the requests that still need an answer or a change",
    )
    parser.add_argument(
        "--fail",
        action="store_true",
        help="exit 1 if a request is listed that still needs an answer or a change, and 2 if a LOG "
        "is not the log of a stub server",
    )


def run(args: argparse.Namespace) -> int:
    with session_of(args.log, args.fixtures, decides=args.fail) as session:
        rows = records(session, last_run=args.run == "last", test=args.test)
        if args.open:
            rows = list(filter(is_open, rows))
        digests = [row.digest for row in rows if row.digest is not None]
        warnings = [said for digest in digests if (said := shared_digest_warning(session, digest))]
    if args.format == "json":
        print_json([row.record() for row in rows])
    else:
        print_rows(rows, print_result)
        for said in warnings:
            print_message(f"warning: {said}")
    return EXIT_FINDINGS if args.fail and any(map(is_open, rows)) else EXIT_OK


def print_rows(
    rows: list[MissRecord], print_row: Callable[[str], None], nearest: Mapping[str, str] = {}
) -> None:
    """Print a line for each row, with a sentence about the nearest fixture where there is one, then
    the totals and what to do about unsupported requests.
    """
    misses = [row for row in rows if row.digest is not None]
    unsupported = [row for row in rows if row.digest is None and not row.ignored]
    for row in rows:
        print_row(f"{_word(row):<9}{row.count:>4}  {asked(row)}")
        if said := nearest.get(row.digest or ""):
            print_row(f"{'':<15}{said}")
    states = Counter(row.state for row in misses if not row.ignored)
    broken = f", {states['broken']} broken" if states["broken"] else ""
    total = sum(row.count for row in misses)
    found = f"{len(misses)} {'miss' if len(misses) == 1 else 'misses'}"
    print_message(f"{found} in {counted(total, 'request')}, {states['missing']} missing{broken}")
    if unsupported:
        total = sum(row.count for row in unsupported)
        print_message(counted(total, "unsupported request"))
    for reason, advice in {row.reason: row.advice for row in unsupported}.items():
        print_message(f"  {(reason or '').rstrip('.')}. Instead:")
        for line in advice or ():
            print_message(f"    {line}")


def asked(row: MissRecord) -> str:
    """What the requests of a row ask for; printed after its state and count."""
    if row.digest is None:
        return excerpt(f"{row.method} {row.path}: {row.reason}", TEXT_WIDTH) + _asked_by(row)
    model = excerpt(row.model or "?", 24)
    text = row.last_user_text or "" if row.has_dump else "(request not in the log)"
    return f"{row.digest}  {model:<14}  {excerpt(text, TEXT_WIDTH)}{_asked_by(row)}"


def _asked_by(row: MissRecord) -> str:
    if not row.tests:
        return ""
    more = f" and {len(row.tests) - 1} more" if len(row.tests) > 1 else ""
    return f"  asked by {excerpt(row.tests[0], TEXT_WIDTH)}{more}"


def _word(row: MissRecord) -> str:
    """The state as it is printed."""
    if row.ignored:
        return "ignored"
    return "no dump" if row.state == "missing" and not row.has_dump else row.state
