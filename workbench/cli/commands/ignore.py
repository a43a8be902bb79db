"""``workbench ignore``: mark a miss, or an unsupported request, as intended."""

from __future__ import annotations

import argparse

from workbench.cli.common import typed_text
from workbench.cli.exit_codes import EXIT_OK
from workbench.cli.fixtures_folder import add_fixtures
from workbench.cli.logs import add_log, session_of
from workbench.cli.output import print_result
from workbench.core.user_error import UserError
from workbench.session.misses.listing import find_miss


def configure(parser: argparse.ArgumentParser) -> None:
    add_log(parser)
    parser.add_argument(
        "request",
        metavar="DIGEST",
        help="digest of a miss (its first digits are enough), or method and path of an unsupported "
        'request: "POST /v1/rerank"',
    )
    add_fixtures(parser, reads_log=True)
    parser.add_argument(
        "--reason", required=True, type=typed_text, metavar="TEXT", help="why it is intended"
    )


def run(args: argparse.Namespace) -> int:
    if not args.reason.strip():
        raise UserError("--reason is empty")
    with session_of([args.log], args.fixtures, creates=True, writes=True) as session:
        unsupported = {row.name for row in session.miss_index.unsupported.values()}
        key = args.request if args.request in unsupported else find_miss(session, args.request)
        session.decisions.ignore(key, args.reason)
        print_result(str(session.ignore.path))
    return EXIT_OK
