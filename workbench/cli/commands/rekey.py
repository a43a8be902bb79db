"""``workbench rekey``: move a fixture to the request that replaced its own."""

from __future__ import annotations

import argparse
from typing import Final

from workbench.cli.common import add_dry_run, add_format
from workbench.cli.exit_codes import EXIT_FINDINGS, EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.logs import add_log, digests_and_logs, session_of
from workbench.cli.output import print_json, print_message, print_result
from workbench.core.fixture.name_prefix import LEAST_DIGITS
from workbench.core.requests.nearest import describe
from workbench.core.user_error import UserError
from workbench.session.answers.rekey import (
    RekeyPlan,
    carried_out,
    plan_all,
    plan_edited,
    plan_one,
    record,
    without_secrets,
)
from workbench.session.misses.listing import find_miss
from workbench.session.session import Session

_NO_STALE: Final = (
    "no miss has a stale fixture; workbench manual rot says what to do where more than dates and "
    "ids changed"
)
_NO_EDITED: Final = "each stored request has the digest its file is named by"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "%(prog)s [-h] [--log PATH] [--fixtures DIR] [--dry-run] [--allow-secret]\n"
        "         [--format text|json] OLD NEW [LOG ...]\n"
        "       %(prog)s [-h] [--log PATH] [--fixtures DIR] [--dry-run] [--allow-secret]\n"
        "         [--format text|json] --all [LOG ...]\n"
        "       %(prog)s [-h] [--fixtures DIR] [--dry-run] [--format text|json] --edited"
    )
    parser.add_argument(
        "words",
        nargs="*",
        metavar="OLD NEW",
        help=f"digest of a fixture, then that of a miss; the first {LEAST_DIGITS} digits are "
        "enough. Arguments that are not digests are logs, as with --log",
    )
    add_log(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="every miss that has a stale fixture: for the same request but for dates, ids and so "
        "on",
    )
    parser.add_argument(
        "--edited",
        action="store_true",
        help="every fixture whose stored request was edited: its file gets the name of that "
        "request",
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--allow-secret",
        action="store_true",
        help="store even what looks like a key, a token or a password in the new request",
    )
    add_dry_run(parser)
    add_format(parser)


def run(args: argparse.Namespace) -> int:
    if args.edited and (args.all or args.words or args.log):
        raise UserError("--edited takes no digests and no logs, and excludes --all")
    digests, logs = ([], []) if args.edited else digests_and_logs(args.words, args.log)
    if len(digests) != (0 if args.edited or args.all else 2):
        raise UserError("give the digests OLD and NEW, or --all, or --edited")
    with session_of(logs, args.fixtures, writes=bool(logs)) as session:
        session.stale.catch_up()
        if args.edited:
            plan = plan_edited(session)
        elif args.all:
            plan = plan_all(session)
        else:
            old, new = digests
            rekey = plan_one(session, session.store.find(old), find_miss(session, new))
            plan = RekeyPlan((rekey,), ())
        if not args.allow_secret:
            plan = without_secrets(plan, "--allow-secret stores it.")
        if not args.dry_run:
            plan = carried_out(session, plan)
        if args.format == "json":
            print_json(record(session, plan))
        else:
            _print_text(session, plan, is_done=not args.dry_run)
            if not (plan.rekeys or plan.left_out):
                print_message("note", _NO_EDITED if args.edited else _NO_STALE)
    return EXIT_FINDINGS if plan.left_out else EXIT_OK


def _print_text(session: Session, plan: RekeyPlan, *, is_done: bool) -> None:
    moved, copied = ("moved ", "copied") if is_done else ("would move", "would copy")
    for rekey in plan.rekeys:
        what = copied if rekey.is_copy else moved
        for old, new in rekey.files:
            print_result(f"{what}  {old} -> {session.store.path(new)}")
        if rekey.remark:
            print_message("note", f"{rekey.new}: {rekey.remark}")
        for difference in rekey.differences:
            print_result(f"        {describe(difference)}")
    for left_out in plan.left_out:
        print_message("warning", f"{left_out.new} is left out: {left_out.reason}")
